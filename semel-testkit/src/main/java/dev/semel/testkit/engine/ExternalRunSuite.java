package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.Mode;
import dev.semel.Operation;
import dev.semel.Tenant;
import dev.semel.engine.Engine;
import dev.semel.execution.ExternalRuns.BeginTerms;
import dev.semel.execution.ExternalRuns.ExternalBegin;
import dev.semel.execution.ExternalRuns.ExternalBegin.RunAnswered;
import dev.semel.execution.ExternalRuns.ExternalBegin.RunGranted;
import dev.semel.execution.ExternalRuns.ExternalEnd;
import dev.semel.execution.ExternalRuns.ExternalEnd.EndRecorded;
import dev.semel.execution.ExternalRuns.ExternalEnd.EndedOtherwise;
import dev.semel.execution.ExternalRuns.ExternalEnd.FailureRecorded;
import dev.semel.execution.ExternalRuns.ExternalEnd.NotHeld;
import dev.semel.execution.ExternalRuns.RunHandle;
import dev.semel.operator.Operator.Warrant;
import dev.semel.store.State;
import dev.semel.store.Switchboard;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Runs whose handlers are outside this process: any node renews and ends them by record and fence. */
abstract class ExternalRunSuite extends EngineSuite {
    private static final Duration TEN_SECONDS = Duration.ofSeconds(10);

    ExternalRunSuite(EngineContract contract) {
        super(contract);
    }

    private static ExternalBegin<Receipt> begin(Engine on, Operation.Leased<Order, Receipt> operation, String key) {
        return on.externalRuns().begin(operation, call(key), new BeginTerms(TEN_SECONDS, null));
    }

    private RunGranted<Receipt> granted(Operation.Leased<Order, Receipt> operation, String key) {
        return (RunGranted<Receipt>) begin(engine, operation, key);
    }

    private Answer<Receipt> answered(Operation.Leased<Order, Receipt> operation, String key) {
        return ((RunAnswered<Receipt>) begin(engine, operation, key)).answer();
    }

    private ExternalEnd<Receipt> finish(RunGranted<Receipt> run, String receipt) {
        return engine.externalRuns().finish(REFUND, run.run(), new Receipt(receipt));
    }

    private Answer<Receipt> failed(
            Operation.Leased<Order, Receipt> operation,
            RunGranted<Receipt> run,
            Failure.Category category,
            @Nullable Boolean retryable) {
        ExternalEnd<Receipt> end =
                engine.externalRuns().fail(operation, run.run(), Failure.of(category, "simulated"), retryable);
        return ((FailureRecorded<Receipt>) end).answer();
    }

    @Test
    void finishedRunIsReplayed() {
        RunGranted<Receipt> run = granted(REFUND, "k");
        assertThat(run.attempt()).isEqualTo(1);
        assertThat(run.leaseUntil())
                .isEqualTo(Instant.ofEpochMilli(time.millis()).plus(TEN_SECONDS));
        assertThat(run.downstreamKey()).isEqualTo(id(REFUND, "k").downstreamKey());
        assertThat(answered(REFUND, "k")).isInstanceOf(Answer.InProgress.class);
        assertThat(finish(run, "r")).isEqualTo(new EndRecorded<>());
        assertThat(answered(REFUND, "k").orThrow()).isEqualTo(new Receipt("r"));
        assertThat(story(REFUND, "k")).containsExactly("operation.executed", "operation.replayed");
    }

    @Test
    void finishIsTheSameSuccessTwiceAndKeepsTheFirstResult() {
        RunGranted<Receipt> run = granted(REFUND, "k");
        assertThat(finish(run, "r")).isEqualTo(new EndRecorded<>());
        assertThat(finish(run, "r")).isEqualTo(new EndRecorded<>());
        assertThat(finish(run, "other")).isEqualTo(new EndedOtherwise<>(new Receipt("r")));
        assertThat(answered(REFUND, "k").orThrow()).isEqualTo(new Receipt("r"));
    }

