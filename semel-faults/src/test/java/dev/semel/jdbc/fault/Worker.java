package dev.semel.jdbc.fault;

import dev.semel.Semel;
import dev.semel.testkit.history.History;
import dev.semel.time.TimeSource;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** A service in a process of its own: asks for work until it is done or killed, and writes a byte before each call. */
public final class Worker {
    private static final int THREADS = 2;

    private Worker() {}

    /**
     * What a worker is to do.
     *
     * @param history the file that it writes
     * @param firstKey of the {@code keys} keys from which it chooses by the seed
     * @param calls by each of its threads
     */
    record Order(Place place, Path history, String process, Range range, Flaw flaw) {
        record Range(long seed, int firstKey, int keys, int calls) {}

        static Order of(String... arguments) {
            return new Order(
                    new Place(arguments[0], arguments[1], arguments[2]),
                    Path.of(arguments[3]),
                    arguments[4],
                    new Range(
                            Long.parseLong(arguments[5]),
                            Integer.parseInt(arguments[6]),
                            Integer.parseInt(arguments[7]),
                            Integer.parseInt(arguments[8])),
                    Flaw.valueOf(arguments[9]));
        }

        List<String> arguments() {
            return List.of(
                    place.store(),
                    place.effects(),
                    place.outside(),
                    history.toString(),
                    process,
                    Long.toString(range.seed),
                    Integer.toString(range.firstKey),
                    Integer.toString(range.keys),
                    Integer.toString(range.calls),
                    flaw.name());
        }
    }

    public static void main(String[] arguments) throws Exception {
        Order order = Order.of(arguments);
        try (History history = History.toFile(order.process(), TimeSource.system(), order.history());
                Semel semel = order.flaw().open(order.place());
                Outside outside = new Outside(order.place())) {
            Caller caller = new Caller(semel, outside, history, order);
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                SplittableRandom random = new SplittableRandom(order.range().seed() * THREADS + i);
                Thread thread = new Thread(() -> work(caller, order, random), "caller-" + i);
                thread.start();
                threads.add(thread);
            }
            for (Thread thread : threads) {
                thread.join();
            }
        }
    }

    private static void work(Caller caller, Order order, SplittableRandom random) {
        Order.Range range = order.range();
        List<Work> works = order.flaw().works();
        for (int i = 0; i < range.calls(); i++) {
            Work work = works.get(random.nextInt(works.size()));
            String key = "k" + (range.firstKey() + random.nextInt(range.keys()));
            System.out.write(1);
            if (System.out.checkError()) {
                return;
            }
            caller.ask(new Work.Item(work, key), Duration.ZERO);
        }
    }
}
