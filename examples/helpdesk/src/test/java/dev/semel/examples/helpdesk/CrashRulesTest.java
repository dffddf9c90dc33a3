package dev.semel.examples.helpdesk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.examples.demo.ChildProcess;
import dev.semel.examples.demo.LedgerView;
import dev.semel.examples.demo.StandIn;
import dev.semel.examples.helpdesk.demo.HelpdeskHistory;
import dev.semel.examples.helpdesk.demo.MiddlewareProcess;
import dev.semel.examples.helpdesk.demo.Tickets;
import dev.semel.examples.helpdesk.demo.Tickets.CustomerMessage;
import dev.semel.examples.helpdesk.demo.WebhookSender;
import dev.semel.testkit.Await;
import dev.semel.testkit.history.Judgement;
import dev.semel.testkit.history.Rule;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rules 1.2 and 6, when the process is halted in between. It is a process of its own, on the real clock; its history is judged. */
class CrashRulesTest {
    private static final String SECRET = "a-secret-of-the-helpdesk";

    private final Tickets tickets = new Tickets();
    private final WebhookSender sender = new WebhookSender(SECRET);
    private final HelpdeskHistory history = new HelpdeskHistory(tickets);

    @ParameterizedTest
    @EnumSource
    void rule6_crashBeforeTheMessageIsTakenFromTheInboxLosesNothing(Engine engine) throws Exception {
        assertHolds(crash(engine, "receive.before-commit", 0));
        assertThat(tickets.calls()).hasSize(3);
    }

    @ParameterizedTest
    @EnumSource
    void rule6_crashInsideTheDecisionLeavesAllOrNothingOfIt(Engine engine) throws Exception {
        assertHolds(crash(engine, "decide.before-commit", 0));
        assertThat(tickets.calls()).hasSize(3);
    }

    @ParameterizedTest
    @EnumSource
    void rule1_2_crashBeforeTheCallActsOnce(Engine engine) throws Exception {
        assertHolds(crash(engine, "act.before-call", 0));
        assertThat(tickets.calls()).hasSize(3);
    }

    @ParameterizedTest
    @EnumSource
    void rule1_2_crashBetweenTheCallAndItsRecordIsRepeatedUnderTheSameKey(Engine engine) throws Exception {
        assertHolds(crash(engine, "act.after-call", 1));
        assertThat(tickets.calls("assign"))
                .extracting(Tickets.Call::reception)
                .containsExactly(Tickets.Reception.APPLIED, Tickets.Reception.REPEATED);
    }

    /** The control: the checker is able to find what the key prevents. */
    @ParameterizedTest
    @EnumSource
    void helpdeskThatIgnoresKeysIsCalledTwiceAfterACrashAndTheCheckerFindsIt(Engine engine) throws Exception {
        tickets.ignoreKeys();
        Judgement judgement = crash(engine, "act.after-call", 1);
        assertThat(judgement.violations()).extracting(Judgement.Violation::rule).contains(Rule.R2);
        assertThat(tickets.applied()).hasSize(4);
    }

    private void assertHolds(Judgement judgement) {
        judgement.assertHolds(Rule.R1, Rule.R2, Rule.R7, Rule.R8, Rule.R9, Rule.R10);
        assertThat(tickets.applied()).hasSize(3);
    }

    /** Halts the middleware at a checkpoint, starts it again, delivers the webhook a second time, and judges the run. */
    private Judgement crash(Engine engine, String checkpoint, int appliedBefore) throws Exception {
        try (StandIn helpdesk = new StandIn(tickets)) {
            Middleware.Settings settings = new Middleware.Settings(engine.fresh(), helpdesk.uri(), SECRET);
            CustomerMessage message;
            try (ChildProcess dying = MiddlewareProcess.start(settings, checkpoint)) {
                message = tickets.write("c1", "m1", "I want a refund");
                deliver(dying, message);
                assertThat(dying.awaitEnd()).isEqualTo(ChildProcess.HALTED);
            }
            assertThat(tickets.applied()).hasSize(appliedBefore);
            try (ChildProcess next = MiddlewareProcess.start(settings, ChildProcess.NOWHERE);
                    LedgerView ledger = new LedgerView(settings.store())) {
                assertThat(deliver(next, message)).isEqualTo("duplicate");
                Await.until("nothing is left to do", ledger::isQuiet);
                return history.judge(ledger);
            }
        }
    }

    private String deliver(ChildProcess middleware, CustomerMessage message) throws Exception {
        return history.delivered(message, () -> sender.deliver(middleware.port(), message.json()));
    }
}
