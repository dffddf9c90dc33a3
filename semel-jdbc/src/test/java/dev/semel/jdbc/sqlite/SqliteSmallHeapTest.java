package dev.semel.jdbc.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.Key;
import dev.semel.Operation;
import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.engine.Engine;
import dev.semel.engine.EngineSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Sixty-four callers with results of a megabyte on a heap of 64 MB: memory runs out anywhere, again and again. */
@Timeout(180)
class SqliteSmallHeapTest {
    @TempDir
    private Path directory;

    /** A service that is too small for its load. Its exit code says whether it is alive afterwards. */
    public static final class Main {
        private static final int CALLERS = 64;
        private static final int CALLS = 6;
        private static final int RESULT = 1_000_000;

        /** What a caller has besides: together more than half of the heap. */
        private static final int OWN = 650_000;

        private static final Operation.Atomic<String, byte[]> ATOMIC =
                Operation.atomic("charge", String.class, byte[].class);
        private static final Operation.Leased<String, byte[]> LEASED =
                Operation.leased("notify", String.class, byte[].class).asRepeatable();

        private static final AtomicInteger ANSWERED = new AtomicInteger();
        private static final AtomicInteger ERRORS = new AtomicInteger();
        private static final AtomicInteger REFUSED = new AtomicInteger();
        private static final AtomicInteger KEPT = new AtomicInteger();

        private Main() {}

        public static void main(String[] arguments) throws Exception {
            Engine engine = EngineSettings.at("sqlite:" + arguments[0]).open();
            call(engine, "warm", ATOMIC);
            call(engine, "warm", LEASED);
            Thread[] callers = new Thread[CALLERS];
            CountDownLatch go = new CountDownLatch(1);
            for (int i = 0; i < CALLERS; i++) {
                int number = i;
                callers[i] = new Thread(() -> caller(engine, number, go));
                callers[i].setDaemon(true);
                callers[i].start();
            }
            go.countDown();
            for (Thread caller : callers) {
                caller.join(TimeUnit.SECONDS.toMillis(100));
                if (caller.isAlive()) {
                    System.out.println("a caller got no answer");
                    for (StackTraceElement element : caller.getStackTrace()) {
                        System.out.println("  " + element);
                    }
                    Runtime.getRuntime().halt(3);
                }
            }
            boolean atomic = call(engine, "fresh", ATOMIC) instanceof Answer.Executed;
            boolean leased = call(engine, "fresh", LEASED) instanceof Answer.Executed;
            System.out.println(ANSWERED + " answered, " + ERRORS + " ran out of memory, " + REFUSED
                    + " unavailable; afterwards " + atomic + " " + leased);
            Runtime.getRuntime().halt(atomic && leased && ERRORS.get() > 0 ? 0 : 4);
        }

        private static void caller(Engine engine, int number, CountDownLatch go) {
            try {
                go.await();
            } catch (InterruptedException e) {
                return;
            }
            byte[] own = new byte[OWN];
            for (int i = 0; i < CALLS; i++) {
                try {
                    call(engine, "k" + number + "-" + i, i % 2 == 0 ? ATOMIC : LEASED);
                    ANSWERED.incrementAndGet();
                } catch (OutOfMemoryError e) {
                    ERRORS.incrementAndGet();
                } catch (SemelException e) {
                    REFUSED.incrementAndGet();
                }
            }
            KEPT.addAndGet(own.length);
        }

        private static Answer<byte[]> call(Engine engine, String key, Operation<String, byte[]> operation) {
            Call<String> call = Call.of(Tenant.of("acme"), Key.of(key), "payload");
            return operation instanceof Operation.Atomic<String, byte[]> atomic
                    ? engine.run(atomic, call, (payload, tx) -> result())
                    : engine.run((Operation.Leased<String, byte[]>) operation, call, (payload, run) -> result());
        }

        private static byte[] result() {
            try {
                return new byte[RESULT];
            } catch (OutOfMemoryError e) {
                ERRORS.incrementAndGet();
                throw e;
            }
        }
    }

    @Test
    void b8_callersThatRunOutOfMemoryLoseNeitherTheWriterNorAnybodysAnswer() throws Exception {
        Path log = directory.resolve("log");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx64m",
                        "-XX:+UseSerialGC",
                        "-XX:-UseGCOverheadLimit",
                        "-XX:+IgnoreUnrecognizedVMOptions",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName(),
                        directory.resolve("semel.db").toString())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        boolean ended = process.waitFor(150, TimeUnit.SECONDS);
        if (!ended) {
            process.destroyForcibly().waitFor();
        }
        assertThat(ended).as(Files.readString(log)).isTrue();
        assertThat(process.exitValue()).as(Files.readString(log)).isZero();
    }
}