    @Test
    void anotherNodeRenewsAndFinishesAfterTheFirstHasStopped() {
        Engine first = otherNode();
        RunHandle run = ((RunGranted<Receipt>) begin(first, REFUND, "k")).run();
        stop(first);
        time.advance(Duration.ofSeconds(9));
        assertThat(engine.externalRuns().renew(REFUND, run, TEN_SECONDS)).isNotNull();
        time.advance(Duration.ofSeconds(9));
        assertThat(answered(REFUND, "k")).isInstanceOf(Answer.InProgress.class);
        assertThat(engine.externalRuns().finish(REFUND, run, new Receipt("r"))).isEqualTo(new EndRecorded<>());
        assertThat(answered(REFUND, "k").orThrow()).isEqualTo(new Receipt("r"));
    }

    @Test
    void leaseOfARepeatedBeginLastsAsLongAsItsAnswerSays() {
        BeginTerms mine = new BeginTerms(TEN_SECONDS, "b-1");
        engine.externalRuns().begin(REFUND, call("k"), mine);
        time.advance(Duration.ofSeconds(9));
        RunGranted<Receipt> again = (RunGranted<Receipt>) engine.externalRuns().begin(REFUND, call("k"), mine);
        assertThat(again.leaseUntil())
                .isEqualTo(Instant.ofEpochMilli(time.millis()).plus(TEN_SECONDS));
        time.advance(Duration.ofSeconds(9));
        assertThat(answered(REFUND, "k")).as("nobody else is granted it").isInstanceOf(Answer.InProgress.class);
        assertThat(finish(again, "r")).isEqualTo(new EndRecorded<>());
    }

    @Test
    void beginIdThatIsUsedWithAnotherPayloadIsAConflict() {
        BeginTerms mine = new BeginTerms(TEN_SECONDS, "b-1");
        engine.externalRuns().begin(REFUND, call("k"), mine);
        Call<Order> other = Call.of(ACME, Key.of("k"), new Order("another", 1));
        ExternalBegin<Receipt> begun = engine.externalRuns().begin(REFUND, other, mine);
        assertThat(((RunAnswered<Receipt>) begun).answer()).isInstanceOf(Answer.Conflict.class);
    }

    @Test
    void beginThatIsRepeatedUnderItsOwnIdIsGivenTheSameGrant() {
        BeginTerms mine = new BeginTerms(TEN_SECONDS, "b-1");
        ExternalBegin<Receipt> first = engine.externalRuns().begin(REFUND, call("k"), mine);
        assertThat(otherNode().externalRuns().begin(REFUND, call("k"), mine)).isEqualTo(first);
        ExternalBegin<Receipt> another =
                engine.externalRuns().begin(REFUND, call("k"), new BeginTerms(TEN_SECONDS, "b-2"));
        assertThat(((RunAnswered<Receipt>) another).answer()).isInstanceOf(Answer.InProgress.class);
        finish((RunGranted<Receipt>) first, "r");
        ExternalBegin<Receipt> late = engine.externalRuns().begin(REFUND, call("k"), mine);
        assertThat(((RunAnswered<Receipt>) late).answer()).isInstanceOf(Answer.Replayed.class);
    }

    @Test
    void expiredLeaseOfRepeatableRunIsTakenOverAndTheOldFenceIsRejected() {
        RunGranted<Receipt> old = granted(NOTIFY, "k");
        time.advance(TEN_SECONDS);
        RunGranted<Receipt> next = granted(NOTIFY, "k");
        assertThat(next.attempt()).isEqualTo(2);
        assertThat(next.run().fence()).isGreaterThan(old.run().fence());
        assertThat(engine.externalRuns().renew(NOTIFY, old.run(), TEN_SECONDS)).isNull();
        assertThat(engine.externalRuns().finish(NOTIFY, old.run(), new Receipt("old")))
                .isEqualTo(new NotHeld<>());
        assertThat(engine.externalRuns().fail(NOTIFY, old.run(), Failure.of(Failure.Category.NETWORK, "old"), null))
                .isEqualTo(new NotHeld<>());
        assertThat(engine.externalRuns().finish(NOTIFY, next.run(), new Receipt("new")))
                .isEqualTo(new EndRecorded<>());
        assertThat(answered(NOTIFY, "k").orThrow()).isEqualTo(new Receipt("new"));
    }

    @Test
    void expiredLeaseOfUnrepeatableRunIsUnknownUntilItsOwnerFinishesLate() {
        RunGranted<Receipt> run = granted(REFUND, "k");
        time.advance(TEN_SECONDS);
        assertThat(answered(REFUND, "k")).isInstanceOf(Answer.Unknown.class);
        assertThat(finish(run, "late")).isEqualTo(new EndRecorded<>());
        assertThat(answered(REFUND, "k").orThrow()).isEqualTo(new Receipt("late"));
    }

