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
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class OpsStatusTest {
    @TempDir
    private Path directory;

    private SampleShop shop;

    @BeforeEach
    void keepAShop() {
        shop = SampleShop.in(directory).withOrders().withAParkedLane();
    }

    @Test
    void statusSaysWhereARecordStandsAndWhatCanBeDone() {
        Shell shell = ops("status", id("mail", "o-2").substring(0, 8));
        assertThat(shell.err()).isEmpty();
        assertThat(shell.exit()).isZero();
        assertThat(shell.out())
                .contains(
                        "is dead after 1 attempt: validation: \"nobody\" is not an address.",
                        id("mail", "o-2"),
                        "mail (tenant acme)",
                        "FAILED_TERMINAL",
                        "c-o-2")
                .containsPattern("actions +cancel, contact")
                .doesNotContain("s3cret");
    }

    @Test
    void statusForProgramsIsJsonByIdAndByKey() {
        JsonNode byId = json("status", id("crm", "o-7/paid"));
        JsonNode byKey = json("status", "--tenant", "acme", "--operation", "crm", "--key", "o-7/paid");
        assertThat(byKey.get("id")).isEqualTo(byId.get("id"));
        assertThat(byId.get("state").asString()).isEqualTo("QUEUED");
        assertThat(byId.get("reason").asString()).contains("waits behind an earlier message of its lane");
        assertThat(byId.get("next")).hasSize(2);
        assertThat(byId.has("payload")).isFalse();
        assertThat(byId.has("key")).isFalse();
    }

    @Test
    void statusByCorrelationIdTellsTheWholeStory() {
        String correlation = shop.row("order", "o-1").header().correlationId();
        Shell shell = ops("status", "--tenant", "acme", "--correlation", correlation);
        assertThat(shell.err()).isEmpty();
        List<String> lines = shell.out().lines().toList();
        assertThat(lines).hasSize(2);
        assertThat(lines.get(0)).startsWith("COMPLETED  order/").contains("is done");
        assertThat(lines.get(1)).startsWith("  COMPLETED  mail/").contains("is done");
        JsonNode story = json("status", "--tenant", "acme", "--correlation", correlation);
        assertThat(story.get("calls").get(1).get("sent_by").asString()).isEqualTo(id("order", "o-1"));
        assertThat(story.get("cut").asBoolean()).isFalse();
    }

    @Test
    void missingRecordFailsTheCheck() {
        Shell byKey = ops("status", "--tenant", "acme", "--operation", "mail", "--key", "o-99");
        assertThat(byKey.exit()).isEqualTo(1);
        assertThat(byKey.err()).contains("mail (tenant acme): no record of this key.");
        Shell other = ops("status", "--tenant", "globex", "--correlation", "c-o-2");
        assertThat(other.exit()).isEqualTo(1);
        assertThat(other.err()).contains("Tenant globex: no record has the correlation id c-o-2.");
        assertThat(ops("status", "0".repeat(64)).exit()).isEqualTo(1);
    }

    @Test
    void incompleteOrContradictorySelectionIsBadInput() {
        assertThat(ops("status").exit()).isEqualTo(2);
        assertThat(ops("status").err()).contains("No record selected");
        assertThat(ops("status", "--correlation", "c-o-2").exit()).isEqualTo(2);
        assertThat(ops("status", "--correlation", "c-o-2").err()).contains("--correlation needs --tenant");
        assertThat(ops("status", "--tenant", "acme", "--operation", "mail").exit())
                .isEqualTo(2);
        assertThat(ops("status", "ab", "--tenant", "acme").exit()).isEqualTo(2);
        assertThat(ops("status", "ab", "--tenant", "acme", "--correlation", "c").exit())
                .isEqualTo(2);
    }

    @Test
    void messageThatWaitsIsCancelledOnceAndItsLaneContinues() {
        Shell shell = cancel(id("crm", "o-7/broken"));
        assertThat(shell.err()).isEmpty();
        assertThat(shell.exit()).isZero();
        assertThat(shell.out()).contains("crm/", "(tenant acme): cancelled; it will not be run.");
        Shell again = cancel(id("crm", "o-7/broken"));
        assertThat(again.exit()).isZero();
        assertThat(again.out()).contains("was already closed; nothing was changed.", "Cancelled: customer asked");
        shop.deliver();
        assertThat(shop.handled()).contains("paid", "shipped");
        assertThat(ops("show", id("crm", "o-7/broken")).out()).contains("operator.discarded", "ann");
    }

    @Test
    void cancellationByKeyForProgramsIsJson() {
        Shell shell = ops(
                "cancel", "--tenant", "acme", "--operation", "crm", "--key", "o-7/paid", "--reason", "why", "--json");
        JsonNode outcome = JsonMapper.shared().readTree(shell.out());
        assertThat(outcome.get("outcome").asString()).isEqualTo("cancelled");
        assertThat(outcome.get("status").get("state").asString()).isEqualTo("DISCARDED");
    }

    @Test
    void completedRecordCannotBeCancelledAndSaysWhy() {
        Shell shell = cancel(id("mail", "o-1"));
        assertThat(shell.exit()).isEqualTo(1);
        assertThat(shell.out()).isEmpty();
        assertThat(shell.err()).contains("mail/", "It cannot be cancelled: it is completed.");
        shop.withADoubtfulFax();
        Shell doubtful = cancel(id("fax", "f-1"));
        assertThat(doubtful.exit()).isEqualTo(1);
        assertThat(doubtful.err()).contains("may have taken effect");
        assertThat(shop.row("fax", "f-1").state()).isEqualTo(State.UNKNOWN);
    }

    @Test
    void cancellationWithoutAReasonIsBadInput() {
        assertThat(ops("cancel", id("crm", "o-7/paid")).exit()).isEqualTo(2);
        assertThat(ops("cancel", id("crm", "o-7/paid"), "--reason", " ").exit()).isEqualTo(2);
        assertThat(shop.row("crm", "o-7/paid").state()).isEqualTo(State.QUEUED);
    }

    private Shell cancel(String id) {
        return ops("cancel", id, "--reason", "customer asked", "--actor", "ann");
    }

    private String id(String operation, String key) {
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
