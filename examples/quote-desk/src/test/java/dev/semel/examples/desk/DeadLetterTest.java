package dev.semel.examples.desk;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.tomakehurst.wiremock.client.WireMock;
import dev.semel.cli.Main;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.testkit.Await;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Section 6: the four rules of dead letters. */
class DeadLetterTest {
    private static Row dead(Office office) throws Exception {
        office.crm.fail("/crm/deals", 1, WireMock.jsonResponse("{\"error\":\"field segment is unknown\"}", 422));
        office.approvedQuote("Acme");
        Await.until(
                "it is dead",
                () -> office.rows(State.FAILED_TERMINAL, "crm-writeback").size() == 1);
        return office.rows(State.FAILED_TERMINAL, "crm-writeback").get(0);
    }

    private static String cli(int expected, String... args) {
        StringWriter out = new StringWriter();
        CommandLine line = Main.commandLine();
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(out, true));
        assertThat(line.execute(args)).as(out.toString()).isEqualTo(expected);
        return out.toString();
    }

    @Test
    void rule1_payloadKeyAndClassificationAreKept() throws Exception {
        try (Office office = new Office()) {
            Row dead = dead(office);
            assertThat(new String(dead.payload(), StandardCharsets.UTF_8)).contains("\"Q-1001-v1\"");
            assertThat(dead.header().key()).startsWith("act:crm:Q-1001:");
            assertThat(office.audit("crm-writeback", "system.error"))
                    .singleElement()
                    .satisfies(event -> assertThat(event.get("category")).isEqualTo("mapping"));
        }
    }

    @Test
    void rule2_auditHasASystemErrorWithTheCorrelationId() throws Exception {
        try (Office office = new Office()) {
            Row dead = dead(office);
            assertThat(office.audit("crm-writeback", "system.error"))
                    .singleElement()
                    .satisfies(event -> {
                        assertThat(event.get("correlation_id"))
                                .isEqualTo(dead.header().correlationId());
                        assertThat(event.get("record")).isEqualTo(dead.id().hex());
                    });
        }
    }

    @Test
    void rule3_userIsToldOnceWithWhatToDo() throws Exception {
        try (Office office = new Office()) {
            dead(office);
            Await.until(
                    "the user is told",
                    () -> office.workspace.button("deals", "retry").isPresent());
            assertThat(office.workspace.posts("deals"))
                    .filteredOn(post -> post.text().contains("not in the CRM"))
                    .singleElement()
                    .satisfies(post -> assertThat(post.buttons()).containsKeys("retry", "status", "cancel"));
        }
    }

    @Test
    void rule4_commandLineReplaysItOnce() throws Exception {
        try (Office office = new Office()) {
            Row dead = dead(office);
            String id = dead.id().hex();
            cli(0, "dead", "replay", id, "--store", office.url(), "--actor", "ann", "--reason", "field was added");
            Await.until("it is written", () -> office.deals.deals().containsKey("Q-1001-v1"));
            Await.until(
                    "it is completed",
                    () -> office.rows(State.COMPLETED, "crm-writeback").size() == 1);
            cli(1, "dead", "replay", id, "--store", office.url(), "--actor", "ann", "--reason", "field was added");
            assertThat(office.crm.requests("/crm/deals")).isEqualTo(2);
            assertThat(office.count("SELECT count(*) FROM crm_sync WHERE state = 'SYNCED'"))
                    .isEqualTo(1);
            assertThat(office.audit("crm-writeback", "operator.replayed")).hasSize(1);
        }
    }
}
