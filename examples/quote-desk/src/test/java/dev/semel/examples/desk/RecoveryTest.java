package dev.semel.examples.desk;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.tomakehurst.wiremock.client.WireMock;
import dev.semel.examples.desk.demo.SlackWorkspace.Post;
import dev.semel.store.State;
import dev.semel.testkit.Await;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Section 7: what users see of failures, what they can do, and what the audit keeps. */
class RecoveryTest {
    /** An office whose prices fail so many times. */
    private static Office failing(int times) throws Exception {
        AtomicInteger left = new AtomicInteger(times);
        return new Office(options -> options.withCheckpoint(point -> {
            if (point.equals("price.before-commit") && left.getAndDecrement() > 0) {
                throw new IllegalStateException("simulated");
            }
        }));
    }

    private static Post pending(Office office) throws Exception {
        office.send(office.ada, office.ada.command("t1", "new Acme 25 Pro 20%"));
        Await.until("the card is shown", () -> office.shows("deals", "draft"));
        office.send(office.ada, office.ada.command("t2", "price Q-1001"));
        Await.until("the user is told", () -> office.shows("deals", "Operation pending retry"));
        return office.workspace.posts("deals").stream()
                .filter(post -> post.text().startsWith("Operation pending retry"))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void section7_1_recoverableFailureShowsReferenceAndActions() throws Exception {
        try (Office office = failing(1)) {
            Post shown = pending(office);
            String correlation = (String)
                    office.audit("quote.price", "retry.exhausted").get(0).get("correlation_id");
            assertThat(shown.text()).contains("(ref " + correlation + ")");
            assertThat(shown.buttons()).containsKeys("retry", "status", "cancel");
            office.retryUntil("slack-inbox", () -> office.shows("deals", "| priced |"));
            assertThat(office.count("SELECT count(*) FROM price")).isEqualTo(1);
            assertThat(office.workspace.posts("deals"))
                    .filteredOn(post -> post.text().startsWith("Operation pending retry"))
                    .hasSize(1);
        }
    }

    @Test
    void section7_1_terminalFailureShowsReasonAndFallback() throws Exception {
        try (Office office = new Office()) {
            office.send(office.ada, office.ada.command("t1", "new Acme 25 Pro"));
            Await.until("the card is shown", () -> office.shows("deals", "draft"));
            office.send(office.ada, office.ada.command("t2", "route Q-1001"));
            Await.until("the user is told", () -> office.shows("deals", "Not done: Q-1001 is draft"));
            assertThat(office.shows("deals", "Try `/quote status Q-1001`, or contact the deal desk."))
                    .isTrue();
        }
    }

    @Test
    void section7_1_secondApprovalIsToldThatItWasProcessed() throws Exception {
        try (Office office = new Office()) {
            office.send(office.ada, office.ada.command("t1", "new Acme 25 Pro 20%"));
            Await.until("the card is shown", () -> office.shows("deals", "draft"));
            office.send(office.ada, office.ada.command("t2", "price Q-1001"));
            Await.until("it is priced", () -> office.shows("deals", "priced"));
            office.send(office.ada, office.ada.command("t3", "route Q-1001"));
            Await.until(
                    "it is asked for",
                    () -> office.workspace.button("deal-desk", "approve").isPresent());
            String approval = office.workspace.button("deal-desk", "approve").orElseThrow();
            office.send(office.bob, office.bob.press("t4", "approve", approval));
            Await.until("it is approved", () -> office.shows("deals", "approved"));
            office.send(office.bob, office.bob.press("t5", "reject", approval));
            Await.until(
                    "bob is told", () -> office.shows("deal-desk", "Not done: This approval was already processed."));
            assertThat(office.count("SELECT count(*) FROM quote WHERE state = 'APPROVED'"))
                    .isEqualTo(1);
        }
    }

    @Test
    void section7_1_retryButtonRunsTheOperationOnce() throws Exception {
        try (Office office = failing(1)) {
            Post shown = pending(office);
            office.time.advance(java.time.Duration.ofSeconds(5));
            office.send(
                    office.ada, office.ada.press("t3", "retry", shown.buttons().get("retry")));
            Await.until("it is priced", () -> office.shows("deals", "| priced |"));
            office.retryUntil("slack-inbox", () -> office.shows("deals", "Done."));
            office.retryUntil(
                    "slack-inbox",
                    () -> office.rows(State.COMPLETED, "slack-inbox").size() == 3);
            assertThat(office.count("SELECT count(*) FROM price")).isEqualTo(1);
        }
    }

    @Test
    void section7_1_statusAndCancelButtonsAct() throws Exception {
        try (Office office = failing(100)) {
            Post shown = pending(office);
            office.send(
                    office.ada, office.ada.press("t3", "status", shown.buttons().get("status")));
            Await.until("ada is told", () -> office.shows("deals", "quote.price: "));
            office.send(
                    office.ada, office.ada.press("t4", "cancel", shown.buttons().get("cancel")));
            Await.until(
                    "it is cancelled",
                    () -> office.rows(State.DISCARDED, "quote.price").size() == 1);
            assertThat(office.audit("quote.price", "operator.discarded"))
                    .singleElement()
                    .satisfies(event -> assertThat(event.get("actor")).isEqualTo("ada"));
            office.retryUntil(
                    "slack-inbox",
                    () -> office.rows(State.COMPLETED, "slack-inbox").size() == 4);
            assertThat(office.count("SELECT count(*) FROM price")).isZero();
        }
    }

    @Test
    void section7_1_retryButtonReplaysADeadLetter() throws Exception {
        try (Office office = new Office()) {
            office.crm.fail("/crm/deals", 1, WireMock.aResponse().withStatus(422));
            office.approvedQuote("Acme");
            Await.until(
                    "the user is told",
                    () -> office.workspace.button("deals", "retry").isPresent());
            String record = office.workspace.button("deals", "retry").orElseThrow();
            office.send(office.ada, office.ada.press("t9", "retry", record));
            Await.until("it is written", () -> office.deals.deals().containsKey("Q-1001-v1"));
            Await.until("ada is told", () -> office.shows("deals", "It is being tried again."));
        }
    }

    @Test
    void section7_2_recoveryEventsHaveAllFields() throws Exception {
        try (Office office = new Office()) {
            office.crm.fail("/crm/deals", 100, WireMock.aResponse().withStatus(503));
            office.approvedQuote("Acme");
            office.retryUntil(
                    "crm-writeback",
                    () -> !office.rows(State.FAILED_TERMINAL, "crm-writeback").isEmpty());
            List<Map<String, Object>> events = office.audit("crm-writeback").stream()
                    .filter(event -> List.of("retry.attempt", "retry.exhausted", "system.error")
                            .contains(event.get("type")))
                    .toList();
            assertThat(events).hasSize(8).allSatisfy(event -> {
                assertThat(event).containsKeys("key_hash", "correlation_id", "attempt", "recovery_action");
                assertThat(event.get("category")).isEqualTo("upstream_error");
                assertThat(event.get("actor")).isEqualTo("ada");
                assertThat(event.get("actor_type")).isEqualTo("user");
            });
            assertThat(events)
                    .extracting(event -> event.get("correlation_id"))
                    .containsOnly(events.get(0).get("correlation_id"));
        }
    }
}
