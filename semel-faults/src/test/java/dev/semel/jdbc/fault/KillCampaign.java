package dev.semel.jdbc.fault;

import dev.semel.Answer;
import dev.semel.testkit.history.Event;
import dev.semel.testkit.history.History;
import dev.semel.testkit.history.Judgement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/** Workers on one place, each killed at a random moment; then a last one that finishes everything, and the judge. */
final class KillCampaign {
    private static final int LANES = 3;
    private static final int KEYS = 24;
    private static final int STEP = 4;
    static final int MOST_CALLS = 16;
    private static final int LONGEST_MICROS = 2_000;

    private final RunDatabases place;
    private final Path directory;
    private final long seed = Long.getLong("semel.seed", System.nanoTime());
    private final AtomicInteger atWork = new AtomicInteger();
    private final ScheduledExecutorService watchdog = Executors.newSingleThreadScheduledExecutor();
    private final AtomicLong cpuMillis = new AtomicLong();

    /**
     * @param atWork of the kills, those of workers that had begun to call
     * @param inTheMiddleOfACall calls that a kill cut short
     * @param cpuMillis that all workers used together
     */
    record Tally(int kills, int atWork, int inTheMiddleOfACall, long cpuMillis, Duration took, long seed) {}

    KillCampaign(RunDatabases place, Path directory) {
        this.place = place;
        this.directory = directory;
    }

    /** Makes the place, and trains the JVMs on it with a worker that is not killed, unless they are trained. */
    void prepare() throws Exception {
        place.prepare();
        String kind = place.engine();
        if (!Jvms.shared().trained(kind)) {
            Path log = directory.resolve("training.log");
            Jvms.shared()
                    .train(
                            kind,
                            WorkerProcess.class,
                            log,
                            order("training", 0, 30, ServiceBug.NONE).arguments());
        }
    }

    /** Starts and kills so many workers. */
    Tally kill(int kills, ServiceBug flaw) throws Exception {
        prepare();
        long start = System.nanoTime();
        AtomicInteger next = new AtomicInteger();
        ExecutorService lanes = Executors.newFixedThreadPool(LANES);
        try {
            List<Callable<Void>> loops = new ArrayList<>();
            for (int lane = 0; lane < LANES; lane++) {
                loops.add(() -> {
                    for (int n = next.getAndIncrement(); n < kills; n = next.getAndIncrement()) {
                        killOne(n, flaw);
                    }
                    return null;
                });
            }
            for (Future<Void> loop : lanes.invokeAll(loops)) {
                loop.get();
            }
        } finally {
            lanes.shutdownNow();
            watchdog.shutdownNow();
        }
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        return new Tally(kills, atWork.get(), cutShort(), cpuMillis.get(), took, seed);
    }

    /** One in eight is killed somewhere in its start, the others at work. */
    private void killOne(int number, ServiceBug flaw) throws IOException, InterruptedException {
        SplittableRandom random = new SplittableRandom(seed + number);
        String name = "w" + number;
        Path log = directory.resolve(name + ".log");
        Process process = start(name, number, Integer.MAX_VALUE, flaw);
        ScheduledFuture<?> bound = watchdog.schedule(process::destroyForcibly, 120, TimeUnit.SECONDS);
        try {
            boolean whileStarting = number % 8 == 7;
            if (whileStarting) {
                process.waitFor(random.nextInt(500), TimeUnit.MILLISECONDS);
            } else {
                for (int calls = random.nextInt(MOST_CALLS); calls >= 0; calls--) {
                    if (process.getInputStream().read() < 0) {
                        throw new AssertionError(
                                "Worker " + name + " died by itself, or came to a stop: " + Files.readString(log));
                    }
                }
                atWork.incrementAndGet();
                process.waitFor(random.nextInt(LONGEST_MICROS), TimeUnit.MICROSECONDS);
            }
        } finally {
            bound.cancel(false);
            cpuMillis.addAndGet(
                    process.info().totalCpuDuration().orElse(Duration.ZERO).toMillis());
            process.destroyForcibly();
            process.waitFor();
            process.getInputStream().close();
            process.getOutputStream().close();
        }
    }

    /** Starts a worker and leaves it to the caller. */
    Process start(String name, int number, int calls, ServiceBug flaw) throws IOException {
        Path log = directory.resolve(name + ".log");
        return Jvms.shared()
                .startTrained(
                        place.engine(),
                        WorkerProcess.class,
                        log,
                        order(name, number, calls, flaw).arguments());
    }

    private WorkerProcess.Order order(String process, int number, int calls, ServiceBug flaw) {
        WorkerProcess.Order.Range range = new WorkerProcess.Order.Range(seed * 31 + number, number * STEP, KEYS, calls);
        return new WorkerProcess.Order(place, directory.resolve(process + ".history"), process, range, flaw);
    }

    /** Asks for every record that anybody asked for until all have an answer that is final. */
    void finish() throws Exception {
        List<String> records = new ArrayList<>(RunVerdict.records(History.read(histories())));
        ExecutorService callers = Executors.newFixedThreadPool(8);
        try (InProcessService last = new InProcessService(place, directory, "last")) {
            List<Callable<Answer<byte[]>>> asks = new ArrayList<>();
            for (String record : records) {
                asks.add(() -> last.askUntilFinal(WorkKind.Item.of(record)));
            }
            for (Future<Answer<byte[]>> ask : callers.invokeAll(asks, 120, TimeUnit.SECONDS)) {
                ask.get();
            }
        } finally {
            callers.shutdownNow();
        }
    }

    Judgement finishAndJudge() throws Exception {
        finish();
        return judge();
    }

    Judgement judge() throws Exception {
        return RunVerdict.judge(place, histories());
    }

    private int cutShort() throws IOException {
        List<Event> events = History.read(histories());
        long invoked = events.stream().filter(Event.Invoked.class::isInstance).count();
        long ended = events.stream().filter(Event.Ended.class::isInstance).count();
        return (int) (invoked - ended);
    }

    private List<Path> histories() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.toString().endsWith(".history")).toList();
        }
    }
}
