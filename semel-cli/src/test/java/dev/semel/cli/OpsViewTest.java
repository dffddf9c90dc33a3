package dev.semel.cli;

import static dev.semel.cli.Shell.semel;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.State;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine.Help.Ansi;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class OpsViewTest {
    @TempDir
    private Path directory;

    private SampleShop shop;

    @BeforeEach
    void keepAShop() {
        shop = SampleShop.in(directory).withOrders().withAParkedLane();
    }

    @Test
    void listStartsWithRecordsThatNeedAPerson() {
        Shell shell = ops("list");
        assertThat(shell.err()).isEmpty();
        assertThat(shell.exit()).isZero();
        List<String> lines = shell.out().lines().toList();
        assertThat(lines.get(0)).startsWith("RECORD").contains("STATE", "OPERATION", "TENANT", "WHY");
        assertThat(lines.get(1)).contains("FAILED_TERMINAL", "crm", "mapping: The CRM knows no stage");
        assertThat(lines.get(2)).contains("FAILED_TERMINAL", "mail", "validation: \"nobody\" is not an address.");
        assertThat(lines).hasSize(7);
        assertThat(lines.get(6)).contains("COMPLETED");
    }

    @Test
    void listIsFilteredAndLimited() {
        assertThat(ops("list", "--state", "queued").out().lines()).hasSize(3);
        assertThat(ops("list", "--state", "QUEUED,COMPLETED", "--operation", "mail")
                        .out()
                        .lines())
                .hasSize(2);
        assertThat(ops("list", "--tenant", "other").out()).isEqualToIgnoringNewLines("No record matches.");
        Shell cut = ops("list", "--limit", "2");
        assertThat(cut.out().lines()).hasSize(4);
        assertThat(cut.out()).contains("... and more: raise --limit");
    }

    @Test
    void listForProgramsIsJson() {
        JsonNode list = json("list", "--state", "FAILED_TERMINAL", "--operation", "crm");
        assertThat(list).hasSize(1);
        JsonNode dead = list.get(0);
        assertThat(dead.get("id").asString()).isEqualTo(row("crm", "o-7/broken"));
        assertThat(dead.get("failure").get("category").asString()).isEqualTo("mapping");
        assertThat(dead.get("line").get("turn").asString()).isEqualTo("HEAD");
        assertThat(dead.get("line").get("lane").asString()).isEqualTo("o-7");
    }

    @Test
    void invalidStateOrLimitIsBadInput() {
        assertThat(ops("list", "--state", "BROKEN").exit()).isEqualTo(2);
        assertThat(ops("list", "--state", "BROKEN").err()).contains("FAILED_TERMINAL");
        assertThat(ops("list", "--limit", "0").exit()).isEqualTo(2);
        assertThat(ops("list", "--tenant", "").exit()).isEqualTo(2);
    }

    @Test
    void recordIsShownWithHistoryAndWithoutSecrets() {
        Shell shell = ops("show", row("mail", "o-2").substring(0, 8));
        assertThat(shell.err()).isEmpty();
        assertThat(shell.exit()).isZero();
        assertThat(shell.out())
                .contains(
                        row("mail", "o-2"),
                        "mail (tenant acme)",
                        "FAILED_TERMINAL, attempt 1",
                        "c-o-2",
                        "validation: \"nobody\" is not an address.",
                        "\"token\":\"***\"",
                        "operation.queued",
                        "system.error",
                        "category=validation")
                .doesNotContain("s3cret");
    }

    @Test
    void recordIsFoundByItsKeyToo() {
        Shell shell = ops("show", "--tenant", "acme", "--operation", "mail", "--key", "o-2", "--json");
        JsonNode shown = JsonMapper.shared().readTree(shell.out());
        assertThat(shown.get("id").asString()).isEqualTo(row("mail", "o-2"));
        assertThat(shown.get("payload").get("token").asString()).isEqualTo("***");
        assertThat(shown.get("story")).hasSize(2);
        assertThat(shell.out()).doesNotContain("s3cret");
    }

    @Test
    void missingRecordFailsTheCheck() {
        Shell byKey = ops("show", "--tenant", "acme", "--operation", "mail", "--key", "o-99");
        assertThat(byKey.exit()).isEqualTo(1);
        assertThat(byKey.err()).contains("mail (tenant acme): no record of this key.");
        Shell byId = ops("show", "0".repeat(64));
        assertThat(byId.exit()).isEqualTo(1);
        assertThat(byId.err()).contains("No record has an id that begins with 000");
    }

    @Test
    void ambiguousRecordIsBadInput() {
        for (int i = 0; i < 20; i++) {
            shop.send("more-" + i, "ann@example.com");
        }
        String twice = "0123456789abcdef"
                .chars()
                .mapToObj(digit -> String.valueOf((char) digit))
                .filter(digit -> ops("show", digit).err().contains("Ambiguous id"))
                .findFirst()
                .orElseThrow();
        assertThat(ops("show", twice).exit()).isEqualTo(2);
        assertThat(ops("show", twice).err()).contains("Give more digits.");
        assertThat(ops("show").exit()).isEqualTo(2);
        assertThat(ops("show").err()).contains("give its id, or --tenant");
        assertThat(ops("show", "xyz").exit()).isEqualTo(2);
        assertThat(ops("show", "xyz").err()).contains("\"xyz\" is not the beginning of a record id");
        assertThat(ops("show", "ab", "--tenant", "a", "--operation", "b", "--key", "c")
                        .exit())
                .isEqualTo(2);
        assertThat(ops("show", "--tenant", "acme").exit()).isEqualTo(2);
    }

    @Test
    void treeShowsStepsAndSentMessages() {
        Shell shell = ops("tree", row("order", "o-1"));
        assertThat(shell.exit()).isZero();
        assertThat(shell.out().lines()).hasSize(3);
        assertThat(shell.out()).contains("order/", "step pay  COMPLETED", "mail/");
        JsonNode tree = json("tree", row("order", "o-1"));
        assertThat(tree.get("steps").get(0).get("step").asString()).isEqualTo("pay");
        assertThat(tree.get("sent").get(0).get("id").asString()).isEqualTo(row("mail", "o-1"));
        assertThat(tree.get("sent").get(0).get("state").asString()).isEqualTo(State.COMPLETED.name());
    }

    @Test
    void explanationNamesCauseAndNextStep() {
        Shell behind = ops("explain", row("crm", "o-7/shipped"));
        assertThat(behind.exit()).isZero();
        assertThat(behind.out())
                .contains("waits in lane \"o-7\" behind its head", "is dead after 1 attempt", "head_state")
                .contains("Next step: mend the cause, then replay it; or discard it.");
        JsonNode done = json("explain", row("mail", "o-1"));
        assertThat(done.get("sentence").asString()).contains("is done");
        assertThat(done.get("facts").get("state").asString()).isEqualTo("COMPLETED");
    }

    @Test
    void coloursAreForTerminals() {
        String[] args = {"ops", "list", "--store", shop.url()};
        String coloured = Shell.run(Main.commandLine(), Ansi.ON, args).out();
        String plain = Shell.run(Main.commandLine(), Ansi.OFF, args).out();
        assertThat(coloured).contains("\u001b[31mFAILED_TERMINAL");
        assertThat(plain).doesNotContain("\u001b");
        assertThat(coloured.replaceAll("\u001b\\[[0-9;]*m", "").lines().map(line -> line.substring(0, 40)))
                .isEqualTo(plain.lines().map(line -> line.substring(0, 40)).toList());
    }

    @Test
    void everyHelpListsTheExitCodes() {
        for (String verb : List.of("list", "show", "tree", "explain", "status", "cancel", "forget")) {
            assertThat(semel("ops", verb, "--help").out()).contains("Exit codes:", "bad input or configuration");
        }
    }

    private String row(String operation, String key) {
        return shop.row(operation, key).id().hex();
    }

    private JsonNode json(String... args) {
        List<String> all = new ArrayList<>(List.of(args));
        all.add("--json");
        return JsonMapper.shared().readTree(ops(all.toArray(String[]::new)).out());
    }

    private Shell ops(String... args) {
        List<String> all = new ArrayList<>(List.of("ops"));
        all.addAll(List.of(args));
        all.addAll(List.of("--store", shop.url()));
        return semel(all.toArray(String[]::new));
    }
}
