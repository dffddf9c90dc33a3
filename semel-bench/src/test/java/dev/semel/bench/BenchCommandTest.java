package dev.semel.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.cli.Main;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code semel bench}, found by the command line because it is on the class path. */
class BenchCommandTest {
    private static final String[] MEMORY = {"bench", "ledger", "--store", "memory:", "--quick", "--seconds", "0.003"};

    private record Ended(int exit, String out, String err) {}

    private static Ended semel(String... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CommandLine line = Main.commandLine();
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(err, true));
        int exit = line.execute(args);
        return new Ended(exit, out.toString(), err.toString());
    }

    private static String[] memory(String... more) {
        String[] all = java.util.Arrays.copyOf(MEMORY, MEMORY.length + more.length);
        System.arraycopy(more, 0, all, MEMORY.length, more.length);
        return all;
    }

    @Test
    void ledgerIsMeasuredAndShown() {
        Ended shell = semel(memory());
        assertThat(shell.exit()).isZero();
        assertThat(shell.out()).contains("ratio", "memory atomic first", "memory hit, p99 in us");
        assertThat(shell.err()).contains("bench: memory: 8 callers");
    }

    @Test
    void checkFailsExactlyWhenATargetIsMissedAndNamesIt() {
        Ended shell = semel(memory("--json", "--check"));
        JsonNode report = JsonMapper.shared().readTree(shell.out());
        int missed = 0;
        for (JsonNode target : report.path("targets")) {
            if (!target.path("met").asBoolean()) {
                missed++;
                assertThat(shell.err())
                        .contains("missed: " + target.path("name").asString());
            }
        }
        assertThat(report.path("targets")).isNotEmpty();
        assertThat(shell.exit()).isEqualTo(missed == 0 ? 0 : 1);
    }

    @Test
    void lossAgainstTheBaselineIsNamedAndFails(@TempDir Path directory) throws IOException {
        Path baseline = Files.writeString(directory.resolve("before.json"), """
                {"results":[{"name":"sqlite atomic first","callers":8,"ratio":1000000,"of":"sqlite one commit per call"},
                            {"name":"sqlite atomic replay","callers":8,"ratio":1e-9,"of":"sqlite one commit per call"}]}
                """);
        Ended shell = semel(
                "bench",
                "ledger",
                "--store",
                "sqlite:" + directory.resolve("orders.db"),
                "--quick",
                "--seconds",
                "0.003",
                "--baseline",
                baseline.toString());
        assertThat(shell.exit()).isEqualTo(1);
        assertThat(shell.err())
                .contains("lost: sqlite atomic first, 8 callers")
                .doesNotContain("lost: sqlite atomic replay");
    }

    @Test
    void httpBenchWithoutServersFails() {
        Ended shell = semel("bench", "http");
        assertThat(shell.exit()).isEqualTo(2);
        assertThat(shell.err()).contains("bench http: the servers to measure are missing");
    }

    @Test
    void invalidBenchOptionsAreBadInput(@TempDir Path directory) {
        assertThat(semel("bench").exit()).isEqualTo(2);
        assertThat(semel("bench", "ledger", "--store", "floppy:a").exit()).isEqualTo(2);
        assertThat(semel(memory("--baseline", directory.resolve("none").toString()))
                        .exit())
                .isEqualTo(2);
        Ended negative = semel("bench", "ledger", "--seconds", "-1");
        assertThat(negative.exit()).isEqualTo(2);
        assertThat(negative.err()).contains("--seconds is -1");
    }
}