    @Test
    void sweeperFindsExpiredLeaseOfUnrepeatableRun() {
        granted(REFUND, "k");
        time.advance(TEN_SECONDS);
        engine.duties().sweeper().sweep();
        assertThat(state(REFUND, "k")).isEqualTo(State.UNKNOWN);
    }

    @Test
    void nodeThatNeverSawTheOperationFindsItsExpiredLease() {
        Engine first = otherNode();
        begin(first, REFUND, "k");
        stop(first);
        time.advance(TEN_SECONDS);
        engine.duties().sweeper().sweep();
        assertThat(state(REFUND, "k")).isEqualTo(State.UNKNOWN);
        assertThat(story(REFUND, "k")).containsExactly("operation.unknown");
    }

    @Test
    void whetherARunMayBeRepeatedIsDecidedByItsOwnBeginAndNotByThatOfAnotherTenant() {
        Operation.Leased<Order, Receipt> repeatable = REFUND.asRepeatable();
        Tenant globex = Tenant.of("globex");
        Call<Order> theirs = Call.of(globex, Key.of("k"), new Order("book", 42));
        engine.externalRuns().begin(repeatable, theirs, new BeginTerms(TEN_SECONDS, null));
        granted(REFUND.asUnrepeatable(), "k");
        engine.externalRuns()
                .begin(REFUND.asUnrepeatable(), call("other"), new BeginTerms(Duration.ofMinutes(1), null));
        time.advance(TEN_SECONDS);
        engine.duties().sweeper().sweep();
        otherNode().duties().sweeper().sweep();
        assertThat(state(REFUND, "k")).isEqualTo(State.UNKNOWN);
        assertThat(state(REFUND, "other")).as("its lease is not over").isEqualTo(State.IN_PROGRESS);
        RunGranted<Receipt> next = (RunGranted<Receipt>)
                engine.externalRuns().begin(repeatable, theirs, new BeginTerms(TEN_SECONDS, null));
        assertThat(next.attempt()).isEqualTo(2);
    }

    @Test
    void laterBeginDoesNotChangeWhetherAnInterruptedRunMayBeRepeated() {
        granted(REFUND.asUnrepeatable(), "once");
        granted(REFUND.asRepeatable(), "again");
        time.advance(TEN_SECONDS);
        assertThat(answered(REFUND.asRepeatable(), "once")).isInstanceOf(Answer.Unknown.class);
        RunGranted<Receipt> next = granted(REFUND.asUnrepeatable(), "again");
        assertThat(next.attempt()).isEqualTo(2);
        time.advance(TEN_SECONDS);
        assertThat(answered(REFUND.asRepeatable(), "again"))
                .as("the newest grant is not repeatable")
                .isInstanceOf(Answer.Unknown.class);
    }

    @Test
    void repeatableCallInThisProcessDoesNotRepeatARunThatItsOwnBeginDeclaredUnrepeatable() {
        granted(REFUND.asUnrepeatable(), "once");
        time.advance(TEN_SECONDS);
        Answer<Receipt> answer =
                engine.run(REFUND.asRepeatable(), call("once"), (order, run) -> new Receipt("a second effect"));
        assertThat(answer).isInstanceOf(Answer.Unknown.class);
        assertThat(state(REFUND, "once")).isEqualTo(State.UNKNOWN);
    }

    @Test
    void repeatableCallInThisProcessRepeatsARepeatableRun() {
        granted(NOTIFY, "again");
        time.advance(TEN_SECONDS);
        Answer<Receipt> answer = engine.run(NOTIFY, call("again"), (order, run) -> new Receipt("second"));
        assertThat(answer.orThrow()).isEqualTo(new Receipt("second"));
    }

    @Test
    void repeatableRunWithoutAttemptsLeftIsUnknown() {
        for (int attempt = 1; attempt <= 3; attempt++) {
            assertThat(granted(NOTIFY, "k").attempt()).isEqualTo(attempt);
            time.advance(TEN_SECONDS);
        }
        assertThat(answered(NOTIFY, "k")).isInstanceOf(Answer.Unknown.class);
        assertThat(state(NOTIFY, "k")).isEqualTo(State.UNKNOWN);
    }

