package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Failure;
import dev.semel.Mode;
import dev.semel.Operation;
import dev.semel.engine.Engine;
import dev.semel.execution.ExternalRuns.BeginTerms;
import dev.semel.execution.ExternalRuns.ExternalBegin.RunGranted;
import dev.semel.execution.ExternalRuns.RunHandle;
import dev.semel.execution.ExternalSteps.StepBegin;
import dev.semel.execution.ExternalSteps.StepBegin.RunNotHeld;
import dev.semel.execution.ExternalSteps.StepBegin.StepForbidden;
import dev.semel.execution.ExternalSteps.StepBegin.StepGranted;
import dev.semel.execution.ExternalSteps.StepBegin.StepReplayed;
import dev.semel.execution.ExternalSteps.StepBegin.StepUnknown;
import dev.semel.execution.ExternalSteps.StepTerms;
import dev.semel.operator.Operator.Warrant;
import dev.semel.store.State;
import dev.semel.store.Switchboard;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Steps of runs whose handlers are outside this process. */
abstract class ExternalStepSuite extends EngineSuite {
    private static final Duration TEN_SECONDS = Duration.ofSeconds(10);
    private static final Operation.TypeRef<Receipt> RECEIPT = Operation.TypeRef.of(Receipt.class);
    private static final StepTerms ONCE = new StepTerms(false, null);
    private static final StepTerms REPEATABLE = new StepTerms(true, null);

    ExternalStepSuite(EngineContract contract) {
        super(contract);
    }

    private RunHandle run(Operation.Leased<Order, Receipt> operation) {
        BeginTerms terms = new BeginTerms(TEN_SECONDS, null);
        return ((RunGranted<Receipt>) engine.externalRuns().begin(operation, call("k"), terms)).run();
    }

    private StepBegin<Receipt> begin(RunHandle run, String step, StepTerms terms) {
        return begin(engine, run, step, terms);
    }

    private static StepBegin<Receipt> begin(Engine on, RunHandle run, String step, StepTerms terms) {
        return on.externalRuns().steps().begin(NOTIFY, run, step, RECEIPT, terms);
    }

    private long granted(RunHandle run, String step, StepTerms terms) {
        return ((StepGranted<Receipt>) begin(run, step, terms)).fence();
    }

    private boolean finish(RunHandle run, String step, long fence, String receipt) {
        return engine.externalRuns().steps().finish(NOTIFY, run, step, fence, RECEIPT, new Receipt(receipt));
    }

    private boolean fail(RunHandle run, String step, long fence, Failure.Category category) {
        return engine.externalRuns().steps().fail(NOTIFY, run, step, fence, Failure.of(category, "simulated"), false);
    }

    @Test
    void finishedStepIsReplayedByTheNextRunOnAnotherNode() {
        RunHandle first = run(NOTIFY);
        StepGranted<Receipt> step = (StepGranted<Receipt>) begin(first, "pay", ONCE);
        assertThat(step.downstreamKey()).isEqualTo(id(NOTIFY, "k").step("pay").downstreamKey());
        assertThat(finish(first, "pay", step.fence(), "r")).isTrue();
        assertThat(finish(first, "pay", step.fence(), "r")).isTrue();
        time.advance(TEN_SECONDS);
        RunHandle second = run(NOTIFY);
        assertThat(begin(otherNode(), second, "pay", ONCE)).isEqualTo(new StepReplayed<>(new Receipt("r")));
        assertThat(begin(second, "mail", ONCE)).isInstanceOf(StepGranted.class);
    }

    @Test
    void runThatLostItsLeaseCanNeitherBeginNorFinishAStep() {
        RunHandle old = run(NOTIFY);
        long fence = granted(old, "pay", REPEATABLE);
        time.advance(TEN_SECONDS);
        RunHandle next = run(NOTIFY);
        long newer = granted(next, "pay", REPEATABLE);
        assertThat(newer).isGreaterThan(fence);
        assertThat(begin(old, "mail", ONCE)).isEqualTo(new RunNotHeld<>());
        assertThat(finish(old, "pay", fence, "old")).isFalse();
        assertThat(finish(next, "pay", fence, "old")).isFalse();
        assertThat(finish(next, "pay", newer, "new")).isTrue();
        assertThat(begin(next, "pay", REPEATABLE)).isEqualTo(new StepReplayed<>(new Receipt("new")));
    }

    @Test
    void interruptedStepThatMayNotBeRepeatedMakesItsRunUnknown() {
        granted(run(NOTIFY), "pay", ONCE);
        time.advance(TEN_SECONDS);
        assertThat(begin(run(NOTIFY), "pay", ONCE)).isEqualTo(new StepUnknown<>());
        assertThat(state(NOTIFY, "k")).isEqualTo(State.UNKNOWN);
    }

    @Test
    void stepThatFailedWithoutEffectIsStartedAgainAndAnUncertainOneIsNot() {
        RunHandle run = run(NOTIFY);
        assertThat(fail(run, "pay", granted(run, "pay", ONCE), Failure.Category.VALIDATION))
                .isTrue();
        long again = granted(run, "pay", ONCE);
        assertThat(fail(run, "pay", again, Failure.Category.TIMEOUT)).isTrue();
        assertThat(begin(run, "pay", ONCE)).isEqualTo(new StepUnknown<>());
    }

    @Test
    void beginThatIsRepeatedUnderItsOwnIdIsGivenTheSameGrant() {
        RunHandle run = run(NOTIFY);
        StepTerms mine = new StepTerms(false, "b-1");
        StepBegin<Receipt> first = begin(run, "pay", mine);
        assertThat(begin(otherNode(), run, "pay", mine)).isEqualTo(first);
    }

    @Test
    void haltedOperationStartsNoStep() {
        RunHandle run = run(NOTIFY);
        engine.operator()
                .setMode(new Switchboard.Setting(null, NOTIFY.name(), Mode.HALTED), new Warrant("operator", "test"));
        assertThat(begin(run, "pay", ONCE)).isEqualTo(new StepForbidden<>(false));
        engine.operator()
                .setMode(new Switchboard.Setting(null, NOTIFY.name(), Mode.LIVE), new Warrant("operator", "test"));
        assertThat(begin(run, "pay", ONCE)).isInstanceOf(StepGranted.class);
    }
}
