package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Answer;
import dev.semel.Failure;
import dev.semel.Reconciler;
import dev.semel.Reconciler.Verdict;
import dev.semel.engine.Engine;
import dev.semel.operator.Operator.Warrant;
import dev.semel.store.Row;
import dev.semel.store.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A process dies inside a step: the reconciler decides about that step, and the record is settled. */
abstract class InterruptedStepSuite extends EngineSuite {
    private static final Warrant WARRANT = new Warrant("ann", "restored");

    private final List<String> done = new ArrayList<>();

    InterruptedStepSuite(EngineContract contract) {
        super(contract);
    }

    private String act(String name) {
        done.add(name);
        return name;
    }

    private void leaseEnds() {
        time.advance(LEASE);
        engine.duties().sweeper().sweep();
    }

    private Answer<Receipt> refund(String key) {
        return engine.run(
                REFUND, call(key), (order, run) -> new Receipt(run.step("psp", String.class, k -> act("refunded"))));
    }

    private void reconcile() {
        engine.duties().reconciliation().reconcile();
    }

    private String stepKey(String key, String step) {
        return id(REFUND, key).step(step).downstreamKey();
    }

    @Test
    void a18_reconcilerGetsTheKeyThatTheStepHandedOver() {
        dieInside(REFUND, "k", "psp");
        List<Reconciler.Case> asked = new ArrayList<>();
        engine.reconcile(REFUND, (order, what) -> {
            asked.add(what);
            return Verdict.stillUnknown("later");
        });
        leaseEnds();
        reconcile();
        assertThat(asked).hasSize(1);
        assertThat(asked.get(0).downstreamKey()).isEqualTo(id(REFUND, "k").downstreamKey());
        Row step = store.ledger().steps(id(REFUND, "k")).get(0);
        assertThat(asked.get(0).steps())
                .containsExactly(new Reconciler.InterruptedStep(
                        "psp", stepKey("k", "psp"), step.status().fence(), 1));
        assertThat(state(REFUND, "k")).isEqualTo(State.UNKNOWN);
        assertThat(step.state()).isEqualTo(State.IN_PROGRESS);
    }

    @Test
    void a18_afterNoEffectTheNextRunStartsTheStepAgain() {
        dieInside(REFUND, "k", "psp");
        engine.reconcile(REFUND, (order, what) -> Verdict.noEffect());
        leaseEnds();
        reconcile();
        assertExecuted(refund("k"), "refunded");
        assertThat(done).containsExactly("refunded");
        reconcile();
        assertReplayed(refund("k"), "refunded");
    }

    @Test
    void a18_stepThatTookEffectIsReplayedAndItsParentContinues() {
        dieInside(REFUND, "k", "psp");
        engine.reconcile(
                REFUND, (order, what) -> what.bySteps(step -> Verdict.tookEffect("found by " + step.downstreamKey())));
        leaseEnds();
        reconcile();
        Answer<Receipt> answer = engine.run(REFUND, call("k"), (order, run) -> {
            String refunded = run.step("psp", String.class, key -> act("refunded twice"));
            run.step("note", String.class, key -> act("noted"));
            return new Receipt(refunded);
        });
        assertExecuted(answer, "found by " + stepKey("k", "psp"));
        assertThat(done).containsExactly("noted");
        assertThat(story(REFUND, "k"))
                .containsExactly("operation.unknown", "operation.reconciled", "operation.executed");
    }

    @Test
    void a18_onlyTheStepWithoutEffectIsStartedAgain() {
        dieInside(REFUND, "k", "psp");
        engine.reconcile(REFUND, (order, what) -> what.bySteps(step -> Verdict.noEffect()));
        leaseEnds();
        reconcile();
        assertThat(store.ledger().steps(id(REFUND, "k"))).isEmpty();
        assertExecuted(refund("k"), "refunded");
    }

    @Test
    void a18_runInterruptedOutsideItsStepsStaysUnknownUnlessItsReconcilerDecides() {
        abandon(REFUND, "k");
        List<Verdict<Receipt>> verdicts = new ArrayList<>();
        verdicts.add(new Verdict.BySteps<>(Map.of()));
        verdicts.add(new Verdict.BySteps<>(Map.of("psp", Verdict.noEffect())));
        engine.reconcile(
                REFUND,
                (order, what) -> verdicts.isEmpty()
                        ? what.steps().isEmpty() ? Verdict.noEffect() : Verdict.stillUnknown("a step is open")
                        : verdicts.remove(0));
        leaseEnds();
        for (int asked = 0; asked < 2; asked++) {
            reconcile();
            assertThat(state(REFUND, "k")).isEqualTo(State.UNKNOWN);
            time.advance(Duration.ofMinutes(1));
        }
        assertThat(verdicts).isEmpty();
        reconcile();
        assertExecuted(refund("k"), "refunded");
    }