    @Test
    void repeatableRunIsUnknownWhenNobodyHasRepeatedItForADay() {
        for (int attempt = 1; attempt <= 3; attempt++) {
            granted(NOTIFY, "spent");
            time.advance(TEN_SECONDS);
        }
        granted(NOTIFY, "k");
        time.advance(TEN_SECONDS.plusHours(23));
        engine.duties().sweeper().sweep();
        assertThat(state(NOTIFY, "k")).as("its caller may come back").isEqualTo(State.IN_PROGRESS);
        time.advance(Duration.ofHours(1));
        engine.duties().sweeper().sweep();
        assertThat(state(NOTIFY, "k")).isEqualTo(State.UNKNOWN);
        assertThat(state(NOTIFY, "spent")).isEqualTo(State.UNKNOWN);
    }

    @Test
    void uncertainFailureIsJudgedByWhatItsBeginDeclared() {
        RunGranted<Receipt> once = granted(REFUND.asUnrepeatable(), "once");
        RunGranted<Receipt> again = granted(REFUND.asRepeatable(), "again");
        assertThat(failed(REFUND.asRepeatable(), once, Failure.Category.TIMEOUT, null))
                .isInstanceOf(Answer.Unknown.class);
        assertThat(failed(REFUND.asUnrepeatable(), again, Failure.Category.TIMEOUT, null))
                .isInstanceOf(Answer.RetryLater.class);
    }

    @Test
    void beginDoesNotDecideAboutTheRunOfAHandlerOfThisLedger() {
        // A node died while its handler ran; other nodes that have the handler will take it over.
        abandon(NOTIFY, "k");
        time.advance(Duration.ofMinutes(10));
        assertThat(answered(NOTIFY.asUnrepeatable(), "k")).isInstanceOf(Answer.InProgress.class);
        assertThat(answered(NOTIFY, "k")).isInstanceOf(Answer.InProgress.class);
        assertThat(state(NOTIFY, "k")).isEqualTo(State.IN_PROGRESS);
    }

    @Test
    void interruptedRunThatNobodyElseDecidesAboutIsUnknownToACallerOutside() {
        // Granted to a handler that no node has any more, or by a version whose grants did not tell who has them.
        abandon(NOTIFY, "again");
        abandon(REFUND, "once");
        time.advance(LEASE.plus(Duration.ofMinutes(14)));
        engine.duties().sweeper().sweep();
        assertThat(answered(REFUND, "once")).isInstanceOf(Answer.InProgress.class);
        time.advance(Duration.ofMinutes(1));
        assertThat(answered(REFUND, "once")).isInstanceOf(Answer.Unknown.class);
        assertThat(answered(NOTIFY, "again")).isInstanceOf(Answer.Unknown.class);
        assertThat(state(NOTIFY, "again")).isEqualTo(State.UNKNOWN);
        assertThat(story(REFUND, "once")).containsExactly("operation.unknown");
    }

    @Test
    void runOfAnotherTenantOrOperationIsNotHeld() {
        RunGranted<Receipt> run = granted(REFUND, "k");
        RunHandle foreign =
                new RunHandle(Tenant.of("globex"), run.run().record(), run.run().fence());
        assertThat(engine.externalRuns().renew(REFUND, foreign, TEN_SECONDS)).isNull();
        assertThat(engine.externalRuns().finish(REFUND, foreign, new Receipt("r")))
                .isEqualTo(new NotHeld<>());
        assertThat(engine.externalRuns().fail(REFUND, foreign, Failure.of(Failure.Category.NETWORK, "x"), null))
                .isEqualTo(new NotHeld<>());
        assertThat(engine.externalRuns().finish(NOTIFY, run.run(), new Receipt("r")))
                .isEqualTo(new NotHeld<>());
        assertThat(state(REFUND, "k")).isEqualTo(State.IN_PROGRESS);
    }

