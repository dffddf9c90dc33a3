package dev.semel.examples.helpdesk;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.tomakehurst.wiremock.client.WireMock;
import dev.semel.Mode;
import dev.semel.examples.helpdesk.DeskFixture.Engine;
import dev.semel.store.State;
import dev.semel.testkit.Await;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The numbered rules of the reliability document that the middleware was built after, on each store. */
class RulesTest {
    private static final String REFUND = DeskFixture.message("c1", "m1", "I want a refund");
    private static final String ACT = "helpdesk.act";

    private static void awaitDone(DeskFixture desk, int actions) {
        Await.until(
                actions + " actions are done",
                () -> desk.rows(State.COMPLETED, ACT).size() == actions);
    }

    @ParameterizedTest
    @EnumSource
    void rule1_1_duplicateEventRepliesRoutesAndTagsOnce(Engine engine) throws Exception {
        try (DeskFixture desk = new DeskFixture(engine)) {
            assertThat(desk.deliver(REFUND)).isEqualTo("accepted");
            assertThat(desk.deliver(REFUND)).isEqualTo("duplicate");
            awaitDone(desk, 3);
            assertThat(desk.deliver(REFUND)).isEqualTo("duplicate");
            assertThat(desk.calls("reply")).hasSize(1);
            assertThat(desk.calls("assign")).hasSize(1);
            assertThat(desk.calls("tag")).hasSize(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void rule1_2_operatorReplayOfADeadActionActsOnce(Engine engine) throws Exception {
        try (DeskFixture desk = new DeskFixture(engine)) {
            desk.failOnce("reply", 422, "0");
            desk.deliver(REFUND);
            Await.until(
                    "it is dead", () -> desk.rows(State.FAILED_TERMINAL, ACT).size() == 1);
            desk.replay(desk.rows(State.FAILED_TERMINAL, ACT).get(0));
            awaitDone(desk, 3);
            assertThat(desk.calls("reply")).hasSize(2);
            assertThat(desk.calls("assign")).hasSize(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void rule2_2_messageWithoutAnIdIsRecognisedByItsText(Engine engine) throws Exception {
        try (DeskFixture desk = new DeskFixture(engine)) {
            desk.deliver(DeskFixture.message("c1", "", "Where is my parcel?"));
            desk.deliver(DeskFixture.message("c1", "", "Where  is my parcel? "));
            desk.deliver(DeskFixture.message("c2", "", "Where is my parcel?"));
            awaitDone(desk, 6);
            assertThat(desk.calls("reply")).hasSize(2);
        }
    }

    @ParameterizedTest
    @EnumSource
    void rule3_1_unsignedWebhookIsRejectedAndNotStored(Engine engine) throws Exception {
        try (DeskFixture desk = new DeskFixture(engine)) {
            assertThat(desk.deliver(REFUND, "another-secret-of-16").statusCode())
                    .isEqualTo(401);
            assertThat(desk.deliver(REFUND)).isEqualTo("accepted");
        }
    }

    @ParameterizedTest
    @EnumSource
    void rule3_2_actionsCarryTheirKeys(Engine engine) throws Exception {
        try (DeskFixture desk = new DeskFixture(engine)) {
            desk.deliver(REFUND);
            awaitDone(desk, 3);
            assertThat(desk.calls("assign").get(0).getHeader("Idempotency-Key"))
                    .isEqualTo("act:rp_assign:c1:refunds:evt%3Arp%3Ac1%3Am1");
        }
    }

    @ParameterizedTest
    @EnumSource
    void rule5_1_serverErrorIsRetried(Engine engine) throws Exception {
        try (DeskFixture desk = new DeskFixture(engine)) {
            desk.failOnce("assign", 503, "0");
            desk.deliver(REFUND);
            awaitDone(desk, 3);
            assertThat(desk.calls("assign")).hasSize(2);
            assertThat(desk.middleware.handovers()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void rule5_1_rateLimitIsNotRetriedBeforeRetryAfter(Engine engine) throws Exception {
        try (DeskFixture desk = new DeskFixture(engine)) {
            desk.failOnce("assign", 429, "1800");
            desk.deliver(REFUND);
            Await.until("it waits", () -> desk.rows(State.FAILED_RETRYABLE, ACT).size() == 1);
            assertThat(desk.calls("assign")).hasSize(1);
            assertThat(desk.calls("reply")).isEmpty();
            long called = desk.calls("assign").get(0).getLoggedDate().getTime();
            assertThat(desk.rows(State.FAILED_RETRYABLE, ACT).get(0).status().at())
                    .isGreaterThanOrEqualTo(called + 1_799_000);
        }
    }

    @ParameterizedTest
    @EnumSource
    void rule5_2_rejectedActionIsNotRetriedAndIsHandedToAHuman(Engine engine) throws Exception {
        try (DeskFixture desk = new DeskFixture(engine)) {
            desk.failOnce("reply", 422, "0");
            desk.deliver(REFUND);
            Await.until(
                    "it is dead", () -> desk.rows(State.FAILED_TERMINAL, ACT).size() == 1);
            assertThat(desk.middleware.handovers()).containsExactly("c1");
            awaitDone(desk, 2);
            assertThat(desk.calls("reply")).hasSize(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void rule5_2_invalidPayloadIsNotRetriedAndIsADeadLetter(Engine engine) throws Exception {
        try (DeskFixture desk = new DeskFixture(engine)) {
            desk.deliver(DeskFixture.message("c1", "m1", ""));
            Await.until(
                    "it is dead",
                    () -> desk.rows(State.FAILED_TERMINAL, "helpdesk.inbox").size() == 1);
            assertThat(desk.calls("reply")).isEmpty();
            assertThat(desk.middleware.handovers()).containsExactly("c1");
        }
    }

    @ParameterizedTest
    @EnumSource
    void rule6_ticketWithoutTheProcessedMarkIsSentInOnce(Engine engine) throws Exception {
        try (DeskFixture desk = new DeskFixture(engine)) {
            desk.deliver(REFUND);
            awaitDone(desk, 3);
            desk.helpdesk.stubFor(WireMock.get(WireMock.urlPathEqualTo("/tickets"))
                    .willReturn(WireMock.okJson(
                            "[" + REFUND + "," + DeskFixture.message("c9", "m9", "My order is late") + "]")));
            assertThat(desk.middleware.sendMissing()).isEqualTo(1);
            awaitDone(desk, 6);
            assertThat(desk.middleware.sendMissing()).isZero();
            assertThat(desk.calls("reply")).hasSize(2);
        }
    }

    @ParameterizedTest
    @EnumSource
    void rule7_killSwitchHoldsActionsUntilItIsLifted(Engine engine) throws Exception {
        try (DeskFixture desk = new DeskFixture(engine)) {
            desk.switchSideEffects(Mode.HALTED);
            desk.deliver(REFUND);
            Await.until("it is decided", () -> desk.rows(State.QUEUED, ACT).size() == 3);
            assertThat(desk.helpdesk.getAllServeEvents()).isEmpty();
            desk.switchSideEffects(Mode.LIVE);
            awaitDone(desk, 3);
        }
    }

    @ParameterizedTest
    @EnumSource
    void rule7_shadowModeDecidesAndDoesNotAct(Engine engine) throws Exception {
        try (DeskFixture desk = new DeskFixture(engine)) {
            desk.switchSideEffects(Mode.SHADOW);
            desk.deliver(REFUND);
            Await.until(
                    "it is decided and not done",
                    () -> desk.rows(State.SHADOWED, ACT).size() == 3);
            assertThat(desk.helpdesk.getAllServeEvents()).isEmpty();
        }
    }
}
