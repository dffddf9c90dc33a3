package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Reconciler;
import dev.semel.Reconciler.Verdict;
import dev.semel.SemelException;
import dev.semel.engine.Engine;
import dev.semel.key.RecordId;
import dev.semel.ledger.Transition;
import dev.semel.operator.Operator.Warrant;
import dev.semel.operator.Replays;
import dev.semel.store.Ledger;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Store;
import dev.semel.testkit.fault.Faults.Fault;
import dev.semel.testkit.fault.FaultyStore;
import dev.semel.testkit.fault.ForwardingLedger;
import dev.semel.testkit.fault.ForwardingStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * What is decided about a record and its interrupted steps is one commit: a process that dies on the way, or a decision that is
 * refused, leaves no record UNKNOWN whose interrupted steps are gone.
 */
abstract class StepDecisionSuite extends EngineSuite {
    private static final Warrant WARRANT = new Warrant("ann", "looked at the provider");
    private static final int MOST_CALLS = 30;

    StepDecisionSuite(EngineContract contract) {
        super(contract);
    }

    /** The store as a node sees it whose n-th call goes wrong. */
    private Store failingAt(int n, Fault fault, AtomicInteger calls) {
        return new FaultyStore(unclosed(store), call -> calls.incrementAndGet() == n ? fault : Fault.NONE);
    }

    private static Store unclosed(Store store) {
        return new ForwardingStore(store) {
            @Override
            public void close() {}
        };
    }

    private void unknownInside(String key) {
        dieInside(REFUND, key, "psp");
        time.advance(LEASE);
        engine.run(REFUND, call(key), (order, run) -> new Receipt("never"));
        assertThat(state(REFUND, key)).isEqualTo(State.UNKNOWN);
    }

    private List<Row> steps(String key) {
        return store.ledger().steps(id(REFUND, key));
    }

    private void assertDecidedTogether(String key, String when) {
        assertThat(steps(key)).as(when).hasSize(state(REFUND, key) == State.UNKNOWN ? 1 : 0);
    }

    /**
     * A node decides about a record whose outcome is unknown, and each of its calls to the store in turn fails in each way; then the
     * decision is made again without a fault.
     */
    private void failAtEachCall(BiConsumer<Engine, String> decide, BiConsumer<Engine, String> again) {
        for (Fault fault : List.of(Fault.FAIL_BEFORE, Fault.LOSE_REPLY, Fault.UNKNOWN)) {
            boolean failed = true;
            for (int n = 1; failed; n++) {
                assertThat(n).isLessThan(MOST_CALLS);
                String key = fault + "-" + n;
                unknownInside(key);
                AtomicInteger calls = new AtomicInteger(MOST_CALLS);
                Engine node = start(failingAt(n, fault, calls), settings -> settings);
                node.reconcile(REFUND, byStep());
                calls.set(0);
                try {
                    decide.accept(node, key);
                } catch (SemelException.StoreUnavailable | SemelException.OutcomeUnknown e) {
                    assertThat(e).hasMessageContaining("injected");
                }
                failed = calls.get() >= n;
                calls.set(MOST_CALLS);
                assertDecidedTogether(key, key);
                again.accept(node, key);
                assertThat(state(REFUND, key)).as(key).isEqualTo(State.FAILED_RETRYABLE);
                assertThat(steps(key)).as(key).isEmpty();
            }
        }
    }

    @Test
    void a18_replayThatFailsAnywhereReleasesTheStepsOnlyWithTheRecord() {
        failAtEachCall(
                (node, key) -> node.operator().replay(id(REFUND, key), WARRANT),
                (node, key) -> engine.operator().replay(id(REFUND, key), WARRANT));
    }

    @Test
    void a18_verdictThatFailsAnywhereIsWrittenAsAWholeOrRetried() {
        failAtEachCall((node, key) -> node.duties().reconciliation().reconcile(), (node, key) -> {
            time.advance(Duration.ofMinutes(2));
            node.duties().reconciliation().reconcile();
        });
    }

    private static Reconciler<Order, Receipt> byStep() {
        return (order, what) -> what.bySteps(step -> Verdict.noEffect());
    }

    /** Something happens after a node has read the steps of a record and before it writes. */
    private Engine afterReadingSteps(Consumer<Row> then) {
        Store between = new ForwardingStore(unclosed(store)) {
            @Override
            public Ledger ledger() {
                return new ForwardingLedger(delegate().ledger()) {
                    private boolean done;

                    @Override
                    public List<Row> steps(RecordId parent) {
                        List<Row> rows = super.steps(parent);
                        if (!done) {
                            done = true;
                            rows.forEach(then);
                        }
                        return rows;
                    }
                };
            }
        };
        return start(between, settings -> settings);
    }

    @Test
    void a18_replayThatIsRejectedReleasesNoStep() {
        unknownInside("k");
        Engine late = afterReadingSteps(step -> engine.operator().discard(id(REFUND, "k"), WARRANT));
        assertThat(late.operator().replay(id(REFUND, "k"), WARRANT)).isEqualTo(Replays.ReplayOutcome.REFUSED);
        assertThat(state(REFUND, "k")).isEqualTo(State.DISCARDED);
        assertThat(steps("k")).hasSize(1);
    }

    @Test
    void a18_stepThatItsOwnerFinishesMeanwhileIsKeptByAReplay() {
        unknownInside("k");
        Engine late = afterReadingSteps(step -> complete(step));
        assertThat(late.operator().replay(id(REFUND, "k"), WARRANT)).isEqualTo(Replays.ReplayOutcome.DONE);
        assertThat(steps("k")).extracting(Row::state).containsExactly(State.COMPLETED);
    }

    @Test
    void a18_verdictThatIsRejectedReleasesNoStep() {
        unknownInside("k");
        Engine late = afterReadingSteps(step -> engine.operator().discard(id(REFUND, "k"), WARRANT));
        late.reconcile(REFUND, byStep());
        late.duties().reconciliation().reconcile();
        assertThat(state(REFUND, "k")).isEqualTo(State.DISCARDED);
        assertThat(steps("k")).hasSize(1);
    }

    @Test
    void a18_verdictAboutAStepThatItsOwnerFinishedIsRetried() {
        unknownInside("k");
        Engine late = afterReadingSteps(step -> complete(step));
        late.reconcile(
                REFUND, (order, what) -> what.steps().isEmpty() ? Verdict.noEffect() : byStep().reconcile(order, what));
        late.duties().reconciliation().reconcile();
        assertThat(state(REFUND, "k")).isEqualTo(State.UNKNOWN);
        assertThat(steps("k")).extracting(Row::state).containsExactly(State.COMPLETED);
        late.duties().reconciliation().reconcile();
        assertThat(state(REFUND, "k")).isEqualTo(State.FAILED_RETRYABLE);
        assertThat(steps("k")).extracting(Row::state).containsExactly(State.COMPLETED);
    }

    private void complete(Row step) {
        store.ledger()
                .move(List.of(Transition.COMPLETE.of(
                        step.id(), step.status().fence(), Transition.result(Duration.ofDays(1), null), null)));
    }
}
