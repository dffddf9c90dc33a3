package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.PrivatePostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Decisions are recomputed from an export alone, and a change of it is named. */
class ReplayDecisionsTest {
    @TempDir
    private Path directory;

    private Path export(SampleShop shop) {
        Path file = directory.resolve("audit.jsonl");
        shop.withOrders().withAParkedLane().withLostMails(3);
        assertThat(Shell.semel("audit", "export", "--store", shop.url(), "--output", file.toString())
                        .exit())
                .isZero();
        return file;
    }

    private void assertRecomputed(SampleShop shop) {
        Path file = export(shop);
        String all = "11 decisions recomputed, 0 differ: 3 exhausted, 2 failed, 6 retry.";
        Shell fromFile = Shell.semel("audit", "replay-decisions", "--file", file.toString());
        assertThat(fromFile.out()).isEqualToIgnoringNewLines(all);
        assertThat(fromFile.exit()).isZero();
        Shell fromStore = Shell.semel("audit", "replay-decisions", "--store", shop.url());
        assertThat(fromStore.out()).isEqualToIgnoringNewLines(all);
        assertThat(fromStore.exit()).isZero();
    }

    @Test
    void exportAndStoreAreRecomputedOnSqlite() {
        assertRecomputed(SampleShop.in(directory));
    }

    @Test
    void exportAndStoreAreRecomputedOnPostgres() {
        PrivatePostgres server = PrivatePostgres.shared();
        assertRecomputed(SampleShop.at(server.url(server.freshDatabase())));
    }

    @Test
    void changedExportExitsWithOneAndNamesEventAndRecord() throws IOException {
        Path file = export(SampleShop.in(directory));
        String changed = Files.readString(file).replaceFirst("\"delay_ms\":0", "\"delay_ms\":5000");
        Files.writeString(file, changed);
        Shell shell = Shell.semel("audit", "replay-decisions", "--file", file.toString());
        assertThat(shell.exit()).isEqualTo(1);
        assertThat(shell.out())
                .contains("11 decisions recomputed, 1 differ:")
                .containsPattern("event \\d+, record [0-9a-f]{64}: decision is stored as 'retry in 5000 ms', recomputed"
                        + " as 'retry in 0 ms'");
        JsonNode json = JsonMapper.shared()
                .readTree(Shell.semel("audit", "replay-decisions", "--file", file.toString(), "--json")
                        .out());
        assertThat(json.get("differing").asInt()).isEqualTo(1);
        assertThat(json.get("differences").get(0).get("recomputed").asString()).isEqualTo("retry in 0 ms");
    }

    @Test
    void otherPoliciesShowWhatTheyWouldDecide() throws IOException {
        Path file = export(SampleShop.in(directory));
        Path policies = Files.writeString(
                directory.resolve("policies.properties"),
                "semel.policy.brisk.extends=default\nsemel.policy.brisk.max-attempts=1\n");
        Shell shell =
                Shell.semel("audit", "replay-decisions", "--file", file.toString(), "--policies", policies.toString());
        assertThat(shell.exit()).isEqualTo(1);
        assertThat(shell.out()).contains("stored as 'retry in 0 ms', recomputed as 'exhausted'");
    }

    @Test
    void eventsWithoutInputsAreCounted() throws IOException {
        Path file = directory.resolve("old.jsonl");
        Files.write(
                file,
                List.of(
                        "{\"id\":1,\"type\":\"retry.attempt\",\"record\":\"ab\",\"attempt\":1,\"of\":3,\"delay_ms\":5}"));
        Shell shell = Shell.semel("audit", "replay-decisions", "--file", file.toString());
        assertThat(shell.exit()).isZero();
        assertThat(shell.out()).contains("0 decisions recomputed", "1 events of earlier versions");
    }

    @Test
    void unusableInputIsRejectedWithTheNextStep() throws IOException {
        Path file = Files.writeString(directory.resolve("no.jsonl"), "id,time\n");
        Shell notJson = Shell.semel("audit", "replay-decisions", "--file", file.toString());
        assertThat(notJson.exit()).isEqualTo(2);
        assertThat(notJson.err()).contains("Line 1 of", "semel audit export");
        Shell missing = Shell.semel("audit", "replay-decisions", "--file", file + ".none");
        assertThat(missing.exit()).isEqualTo(2);
        assertThat(missing.err()).contains("Reading the file");
    }
}
