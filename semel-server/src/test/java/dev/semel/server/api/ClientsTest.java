package dev.semel.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.semel.server.api.ApiServer.LedgerKind;
import dev.semel.testkit.Await;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The clients for other languages, run by their interpreters against a server. Reported as not run without an interpreter. */
class ClientsTest {
    private static final Path CLIENTS =
            Path.of("..", "clients").toAbsolutePath().normalize();
    private static final Path CHECKS =
            Path.of("src", "test", "resources", "clients").toAbsolutePath();

    @TempDir
    private Path directory;

    /** A language of a client. */
    enum ClientLanguage {
        PYTHON("python3", "python", "py"),
        NODE("node", "node", "mjs");

        private final String interpreter;
        private final Path example;
        private final Path worker;
        private final Path checks;

        ClientLanguage(String interpreter, String folder, String ending) {
            this.interpreter = interpreter;
            this.example = CLIENTS.resolve(folder).resolve("example." + ending);
            this.worker = CLIENTS.resolve(folder).resolve("worker." + ending);
            this.checks = CHECKS.resolve("checks." + ending);
        }

        boolean isThere() {
            String path = System.getenv().getOrDefault("PATH", "");
            for (String each : path.split(File.pathSeparator)) {
                if (Files.isExecutable(Path.of(each, interpreter))) {
                    return true;
                }
            }
            return false;
        }
    }

    private record Ended(int code, String out, String err) {}

    private Ended run(ApiServer server, ClientLanguage language, Path program, String... arguments)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(language.interpreter, program.toString()));
        command.addAll(List.of(arguments));
        Path out = directory.resolve("out");
        Path err = directory.resolve("err");
        Process process = start(server, command, out, err);
        try {
            assertThat(process.waitFor(3, TimeUnit.MINUTES))
                    .as("%s ends", language)
                    .isTrue();
            return new Ended(
                    process.exitValue(),
                    Files.readString(out, StandardCharsets.UTF_8),
                    Files.readString(err, StandardCharsets.UTF_8));
        } finally {
            process.destroyForcibly();
        }
    }

    private static Process start(ApiServer server, List<String> command, Path out, Path err) throws IOException {
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
        builder.environment()
                .putAll(Map.of(
                        "SEMEL_URL", server.url(),
                        "SEMEL_TOKEN", ApiServer.ACME,
                        "SEMEL_CLIENT", CLIENTS.resolve("node/semel.mjs").toString(),
                        "PYTHONPATH", CLIENTS.resolve("python").toString(),
                        "PYTHONDONTWRITEBYTECODE", "1"));
        return builder.start();
    }

    @ParameterizedTest
    @EnumSource
    void b10_exampleWorkerHandlesMessagesUntilItIsTerminated(ClientLanguage language) throws Exception {
        assume(language);
        try (ApiServer server = LedgerKind.SQLITE.start()) {
            run(server, language, language.example, "17");
            run(server, language, language.example, "18");
            server.post("/channels/receipts/messages", "{\"key\":\"bad\",\"payload\":{}}");
            Path out = directory.resolve("worker out");
            Path err = directory.resolve("worker err");
            Process process = start(server, List.of(language.interpreter, language.worker.toString()), out, err);
            try {
                for (String key : List.of("receipt-17", "receipt-18", "bad")) {
                    Await.until(
                            key + " has ended",
                            () -> server.get(ApiServer.ACME, "/channels/receipts?key=" + key)
                                    .text("state"),
                            state -> state.equals(key.equals("bad") ? "FAILED_TERMINAL" : "COMPLETED"));
                }
                process.destroy();
                assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
                assertThat(process.exitValue()).as(Files.readString(err)).isZero();
                assertThat(Files.readAllLines(out)).containsExactly("mailing r-17", "mailing r-18", "stopped");
            } finally {
                process.destroyForcibly();
            }
        }
    }

    private static void assume(ClientLanguage language) {
        assumeTrue(language.isThere(), language.interpreter + " is not installed");
    }

    @ParameterizedTest
    @EnumSource
    void exampleChargesEachOrderOnce(ClientLanguage language) throws Exception {
        assume(language);
        try (ApiServer server = LedgerKind.SQLITE.start()) {
            Ended first = run(server, language, language.example, "17");
            assertThat(first).isEqualTo(new Ended(0, "r-17\n", "charging 12\n"));
            Ended second = run(server, language, language.example, "17");
            assertThat(second).isEqualTo(new Ended(0, "r-17\n", ""));
            assertThat(server.get(ApiServer.ACME, "/channels/receipts?key=receipt-17")
                            .text("state"))
                    .isEqualTo("QUEUED");
        }
    }

    @ParameterizedTest
    @EnumSource
    void clientKeepsItsPromises(ClientLanguage language) throws Exception {
        assume(language);
        try (ApiServer server = LedgerKind.SQLITE.start()) {
            assertAllHold(run(server, language, language.checks));
        }
    }

    @ParameterizedTest
    @EnumSource
    void clientKeepsItsPromisesWhenHalfOfTheRepliesAreLost(ClientLanguage language) throws Exception {
        assume(language);
        try (ApiServer server = LedgerKind.SQLITE.start()) {
            server.loseHalfOfTheReplies();
            assertAllHold(run(server, language, language.checks));
        }
    }

    private static void assertAllHold(Ended ended) {
        assertThat(ended.code()).as(ended.toString()).isZero();
        assertThat(ended.out().lines())
                .containsExactly(
                        "runs_once",
                        "conflict_is_raised",
                        "failure_is_retried",
                        "unexpected_error_is_unknown",
                        "lease_is_renewed",
                        "finished_step_is_replayed",
                        "concurrent_callers_share_one_run",
                        "messages_are_sent",
                        "batch_that_broke_off_is_raised",
                        "worker_handles_each_message_once_and_lanes_in_order",
                        "worker_hands_back_what_it_has_not_begun",
                        "worker_renews_its_leases",
                        "absent_call_is_none",
                        "retry_after_is_obeyed");
    }
}
