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
public final class WorkerProcess {
    private static final int THREADS = 2;

    private WorkerProcess() {}

    /**
     * What a worker is to do.
     *
     * @param history the file that it writes
     * @param firstKey of the {@code keys} keys from which it chooses by the seed
     * @param calls by each of its threads
     */
    record Order(RunDatabases place, Path history, String process, Range range, ServiceBug flaw) {
        record Range(long seed, int firstKey, int keys, int calls) {}

        static Order of(String... arguments) {
            return new Order(
                    new RunDatabases(arguments[0], arguments[1], arguments[2]),
                    Path.of(arguments[3]),
                    arguments[4],
                    new Range(
                            Long.parseLong(arguments[5]),
                            Integer.parseInt(arguments[6]),
                            Integer.parseInt(arguments[7]),
                            Integer.parseInt(arguments[8])),
                    ServiceBug.valueOf(arguments[9]));
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
                ReceiverDatabase outside = new ReceiverDatabase(order.place())) {
            RecordingCaller caller = new RecordingCaller(semel, outside, history, order);
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

    private static void work(RecordingCaller caller, Order order, SplittableRandom random) {
        Order.Range range = order.range();
        List<WorkKind> works = order.flaw().works();
        for (int i = 0; i < range.calls(); i++) {
            WorkKind work = works.get(random.nextInt(works.size()));
            String key = "k" + (range.firstKey() + random.nextInt(range.keys()));
            System.out.write(1);
            if (System.out.checkError()) {
                return;
            }
            caller.ask(new WorkKind.Item(work, key), Duration.ZERO);
        }
    }
}
