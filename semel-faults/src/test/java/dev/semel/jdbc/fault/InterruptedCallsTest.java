package dev.semel.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.semel.testkit.NewerJava;
import dev.semel.testkit.history.Rule;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A16: calls are interrupted at random moments, on platform threads and, by a newer Java where one is installed, on virtual
 * threads, whose sockets an interrupt closes. The checker judges what the callers were told; the interrupt is kept.
 */
@Timeout(300)
class InterruptedCallsTest {
    private static final int CALLS = 120;
    private static final int LONGEST_NANOS = 4_000_000;

    @TempDir
    private Path directory;

    /** Makes the calls, each on a thread that is interrupted, and asks again until there is an answer that stays. */
    public static final class Main {
        private final InProcessService node;
        private final boolean virtual;
        private int interrupted;
        private int lostInterrupts;

        private Main(InProcessService node, boolean virtual) {
            this.node = node;
            this.virtual = virtual;
        }

        public static void main(String[] arguments) throws Exception {
            RunDatabases place = new RunDatabases(arguments[0], arguments[1], arguments[2]);
            try (InProcessService node = new InProcessService(place, Path.of(arguments[3]), "interrupted")) {
                new Main(node, Boolean.parseBoolean(arguments[4])).run(new Random(16));
            }
        }

        private void run(Random random) throws Exception {
            for (int i = 0; i < CALLS; i++) {
                WorkKind.Item item = new WorkKind.Item(WorkKind.values()[i % WorkKind.values().length], "i" + i);
                interrupted(item, random.nextInt(LONGEST_NANOS));
                node.askUntilFinal(item);
            }
            if (interrupted == 0 || lostInterrupts > 0) {
                throw new AssertionError(lostInterrupts + " of " + interrupted + " callers have lost their interrupt");
            }
        }

        private void interrupted(WorkKind.Item item, int after) throws Exception {
            AtomicBoolean returned = new AtomicBoolean();
            AtomicBoolean kept = new AtomicBoolean();
            AtomicReference<Throwable> thrown = new AtomicReference<>();
            Thread caller = start(() -> {
                try {
                    node.ask(item.work(), item.key());
                } catch (Throwable e) {
                    thrown.set(e);
                }
                returned.set(true);
                kept.set(Thread.currentThread().isInterrupted());
            });
            long began = System.nanoTime();
            while (System.nanoTime() - began < after) {
                Thread.onSpinWait();
            }
            caller.interrupt();
            boolean during = !returned.get();
            caller.join();
            if (thrown.get() != null) {
                throw new AssertionError(item.record(), thrown.get());
            }
            interrupted += during ? 1 : 0;
            lostInterrupts += during && !kept.get() ? 1 : 0;
        }

        /** By name of the method: the baseline does not have it. */
        private Thread start(Runnable work) throws ReflectiveOperationException {
            if (virtual) {
                return (Thread) Thread.class
                        .getMethod("startVirtualThread", Runnable.class)
                        .invoke(null, work);
            }
            Thread thread = new Thread(work);
            thread.start();
            return thread;
        }
    }

    @Test
    void a16_interruptedCallsOnPlatformThreadsGetTheRightAnswer() throws Exception {
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        assertToldRight(java, RunDatabases.sqlite(directory), false);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a16_interruptedCallsOnVirtualThreadsAreToldRight(boolean sqlite) throws Exception {
        Optional<Path> java = NewerJava.withVirtualThreads();
        assumeTrue(java.isPresent(), "No Java with virtual threads is installed beside this one.");
        RunDatabases own = RunDatabases.sqlite(directory);
        assertToldRight(
                java.orElseThrow(), sqlite ? own : RunDatabases.postgres().withOutside(own), true);
    }

    private void assertToldRight(Path java, RunDatabases place, boolean virtual) throws Exception {
        place.prepare();
        Path log = directory.resolve("log");
        Process process = new ProcessBuilder(
                        java.toString(),
                        "-XX:+UseSerialGC",
                        "-XX:+IgnoreUnrecognizedVMOptions",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName(),
                        place.store(),
                        place.effects(),
                        place.outside(),
                        directory.toString(),
                        Boolean.toString(virtual))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            assertThat(process.waitFor(240, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).as(Files.readString(log)).isZero();
        } finally {
            process.destroyForcibly();
        }
        RunVerdict.judge(place, List.of(directory.resolve("interrupted.history")))
                .assertHolds(Rule.R1, Rule.R2, Rule.R3, Rule.R5, Rule.R6, Rule.R7, Rule.R8, Rule.R9);
    }
}
