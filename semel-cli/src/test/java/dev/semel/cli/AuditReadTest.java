package dev.semel.cli;

import static dev.semel.cli.Shell.semel;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class AuditReadTest {
    @TempDir
    private Path directory;

    private SampleShop shop;

    @BeforeEach
    void keepAShop() {
        shop = SampleShop.in(directory).withOrders();
    }

    @Test
    void tailIsTheNewestInOrder() {
        List<String> all = run("audit", "tail").out().lines().toList();
        assertThat(all).hasSize(5);
        assertThat(all.get(0)).contains("operation.queued", "mail/", "(tenant acme)");
        assertThat(all.get(4)).contains("mail/");
        assertThat(run("audit", "tail", "-n", "2").out().lines()).containsExactlyElementsOf(all.subList(3, 5));
        assertThat(run("audit", "tail", "-n", "0").out()).isEmpty();
        List<String> errors =
                run("audit", "tail", "--type", "system.error").out().lines().toList();
        assertThat(errors).hasSize(1);
        assertThat(errors.get(0)).contains("attempt 1 of 3", "category=validation");
        assertThat(run("audit", "tail", "--tenant", "other").out()).isEmpty();
        assertThat(run("audit", "tail", "--operation", "mail").out().lines())
                .containsExactlyElementsOf(
                        all.stream().filter(line -> line.contains(" mail/")).toList())
                .hasSizeBetween(1, 4);
        assertThat(run("audit", "tail", "--operation", "fax").out()).isEmpty();
        JsonNode event = JsonMapper.shared()
                .readTree(run("audit", "tail", "-n", "1", "--json").out());
        assertThat(event.get("tenant").asString()).isEqualTo("acme");
    }

    @Test
    void typeThatDoesNotExistIsBadInput() {
        Shell shell = run("audit", "tail", "--type", "system.eror");
        assertThat(shell.exit()).isEqualTo(2);
        assertThat(shell.err()).contains("\"system.eror\"", "system.error");
    }

    @Test
    void followShowsNewEventsUntilInterrupted() {
        CommandLine line = Main.commandLine();
        List<String> read = new ArrayList<>();
        line.setOut(new PrintWriter(new Leaving(read, () -> shop.send("m-9", "ann@example.com")), true));
        line.setErr(new PrintWriter(new StringWriter()));
        int exit = line.execute("audit", "tail", "-f", "-n", "3", "--store", shop.url());
        assertThat(exit).isZero();
        assertThat(read).hasSizeGreaterThanOrEqualTo(4);
        assertThat(read.get(3)).contains("operation.queued");
    }

    /** Reads lines; when it has three something happens, and soon after it leaves, as a pipe that is closed. */
    private static final class Leaving extends Writer {
        private final List<String> lines;
        private final Runnable meanwhile;
        private final StringBuilder line = new StringBuilder();
        private boolean happened;

        Leaving(List<String> lines, Runnable meanwhile) {
            this.lines = lines;
            this.meanwhile = meanwhile;
        }

        @Override
        public void write(char[] text, int from, int length) {
            for (int i = from; i < from + length; i++) {
                if (text[i] == '\n') {
                    lines.add(line.toString());
                    line.setLength(0);
                } else {
                    line.append(text[i]);
                }
            }
            if (lines.size() == 3 && !happened) {
                happened = true;
                meanwhile.run();
            }
        }

        @Override
        public void flush() throws IOException {
            if (lines.size() >= 4) {
                throw new IOException("nobody reads any more");
            }
        }

        @Override
        public void close() {}
    }

    @Test
    void exportHasEveryEventInOrder() {
        List<String> lines = run("audit", "export").out().lines().toList();
        assertThat(lines).hasSize(5);
        List<Long> ids = lines.stream()
                .map(line -> JsonMapper.shared().readTree(line).get("id").asLong())
                .toList();
        assertThat(ids).isSorted().doesNotHaveDuplicates();
        assertThat(run("audit", "export", "--since", "1h").out().lines()).hasSize(5);
        assertThat(run("audit", "export", "--operation", "order").out().lines())
                .containsExactlyElementsOf(lines.stream()
                        .filter(line -> line.contains("\"operation\":\"order\""))
                        .toList())
                .isNotEmpty();
        assertThat(run("audit", "export", "--type", "system.error", "--tenant", "acme")
                        .out()
                        .lines())
                .hasSize(1);
        Shell none = run("audit", "export", "--until", "2020-01-01");
        assertThat(none.out()).isEmpty();
        assertThat(none.err()).contains("0 events were written to standard output.");
        assertThat(run("audit", "export", "--since", "2020-01-01T00:00:00Z", "--until", "1h")
                        .out())
                .isEmpty();
    }

    @Test
    void exportIsCompleteOrReportsFailure() {
        CommandLine line = Main.commandLine();
        StringWriter written = new StringWriter();
        line.setOut(new PrintWriter(new BufferedWriter(written)));
        assertThat(line.execute("audit", "export", "--store", shop.url())).isZero();
        assertThat(written.toString().lines()).hasSize(5);
        StringWriter err = new StringWriter();
        line.setOut(new PrintWriter(new Leaving(new ArrayList<>(), () -> {})));
        line.setErr(new PrintWriter(err, true));
        assertThat(line.execute("audit", "export", "--store", shop.url())).isEqualTo(1);
        assertThat(err.toString()).contains("The export failed before its end");
    }

    @Test
    void exportToAFileIsCsvOnRequest() throws IOException {
        Path file = directory.resolve("audit.csv");
        Shell shell = run("audit", "export", "--format", "csv", "--output", file.toString());
        assertThat(shell.exit()).isZero();
        assertThat(shell.out()).isEmpty();
        assertThat(shell.err()).contains("5 events were written to " + file);
        List<String> lines = Files.readAllLines(file);
        assertThat(lines).hasSize(6);
        assertThat(lines.get(0))
                .startsWith("id,time,type,tenant,operation,record,")
                .endsWith(",details");
        assertThat(lines).anyMatch(line -> line.contains("system.error") && line.contains("\"\"reason\"\":"));
        Shell again = run("audit", "export", "--output", file.toString());
        assertThat(again.exit()).isEqualTo(2);
        assertThat(again.err()).contains("Creating the file", "Use a new file name");
    }

    @Test
    void formulaTextIsEscapedInCsv() {
        run("channels", "pause", "mail", "--reason", "r", "--actor", "=HYPERLINK(\"x\")");
        assertThat(run("audit", "export", "--format", "csv").out()).contains(",\"'=HYPERLINK(\"\"x\"\")\",");
    }

    @Test
    void invalidTimesAndDurationsAreBadInput() {
        assertThat(run("audit", "export", "--since", "yesterday").exit()).isEqualTo(2);
        assertThat(run("audit", "export", "--since", "2026-13-01").err()).contains("is not a valid time");
        assertThat(run("audit", "export", "--since", "1h", "--until", "2h").err())
                .contains("Swap them");
        assertThat(run("audit", "export", "--json", "--format", "csv").exit()).isEqualTo(2);
        assertThat(run("retries", "--window", "soon").err()).contains("is not a valid duration");
        assertThat(run("retries", "--min-success-rate", "90").exit()).isEqualTo(2);
    }

    @Test
    void retriesFailBelowTheRequiredRate() {
        assertThat(run("retries", "--tenant", "other").out()).contains("Nothing failed in the last 1h.");
        shop.withLostMails(2);
        Shell shell = run("retries", "--min-success-rate", "0.9");
        assertThat(shell.exit()).isEqualTo(1);
        assertThat(shell.out())
                .containsPattern("RETRY_BRISK +\\* +7 +0 +3 +0.0 %")
                .contains("network")
                .contains("Below 0.9: RETRY_BRISK.");
        assertThat(run("retries").exit()).isZero();
        assertThat(run("retries", "--operation", "crm", "--min-success-rate", "0.9")
                        .exit())
                .isZero();
        JsonNode json = JsonMapper.shared()
                .readTree(run("retries", "--min-success-rate", "0.5", "--json").out());
        assertThat(json.get("below").get(0).asString()).isEqualTo("RETRY_BRISK");
        assertThat(json.get("policies").get(0).get("gave_up").asInt()).isEqualTo(3);
    }

    @Test
    void retriesFailAboveTheLimitPerMinute() {
        assertThat(run("retries", "--max-per-minute", "0", "--tenant", "other").out())
                .contains("Nothing was retried in the last 60 min.");
        shop.withLostMails(3);
        Shell above = run("retries", "--max-per-minute", "1");
        assertThat(above.exit()).isEqualTo(1);
        assertThat(above.out())
                .containsPattern("mail +network +6 ")
                .containsPattern("More than 1 retries per minute: mail \\(network, \\d\\)\\.");
        assertThat(run("retries", "--max-per-minute", "6").exit()).isZero();
        assertThat(run("retries", "--max-per-minute", "1", "--category", "timeout")
                        .exit())
                .isZero();
        JsonNode json = JsonMapper.shared()
                .readTree(run("retries", "--max-per-minute", "1", "--json").out());
        assertThat(json.get("above").get(0).get("operation").asString()).isEqualTo("mail");
    }

    @Test
    void retriesAdviseWithTheFigures() {
        assertThat(run("retries", "--advise").out()).contains("suggest no change");
        shop.withLostMails(7);
        assertThat(run("retries", "--advise").out())
                .contains(
                        "Retries of mail (policy RETRY_BRISK) after network never succeeded: 14 retries of 7 records");
        JsonNode json = JsonMapper.shared()
                .readTree(run("retries", "--advise", "--json").out());
        JsonNode advice = json.get("advice").get(0);
        assertThat(advice.get("setting").asString()).isEqualTo("fail-on");
        assertThat(advice.get("figures").get("retries").asInt()).isEqualTo(14);
    }

    @Test
    void retriesRejectOptionsThatConflict() {
        assertThat(run("retries", "--advise", "--max-per-minute", "1").err()).contains("Choose one");
        assertThat(run("retries", "--category", "network").err()).contains("needs --max-per-minute");
        assertThat(run("retries", "--max-per-minute", "1", "--category", "odd").err())
                .contains("There is no category 'odd'");
        assertThat(run("retries", "--max-per-minute", "-1").exit()).isEqualTo(2);
    }

    private Shell run(String... args) {
        List<String> all = new ArrayList<>(List.of(args));
        all.addAll(List.of("--store", shop.url()));
        return semel(all.toArray(String[]::new));
    }
}