    @Test
    void retryableFailureIsGrantedAgainWhenItsDelayHasPassed() {
        RunGranted<Receipt> run = granted(NOTIFY, "k");
        Answer.RetryLater<Receipt> later =
                (Answer.RetryLater<Receipt>) failed(NOTIFY, run, Failure.Category.NETWORK, null);
        assertThat(later.in()).isEqualTo(Duration.ofSeconds(1));
        assertThat(failed(NOTIFY, run, Failure.Category.NETWORK, null)).isInstanceOf(Answer.RetryLater.class);
        assertThat(answered(NOTIFY, "k")).isInstanceOf(Answer.RetryLater.class);
        time.advance(Duration.ofSeconds(1));
        assertThat(granted(NOTIFY, "k").attempt()).isEqualTo(2);
        assertThat(story(NOTIFY, "k")).containsExactly("retry.attempt");
    }

    @Test
    void lastRetryableFailureBeginsANewBudget() {
        for (int attempt = 1; attempt <= 3; attempt++) {
            failed(NOTIFY, granted(NOTIFY, "k"), Failure.Category.NETWORK, null);
            time.advance(Duration.ofMinutes(1));
        }
        assertThat(story(NOTIFY, "k")).containsExactly("retry.attempt", "retry.attempt", "retry.exhausted");
        assertThat(granted(NOTIFY, "k").attempt()).isEqualTo(1);
    }

    @Test
    void uncertainFailureOfUnrepeatableRunIsUnknown() {
        assertThat(failed(REFUND, granted(REFUND, "k"), Failure.Category.TIMEOUT, null))
                .isInstanceOf(Answer.Unknown.class);
        assertThat(state(REFUND, "k")).isEqualTo(State.UNKNOWN);
    }

    @Test
    void callerWhoKnowsThatNothingTookEffectMayRetry() {
        assertThat(failed(REFUND, granted(REFUND, "k"), Failure.Category.TIMEOUT, true))
                .isInstanceOf(Answer.RetryLater.class);
        time.advance(Duration.ofSeconds(1));
        assertThat(granted(REFUND, "k").attempt()).isEqualTo(2);
    }

    @Test
    void failureThatWouldBeTheSameAgainIsReplayed() {
        assertThat(failed(REFUND, granted(REFUND, "k"), Failure.Category.VALIDATION, null))
                .isInstanceOf(Answer.Failed.class);
        assertThat(answered(REFUND, "k")).isInstanceOf(Answer.Failed.class);
        assertThat(story(REFUND, "k")).containsExactly("system.error");
    }

    @Test
    void failureThatItsCallerDoesNotRetryLeavesNoRecord() {
        assertThat(failed(REFUND, granted(REFUND, "k"), Failure.Category.NETWORK, false))
                .isInstanceOf(Answer.Failed.class);
        assertThat(row(REFUND, "k")).isNull();
    }

    @Test
    void haltedOperationGrantsNothingButTakesTheEndOfItsRuns() {
        RunGranted<Receipt> run = granted(REFUND, "k");
        switchTo(Mode.HALTED);
        assertThat(answered(REFUND, "other")).isInstanceOf(Answer.Halted.class);
        assertThat(engine.externalRuns().renew(REFUND, run.run(), TEN_SECONDS)).isNotNull();
        assertThat(finish(run, "r")).isEqualTo(new EndRecorded<>());
        assertThat(answered(REFUND, "k").orThrow()).isEqualTo(new Receipt("r"));
    }

    @Test
    void operationInShadowIsRecordedAndNotGranted() {
        switchTo(Mode.SHADOW);
        assertThat(answered(REFUND, "k")).isInstanceOf(Answer.Shadowed.class);
        assertThat(state(REFUND, "k")).isEqualTo(State.SHADOWED);
    }

    private void switchTo(Mode mode) {
        engine.operator().setMode(new Switchboard.Setting(null, REFUND.name(), mode), new Warrant("operator", "test"));
    }

    @Test
    void oneOfManyConcurrentBeginsIsGranted() throws Exception {
        int callers = 16;
        ExecutorService threads = Executors.newFixedThreadPool(callers);
        try {
            List<Callable<ExternalBegin<Receipt>>> begins = IntStream.range(0, callers)
                    .<Callable<ExternalBegin<Receipt>>>mapToObj(i -> () -> begin(engine, REFUND, "k"))
                    .toList();
            int granted = 0;
            for (Future<ExternalBegin<Receipt>> begun : threads.invokeAll(begins)) {
                granted += begun.get() instanceof RunGranted ? 1 : 0;
            }
            assertThat(granted).isEqualTo(1);
        } finally {
            threads.shutdownNow();
        }
    }
}
