package dev.semel.jdbc.shared;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Channel;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Tenant;
import dev.semel.engine.Engine;
import dev.semel.engine.EngineSettings;
import dev.semel.testkit.Await;
import dev.semel.testkit.PrivatePostgres;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A backlog of bodies that is six times as large as the heap of the process that handles it. */
@Timeout(300)
class LargeBacklogTest {
    private static final int LARGE = 4 << 20;
    private static final int MESSAGES = 100;
    private static final int LANES = 4;
    private static final Tenant ACME = Tenant.of("acme");

    /** As the engine's own limit, with room for what the payload is wrapped in. */
    private static final int LARGEST = 8 << 20;

    /** The first byte is the lane, the second the number in it; every fifth payload is small. */
    private static final Channel.Leased<byte[]> FILMS =
            Channel.leased("films", byte[].class).withLane(bytes -> "lane-" + bytes[0]);

    @TempDir
    private Path directory;

    enum Engines {
        SQLITE,
        POSTGRESQL;

        String url(Path directory) {
            if (this == SQLITE) {
                return "sqlite:" + directory.resolve("ledger.db");
            }
            PrivatePostgres postgres = PrivatePostgres.shared();
            return postgres.url(postgres.freshDatabase());
        }
    }

    private static Engine open(String url) {
        return EngineSettings.at(url).withLargestValue(LARGEST).open();
    }

    private static byte[] payload(int number) {
        byte[] bytes = new byte[number % 5 == 0 ? 100 : LARGE];
        bytes[0] = (byte) (number % LANES);
        bytes[1] = (byte) (number / LANES);
        return bytes;
    }

    /** Handles the backlog; prints the numbers of each lane in the order in which they were handled. */
    public static final class Main {
        private Main() {}

        public static void main(String[] arguments) throws Exception {
            Map<Integer, List<Integer>> handled = new ConcurrentHashMap<>();
            CountDownLatch all = new CountDownLatch(MESSAGES);
            try (Engine engine = open(arguments[0])) {
                engine.handle(FILMS, Channel.Capacity.of(16), (bytes, run) -> {
                    handled.computeIfAbsent((int) bytes[0], any -> new ArrayList<>())
                            .add((int) bytes[1]);
                    all.countDown();
                });
                if (!all.await(200, TimeUnit.SECONDS)) {
                    System.out.println("not all were handled");
                }
                Await.until(
                        "results are written",
                        () -> engine.operator().channels().isEmpty());
            }
            for (int lane = 0; lane < LANES; lane++) {
                System.out.println(lane + ": " + handled.get(lane));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void backlogThatIsLargerThanTheHeapIsHandledOnceAndInOrder(Engines store) throws Exception {
        String url = store.url(directory);
        try (Engine engine = EngineSettings.at(url)
                .withLargestValue(LARGEST)
                .withoutBackground()
                .open()) {
            for (int i = 0; i < MESSAGES; i++) {
                engine.send(FILMS, Message.of(ACME, Key.of("film-" + i), payload(i)));
            }
        }
        Path log = directory.resolve("log");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx64m",
                        "-XX:+UseSerialGC",
                        "-XX:+ExitOnOutOfMemoryError",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+IgnoreUnrecognizedVMOptions",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName(),
                        url)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        boolean ended = process.waitFor(240, TimeUnit.SECONDS);
        if (!ended) {
            process.destroyForcibly().waitFor();
        }
        String told = Files.readString(log);
        assertThat(ended).as(told).isTrue();
        assertThat(process.exitValue()).as(told).isZero();
        for (int lane = 0; lane < LANES; lane++) {
            List<Integer> numbers = new ArrayList<>();
            for (int i = 0; i < MESSAGES / LANES; i++) {
                numbers.add(i);
            }
            assertThat(told).contains(lane + ": " + numbers);
        }
    }
}
