package dev.semel.examples.helpdesk;

import static dev.semel.examples.helpdesk.DeskFixture.ACT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Mode;
import dev.semel.examples.helpdesk.demo.Tickets.CustomerMessage;
import dev.semel.store.Row;
import dev.semel.store.State;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rules 6 and 7: no message is lost, and people can stop the middleware or let it decide only. */
class OperationRulesTest {
    @ParameterizedTest
    @EnumSource
    void rule6_ticketWithoutTheProcessedMarkIsSentInOnce(Engine engine) throws Exception {
        try (DeskFixture desk = new DeskFixture(engine)) {
            desk.receive("c1", "m1", "I want a refund");
            desk.awaitDone(3);
            // Its webhook never came; that of c1 came and is done.
            desk.tickets.write("c9", "m9", "My order is late");
            assertThat(desk.middleware().sendMissing()).isEqualTo(1);
            assertThat(desk.middleware().sendMissing()).isZero();
            desk.awaitDone(6);
            assertThat(desk.middleware().sendMissing()).isZero();
            desk.assertHistoryHolds();
            assertThat(desk.applied("reply")).containsExactly("c1", "c9");
        }
    }

    @ParameterizedTest
    @EnumSource
    void rule6_webhookThatComesAfterItsTicketWasFetchedIsNotDoneAgain(Engine engine) throws Exception {
        try (DeskFixture desk = new DeskFixture(engine)) {
            CustomerMessage message = desk.tickets.write("c1", "m1", "I want a refund");
            assertThat(desk.middleware().sendMissing()).isEqualTo(1);
            desk.awaitDone(3);
            assertThat(desk.deliver(message, message.json())).isEqualTo("accepted");
            desk.assertHistoryHolds();
            assertThat(desk.tickets.calls()).hasSize(3);
        }
    }

    @ParameterizedTest
    @EnumSource
    void rule6_ticketThatCannotBeReadIsHandedToAHumanAndHoldsUpNoOther(Engine engine) throws Exception {
        try (DeskFixture desk = new DeskFixture(engine)) {
            desk.tickets.write("c1", "", "");
            desk.tickets.write("c2", "m2", "Hello?");
            assertThat(desk.middleware().sendMissing()).isEqualTo(1);
            assertThat(desk.middleware().sendMissing()).isZero();
            desk.awaitDone(3);
            assertThat(desk.middleware().handovers()).containsExactly("c1");
        }
    }

    @ParameterizedTest
    @EnumSource
    void rule6_messageAcceptedBeforeADeploymentIsFinishedAfterIt(Engine engine) throws Exception {
        try (DeskFixture desk = new DeskFixture(engine)) {
            desk.tickets.fail("assign", "c1", DeskFixture.retryAfter(503, "120"));
            CustomerMessage message = desk.receive("c1", "m1", "I want a refund");
            desk.await(State.FAILED_RETRYABLE, ACT, 1);
            desk.redeploy();
            assertThat(desk.deliver(message, message.json())).isEqualTo("duplicate");
            desk.awaitDone(3);
            desk.assertHistoryHolds();
            assertThat(desk.tickets.applied()).hasSize(3);
        }
    }

    @ParameterizedTest
    @EnumSource
    void rule6_helpdeskThatIsUnavailableForAWhileGetsEverythingLater(Engine engine) throws Exception {
        try (DeskFixture desk = new DeskFixture(engine)) {
            for (int i = 1; i <= 5; i++) {
                desk.tickets.fail("assign", "c" + i, DeskFixture.status(503));
                desk.tickets.fail("assign", "c" + i, DeskFixture.status(502));
                desk.receive("c" + i, "m1", "Hello?");
            }
            desk.awaitDone(15);
            desk.assertHistoryHolds();
            assertThat(desk.applied("reply")).hasSize(5).doesNotHaveDuplicates();
        }
    }

    @ParameterizedTest
    @EnumSource
    void rule7_killSwitchHoldsActionsUntilItIsLifted(Engine engine) throws Exception {
        try (DeskFixture desk = new DeskFixture(engine)) {
            desk.switchSideEffects(Mode.HALTED);
            desk.receive("c1", "m1", "I want a refund");
            desk.await(State.QUEUED, ACT, 3);
            desk.redeploy();
            assertThat(desk.tickets.calls()).as("also after a restart").isEmpty();
            desk.switchSideEffects(Mode.LIVE);
            desk.awaitDone(3);
            desk.assertHistoryHolds();
        }
    }

    @ParameterizedTest
    @EnumSource
    void rule7_shadowModeDecidesAndDoesNotAct(Engine engine) throws Exception {
        try (DeskFixture desk = new DeskFixture(engine)) {
            desk.switchSideEffects(Mode.SHADOW);
            desk.receive("c1", "m1", "I want a refund");
            List<Row> decided = desk.await(State.SHADOWED, ACT, 3);
            assertThat(decided)
                    .extracting(row -> new String(Objects.requireNonNull(row.payload()), StandardCharsets.UTF_8))
                    .anyMatch(payload -> payload.contains("refunds"));
            assertThat(desk.tickets.calls()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void rule7_whatShadowModeHeldBackIsDoneOnceWhenAnOperatorReplaysIt(Engine engine) throws Exception {
        try (DeskFixture desk = new DeskFixture(engine)) {
            desk.switchSideEffects(Mode.SHADOW);
            desk.receive("c1", "m1", "I want a refund");
            List<Row> decided = desk.await(State.SHADOWED, ACT, 3);
            desk.switchSideEffects(Mode.LIVE);
            for (Row row : decided) {
                desk.ledger.operator().replay(row.id(), DeskFixture.ANN);
                desk.ledger.operator().replay(row.id(), DeskFixture.ANN);
            }
            desk.awaitDone(3);
            desk.assertHistoryOfReplaysHolds();
            assertThat(desk.tickets.applied()).hasSize(3);
        }
    }
}