    @Test
    void a18_recordStaysUnknownUntilEveryStepIsDecided() {
        dieInside(REFUND, "k", "psp");
        engine.reconcile(REFUND, (order, what) -> new Verdict.BySteps<>(Map.of("another", Verdict.noEffect())));
        leaseEnds();
        reconcile();
        assertThat(state(REFUND, "k")).isEqualTo(State.UNKNOWN);
        assertThat(store.ledger().steps(id(REFUND, "k"))).hasSize(1);
    }

    @Test
    void a18_wholeThatTookEffectIsNotRunAgain() {
        dieInside(REFUND, "k", "psp");
        engine.reconcile(REFUND, (order, what) -> Verdict.tookEffect(new Receipt("found")));
        leaseEnds();
        reconcile();
        assertReplayed(refund("k"), "found");
        assertThat(done).isEmpty();
        assertThat(store.ledger().steps(id(REFUND, "k")).get(0).state()).isEqualTo(State.COMPLETED);
    }

    @Test
    void a18_refusalThatWasFoundFailsTheRecordForGood() {
        dieInside(REFUND, "k", "psp");
        Failure declined = Failure.of(Failure.Category.BUSINESS_RULE, "The refund was declined.");
        engine.reconcile(REFUND, (order, what) -> what.bySteps(step -> Verdict.failed(declined)));
        leaseEnds();
        reconcile();
        assertThat(state(REFUND, "k")).isEqualTo(State.FAILED_TERMINAL);
        assertThat(failure(refund("k"))).isEqualTo(declined);
        assertThat(done).isEmpty();
    }

    @Test
    void a18_verdictThatCannotBeWrittenBlocksNoOther() {
        dieInside(REFUND, "bad", "psp");
        dieInside(REFUND, "good", "psp");
        engine.reconcile(
                REFUND,
                (order, what) -> what.downstreamKey().equals(id(REFUND, "bad").downstreamKey())
                        ? what.bySteps(step -> Verdict.tookEffect("x".repeat(2 << 20)))
                        : Verdict.noEffect());
        leaseEnds();
        reconcile();
        assertThat(state(REFUND, "bad")).isEqualTo(State.UNKNOWN);
        assertThat(state(REFUND, "good")).isEqualTo(State.FAILED_RETRYABLE);
    }

    @Test
    void a18_stepThatIsNotRepeatableIsNamedWhenItsParentIs() {
        dieInside(NOTIFY, "k", "pay");
        engine.reconcile(NOTIFY, (order, what) -> what.bySteps(step -> Verdict.tookEffect(step.name())));
        time.advance(LEASE);
        assertThat(pay()).isInstanceOf(Answer.Unknown.class);
        reconcile();
        assertExecuted(pay(), "pay");
        assertThat(done).isEmpty();
    }

    private Answer<Receipt> pay() {
        return engine.run(
                NOTIFY,
                call("k"),
                (order, run) -> new Receipt(run.step("pay", String.class, false, key -> act("paid"))));
    }

    @Test
    void a18_ownerThatWakesAfterTheVerdictChangesNothing() {
        Answer<Receipt> late = engine.run(
                REFUND,
                call("k"),
                (order, run) -> new Receipt(run.step("psp", String.class, key -> {
                    Engine other = otherNode();
                    other.reconcile(REFUND, (o, what) -> what.bySteps(step -> Verdict.noEffect()));
                    time.advance(LEASE);
                    other.run(REFUND, call("k"), (o, r) -> new Receipt("never"));
                    other.duties().reconciliation().reconcile();
                    return "too late";
                })));
        assertThat(late).isInstanceOf(Answer.RetryLater.class);
        assertExecuted(refund("k"), "refunded");
    }

    @Test
    void a18_personWhoReplaysItDecidesForItsStepsAsWell() {
        dieInside(REFUND, "k", "psp");
        engine.handle(REFUND, (order, run) -> new Receipt("never"));
        leaseEnds();
        engine.operator().replay(id(REFUND, "k"), WARRANT);
        assertThat(store.ledger().steps(id(REFUND, "k"))).isEmpty();
    }

    @Test
    void a18_repeatableStepDoesNotBlockItsParentAfterAnAdoption() {
        dieInside(NOTIFY, "k", "mail");
        engine.operator().adopt(WARRANT);
        engine.reconcile(NOTIFY, (order, what) -> Verdict.noEffect());
        reconcile();
        Answer<Receipt> answer = engine.run(
                NOTIFY, call("k"), (order, run) -> new Receipt(run.step("mail", String.class, key -> act("sent"))));
        assertExecuted(answer, "sent");
    }

    @Test
    void a18_adoptionCountsRunsAndNotTheirSteps() {
        dieInside(NOTIFY, "k", "mail");
        assertThat(engine.operator().adopt(WARRANT)).isEqualTo(1);
        assertThat(store.ledger().steps(id(NOTIFY, "k")).get(0).state()).isEqualTo(State.IN_PROGRESS);
    }
}
