package dev.semel.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.semel.server.api.ApiServer.LedgerKind;
import dev.semel.testkit.Await;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Workers of another language on one channel, of which one is killed while it has messages. Reported as not run without Python. */
class KilledWorkerTest {
    private static final Path CLIENTS =
            Path.of("..", "clients").toAbsolutePath().normalize();
    private static final Path WORKER =
            Path.of("src", "test", "resources", "clients", "slow_worker.py").toAbsolutePath();
    private static final int LANES = 4;
    private static final int EACH = 8;

    @TempDir
    private Path directory;

    private Process worker(ApiServer server, String name, boolean hangs) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                        "python3", WORKER.toString(), log(name).toString())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve(name + ".out").toFile());
        builder.environment()
                .putAll(Map.of(
                        "SEMEL_URL",
                        server.url(),
                        "SEMEL_TOKEN",
                        ApiServer.ACME,
                        "HANG",
                        hangs ? "yes" : "",
                        "PYTHONPATH",
                        CLIENTS.resolve("python").toString(),
                        "PYTHONDONTWRITEBYTECODE",
                        "1"));
        return builder.start();
    }

    private Path log(String name) {
        return directory.resolve(name + ".log");
    }

    /** The keys that a worker began, and those that it finished, in this order. */
    private List<String> lines(String name) throws IOException {
        return Files.exists(log(name)) ? Files.readAllLines(log(name), StandardCharsets.UTF_8) : List.of();
    }

    private static boolean hasPython() throws IOException, InterruptedException {
        try {
            return new ProcessBuilder("python3", "--version").start().waitFor() == 0;
        } catch (IOException e) {
            return false;
        }
    }

    @ParameterizedTest
    @EnumSource(LedgerKind.class)
    void d12_messagesOfAKilledWorkerComeBackAfterTheLeaseInTheOrderOfTheirLanes(LedgerKind kind) throws Exception {
        assumeTrue(hasPython(), "python3 is not installed");
        try (ApiServer server = kind.start()) {
            for (int n = 0; n < EACH; n++) {
                for (int lane = 0; lane < LANES; lane++) {
                    server.post(
                            "/channels/jobs/messages",
                            "{\"key\":\"" + lane + "-" + n + "\",\"payload\":" + n + ",\"lane\":\"" + lane + "\"}");
                }
            }
            Process doomed = worker(server, "doomed", true);
            Process other = null;
            try {
                Await.until(
                        "the first worker is in the middle of a batch", () -> lines("doomed"), all -> all.size() >= 3);
                other = worker(server, "other", false);
                doomed.destroyForcibly().waitFor();
                List<String> keys = keys();
                Await.until("every message is done", () -> open(server, keys), Set::isEmpty);
                other.destroy();
                assertThat(other.waitFor(60, TimeUnit.SECONDS)).isTrue();
                assertThat(other.exitValue())
                        .as(Files.readString(directory.resolve("other.out")))
                        .isZero();
            } finally {
                doomed.destroyForcibly();
                if (other != null) {
                    other.destroyForcibly();
                }
            }
            assertOrder();
        }
    }

    private static List<String> keys() {
        List<String> keys = new ArrayList<>();
        for (int lane = 0; lane < LANES; lane++) {
            for (int n = 0; n < EACH; n++) {
                keys.add(lane + "-" + n);
            }
        }
        return keys;
    }

    private static Set<String> open(ApiServer server, List<String> keys) {
        Set<String> open = new HashSet<>();
        for (String key : keys) {
            if (!server.get(ApiServer.ACME, "/channels/jobs?key=" + key)
                    .text("state")
                    .equals("COMPLETED")) {
                open.add(key);
            }
        }
        return open;
    }

    /** An effect that is repeated is recognised by its key; the first ones of each lane come in its order. */
    private void assertOrder() throws IOException {
        List<String> effects = new ArrayList<>();
        for (String worker : List.of("doomed", "other")) {
            lines(worker).stream().filter(line -> !effects.contains(line)).forEach(effects::add);
        }
        assertThat(effects).containsExactlyInAnyOrderElementsOf(keys());
        for (int lane = 0; lane < LANES; lane++) {
            String prefix = lane + "-";
            assertThat(effects.stream().filter(key -> key.startsWith(prefix)))
                    .as("lane " + lane)
                    .isSorted();
        }
    }
}
