package dev.semel.examples.helpdesk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Key;
import dev.semel.Mode;
import dev.semel.Tenant;
import dev.semel.examples.helpdesk.demo.Tickets.CustomerMessage;
import dev.semel.examples.helpdesk.demo.WebhookSender;
import dev.semel.operator.Operator;
import dev.semel.store.State;
import dev.semel.testkit.Await;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.json.JsonMapper;

/** Rules 1 to 4: which events are the same, where that is enforced, and the order within a conversation. */
class EventRulesTest {
    private static final String INBOX = "helpdesk.inbox";

    @ParameterizedTest
    @EnumSource
    void rule1_1_duplicateEventRepliesRoutesAndTagsOnce(Engine engine) throws Exception {
        try (DeskFixture desk = new DeskFixture(engine)) {
            CustomerMessage message = desk.receive("c1", "m1", "I want a refund");
            assertThat(desk.deliver(message, message.json())).isEqualTo("duplicate");
            desk.awaitDone(3);
            assertThat(desk.deliver(message, message.json())).isEqualTo("duplicate");
            desk.assertHistoryHolds();
            assertThat(desk.applied("reply")).hasSize(1);
            assertThat(desk.applied("assign")).hasSize(1);
            assertThat(desk.applied("tag")).hasSize(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void rule1_2_internalRetriesAndRateLimitsHaveOneEffect(Engine engine) throws Exception {
        try (DeskFixture desk = new DeskFixture(engine)) {
            desk.tickets.fail("assign", "c1", DeskFixture.status(503));
            desk.tickets.fail("assign", "c1", DeskFixture.retryAfter(429, "30"));
            desk.tickets.loseAnswer("reply", "c1");
            desk.receive("c1", "m1", "I want a refund");
            desk.awaitDone(3);
            desk.assertHistoryHolds();
            assertThat(desk.tickets.calls("assign")).hasSize(3);
            assertThat(desk.tickets.calls("reply")).hasSize(2);
            assertThat(desk.tickets.applied()).hasSize(3);
        }
    }

    @ParameterizedTest
    @EnumSource
    void rule1_2_operatorReplayOfADeadActionActsOnce(Engine engine) throws Exception {
        try (DeskFixture desk = new DeskFixture(engine)) {
            desk.tickets.fail("reply", "c1", DeskFixture.status(422));
            desk.receive("c1", "m1", "I want a refund");
            Operator operator = desk.ledger.operator();
            operator.replay(desk.awaitDead(DeskFixture.ACT, 1).get(0).id(), DeskFixture.ANN);
            desk.awaitDone(3);
            desk.assertHistoryHolds();
            assertThat(desk.tickets.calls("reply")).hasSize(2);
            assertThat(desk.tickets.applied()).hasSize(3);
        }
    }

    @ParameterizedTest
    @EnumSource
    void rule1_3_severalRulesOfTheHelpdeskForOneMessageActOnce(Engine engine) throws Exception {
        try (DeskFixture desk = new DeskFixture(engine)) {
            CustomerMessage message = desk.tickets.write("c1", "m1", "I want a refund");
            assertThat(desk.deliver(message, message.json("all-messages"))).isEqualTo("accepted");
            assertThat(desk.deliver(message, message.json("vip-customers"))).isEqualTo("duplicate");
            desk.awaitDone(3);
            assertThat(desk.deliver(message, message.json("refund-words"))).isEqualTo("duplicate");
            desk.assertHistoryHolds();
            assertThat(desk.tickets.calls()).hasSize(3);
        }
    }

    @Test
    void rule2_1_eventIsRecognisedByConversationAndMessage() {
        TicketEvent event =
                TicketEvent.of(JsonMapper.shared().readTree(new CustomerMessage("c1", "m1", "I want a refund").json()));
        assertThat(event.key().text()).isEqualTo("evt:rp:c1:m1");
    }

    @ParameterizedTest
    @EnumSource
    void rule2_1_sameTextInAnotherMessageIsAnotherEvent(Engine engine) throws Exception {
        try (DeskFixture desk = new DeskFixture(engine)) {
            desk.receive("c1", "m1", "Hello?");
            desk.receive("c1", "m2", "Hello?");
            desk.awaitDone(6);
            desk.assertHistoryHolds();
            assertThat(desk.applied("reply")).containsExactly("c1", "c1");
        }
    }

    @ParameterizedTest
    @EnumSource
    void rule2_2_messageWithoutAnIdIsRecognisedByItsTextWithinABucket(Engine engine) throws Exception {
        try (DeskFixture desk = new DeskFixture(engine)) {
            send(desk, new CustomerMessage("c1", "", "Where is my parcel?"));
            send(desk, new CustomerMessage("c1", "", "Where  is my parcel? "));
            send(desk, new CustomerMessage("c2", "", "Where is my parcel?"));
            desk.awaitDone(6);
            assertThat(desk.applied("reply")).containsExactlyInAnyOrder("c1", "c2");
            // The helpdesk's clock tells a second message with the same words from a late delivery of the first.
            desk.clock.advance(Duration.ofMinutes(10));
            send(desk, new CustomerMessage("c1", "", "Where is my parcel?"));
            Await.until("it is received", desk.ledger::isQuiet);
            assertThat(desk.applied("reply")).hasSize(2);
            desk.clock.advance(Duration.ofMinutes(10));
            CustomerMessage again = new CustomerMessage("c1", "", "Where is my parcel?");
            desk.sender.deliver(desk.middleware().port(), again.json("created_at", "2026-01-02T03:14:05Z"));
            desk.awaitDone(9);
        }
    }

    private static void send(DeskFixture desk, CustomerMessage message) throws Exception {
        desk.sender.deliver(desk.middleware().port(), message.json());
    }

    @ParameterizedTest
    @EnumSource
    void rule3_1_unsignedWebhookIsRejectedAndNotStored(Engine engine) throws Exception {
        try (DeskFixture desk = new DeskFixture(engine)) {
            CustomerMessage message = desk.tickets.write("c1", "m1", "I want a refund");
            WebhookSender stranger = new WebhookSender("another-secret-of-16");
            assertThat(stranger.send(desk.middleware().port(), message.json()).statusCode())
                    .isEqualTo(401);
            for (State state : State.values()) {
                assertThat(desk.ledger.rows(state, INBOX)).isEmpty();
            }
            assertThat(desk.deliver(message, message.json())).isEqualTo("accepted");
        }
    }

    @ParameterizedTest
    @EnumSource
    void rule3_1_webhookThatIsNotJsonIsRejectedAndNotStored(Engine engine) throws Exception {
        try (DeskFixture desk = new DeskFixture(engine)) {
            int port = desk.middleware().port();
            assertThat(desk.sender.send(port, "not JSON").statusCode()).isEqualTo(400);
            for (State state : State.values()) {
                assertThat(desk.ledger.rows(state, INBOX)).isEmpty();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void rule3_1_webhookIsDurableBeforeItIsAcknowledgedAndADuplicateIsNotEnqueued(Engine engine) throws Exception {
        try (DeskFixture desk = new DeskFixture(engine)) {
            desk.switchSideEffects(Mode.HALTED);
            CustomerMessage message = desk.receive("c1", "m1", "I want a refund");
            // Acknowledged although nothing can be done about it now.
            assertThat(desk.deliver(message, message.json())).isEqualTo("duplicate");
            desk.await(State.QUEUED, DeskFixture.ACT, 3);
            assertThat(desk.await(State.COMPLETED, INBOX, 1)).hasSize(1);
            assertThat(desk.tickets.calls()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void rule3_2_actionsCarryTheirKeys(Engine engine) throws Exception {
        try (DeskFixture desk = new DeskFixture(engine)) {
            desk.receive("c1", "m1", "I want a refund");
            desk.awaitDone(3);
            assertThat(desk.tickets.calls())
                    .extracting(call -> call.key())
                    .containsExactly(
                            "act:rp_assign:c1:refunds:evt%3Arp%3Ac1%3Am1",
                            "act:rp_reply:c1:*:evt%3Arp%3Ac1%3Am1", "act:rp_tag:c1:mw-processed:evt%3Arp%3Ac1%3Am1");
        }
    }

    @ParameterizedTest
    @EnumSource
    void rule3_2_eventThatIsProcessedAgainRepeatsNoAction(Engine engine) throws Exception {
        try (DeskFixture desk = new DeskFixture(engine)) {
            CustomerMessage message = desk.receive("c1", "m1", "I want a refund");
            desk.awaitDone(3);
            // Both records of the event are forgotten, so that it is decided a second time.
            Operator operator = desk.ledger.operator();
            for (String channel : List.of(INBOX, "helpdesk.decide")) {
                Key key = Key.of(desk.ledger
                        .rows(State.COMPLETED, channel)
                        .get(0)
                        .header()
                        .key());
                assertThat(operator.forget(Tenant.SINGLE, channel, key, DeskFixture.ANN))
                        .isEqualTo(Operator.Forgotten.DONE);
            }
            desk.sender.deliver(desk.middleware().port(), message.json());
            Await.until("it is decided again", desk.ledger::isQuiet);
            assertThat(desk.ledger.audit("helpdesk.decide", "operation.executed"))
                    .hasSize(2);
            assertThat(desk.tickets.calls()).hasSize(3);
        }
    }

    @ParameterizedTest
    @EnumSource
    void rule4_1_actionsOfAConversationKeepTheOrderOfItsMessagesThroughRetries(Engine engine) throws Exception {
        try (DeskFixture desk = new DeskFixture(engine)) {
            desk.tickets.fail("assign", "c1", DeskFixture.status(503));
            desk.tickets.fail("reply", "c1", DeskFixture.retryAfter(429, "60"));
            desk.tickets.fail("tag", "c2", DeskFixture.status(500));
            for (int i = 1; i <= 4; i++) {
                desk.receive("c1", "m" + i, i % 2 == 0 ? "I want a refund" : "Where is my parcel?");
                desk.receive("c2", "m" + i, "Hello?");
            }
            desk.awaitDone(24);
            desk.assertHistoryHolds();
            List<String> teams = desk.tickets.applied().stream()
                    .filter(call ->
                            call.kind().equals("assign") && call.conversation().equals("c1"))
                    .map(call -> call.target())
                    .toList();
            assertThat(teams).containsExactly("shipping", "refunds", "shipping", "refunds");
        }
    }

    @ParameterizedTest
    @EnumSource
    void rule4_1_conversationThatWaitsHoldsUpNoOther(Engine engine) throws Exception {
        try (DeskFixture desk = new DeskFixture(engine)) {
            desk.tickets.fail("assign", "c1", DeskFixture.retryAfter(429, "1800"));
            desk.receive("c1", "m1", "I want a refund");
            desk.await(State.FAILED_RETRYABLE, DeskFixture.ACT, 1);
            desk.receive("c1", "m2", "Hello?");
            desk.receive("c2", "m1", "Hello?");
            desk.await(State.COMPLETED, DeskFixture.ACT, 3);
            assertThat(desk.applied("reply")).containsExactly("c2");
            desk.awaitDone(9);
            desk.assertHistoryHolds();
        }
    }

    @ParameterizedTest
    @EnumSource
    void rule4_2_duplicateIsRecognisedLongAfterTheWindowOfAQueue(Engine engine) throws Exception {
        try (DeskFixture desk = new DeskFixture(engine)) {
            CustomerMessage message = desk.receive("c1", "m1", "I want a refund");
            desk.awaitDone(3);
            for (Duration later :
                    List.of(Duration.ofMinutes(6), Duration.ofHours(1), Duration.ofDays(3), Duration.ofDays(25))) {
                desk.clock.advance(later);
                assertThat(desk.deliver(message, message.json()))
                        .as("after %s", later)
                        .isEqualTo("duplicate");
            }
            desk.assertHistoryHolds();
            assertThat(desk.tickets.calls()).hasSize(3);
        }
    }
}
