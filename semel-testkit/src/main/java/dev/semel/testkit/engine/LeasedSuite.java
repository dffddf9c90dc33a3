package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Answer;
import dev.semel.Failure;
import dev.semel.Failure.Category;
import dev.semel.Mode;
import dev.semel.Operation;
import dev.semel.Reconciler;
import dev.semel.SemelException;
import dev.semel.operator.Operator.Warrant;
import dev.semel.store.State;
import dev.semel.store.Switchboard;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Leased calls on one node: granted, run, finished; and what their failures leave. */
abstract class LeasedSuite extends EngineSuite {
    LeasedSuite(EngineContract contract) {
        super(contract);
    }

    private Answer<Receipt> refund(String key) {
        return engine.run(REFUND, call(key), (order, run) -> new Receipt("r-" + key));
    }

    @Test
    void oneNameIsOneOperation() {
        engine.handle(CHARGE, charging("k"));
        Operation.Leased<Order, Receipt> leased = Operation.leased("charge", Order.class, Receipt.class);
        assertThatThrownBy(() -> engine.handle(leased, (order, run) -> new Receipt("never")))
                .isInstanceOf(SemelException.Invalid.class)
                .hasMessageContaining("charge is declared twice")
                .hasMessageContaining("atomic from")
                .hasMessageContaining("leased from");
        Operation.Atomic<String, Receipt> other = Operation.atomic("charge", String.class, Receipt.class);
        assertThatThrownBy(() -> engine.handle(other, (text, tx) -> new Receipt("never")))
                .isInstanceOf(SemelException.Invalid.class)
                .hasMessageContaining("java.lang.String");
        assertExecuted(engine.run(CHARGE, call("k")), "r-k");
        Operation.Atomic<Order, Receipt> atomic = Operation.atomic("refund", Order.class, Receipt.class);
        engine.reconcile(REFUND, (order, what) -> Reconciler.Verdict.noEffect());
        assertThatThrownBy(() -> engine.handle(atomic, charging("k"))).isInstanceOf(SemelException.Invalid.class);
    }

    @Test
    void secondCallReplaysTheFirstOnesResult() {
        assertExecuted(refund("k"), "r-k");
        assertReplayed(refund("k"), "r-k");
        assertThat(state(REFUND, "k")).isEqualTo(State.COMPLETED);
        assertThat(story(REFUND, "k")).containsExactly("operation.executed", "operation.replayed");
    }

    @Test
    void recordIsVisibleWhileItRuns() {
        List<Answer<Receipt>> meanwhile = new ArrayList<>();
        assertExecuted(
                engine.run(REFUND, call("k"), (order, run) -> {
                    assertThat(state(REFUND, "k")).isEqualTo(State.IN_PROGRESS);
                    assertThat(row(REFUND, "k").status().fence()).isEqualTo(run.fence());
                    meanwhile.add(otherNode().run(REFUND, call("k"), (o, r) -> new Receipt("other")));
                    meanwhile.add(engine.run(REFUND, call("k"), (o, r) -> new Receipt("self")));
                    return new Receipt("first");
                }),
                "first");
        assertThat(meanwhile).allSatisfy(answer -> assertThat(answer).isInstanceOf(Answer.InProgress.class));
    }

    @Test
    void a7_anotherPayloadIsAConflictInEveryState() {
        engine.run(REFUND, call("running"), (order, run) -> {
            assertConflict("running");
            return new Receipt("r");
        });
        assertConflict("running");
        fail("terminal", Failure.of(Category.VALIDATION, "no").asException());
        assertConflict("terminal");
        fail("unknown", new SocketTimeoutException());
        assertThat(state(REFUND, "unknown")).isEqualTo(State.UNKNOWN);
        assertConflict("unknown");
        fail("retryable", Failure.of(Category.RATE_LIMITED, "later").asException());
        assertThat(state(REFUND, "retryable")).isEqualTo(State.FAILED_RETRYABLE);
        assertConflict("retryable");
        time.advance(Duration.ofMinutes(1));
        assertConflict("retryable");
        assertThat(state(REFUND, "retryable")).isEqualTo(State.FAILED_RETRYABLE);
        abandon(NOTIFY, "over");
        time.advance(LEASE);
        assertThat(engine.run(NOTIFY, otherPayload("over"), (order, run) -> new Receipt("never")))
                .isInstanceOf(Answer.Conflict.class);
        assertThat(engine.runAll(
                                NOTIFY,
                                List.of(otherPayload("over"), otherPayload("over2")),
                                (order, run) -> new Receipt("r"))
                        .get(0))
                .isInstanceOf(Answer.Conflict.class);
    }

    @Test
    void newerPayloadVersionContinuesAnOlderRun() {
        abandon(NOTIFY, "k");
        time.advance(LEASE);
        assertExecuted(
                engine.run(
                        NOTIFY.withSchemaVersion(2), call("k"), (order, run) -> new Receipt("attempt" + run.attempt())),
                "attempt2");
        assertReplayed(engine.run(NOTIFY, call("k"), (order, run) -> new Receipt("never")), "attempt2");
        assertReplayed(
                engine.run(NOTIFY.withSchemaVersion(3), call("k"), (order, run) -> new Receipt("never")), "attempt2");
    }

    private void assertConflict(String key) {
        assertThat(engine.run(REFUND, otherPayload(key), (order, run) -> new Receipt("never")))
                .isInstanceOf(Answer.Conflict.class);
    }

    private Answer<Receipt> fail(String key, Exception thrown) {
        return engine.run(REFUND, call(key), (order, run) -> {
            throw thrown;
        });
    }

    @Test
    void a4_failureThatMayHaveActedIsNeverRunAgainByItself() {
        AtomicInteger runs = new AtomicInteger();
        for (int i = 0; i < 3; i++) {
            assertThat(engine.run(REFUND, call("k"), (order, run) -> {
                        runs.incrementAndGet();
                        throw new SocketTimeoutException("no answer");
                    }))
                    .isInstanceOf(Answer.Unknown.class);
        }
        assertThat(runs).hasValue(1);
        assertThat(story(REFUND, "k")).containsExactly("operation.unknown");
    }

    @Test
    void repeatableOperationIsTriedAgainUnderAHigherFence() {
        List<Long> fences = new ArrayList<>();
        Answer<Receipt> answer = engine.run(NOTIFY, call("k"), (order, run) -> {
            fences.add(run.fence());
            if (run.attempt() < 3) {
                throw new SocketTimeoutException("slow");
            }
            return new Receipt("third");
        });
        assertExecuted(answer, "third");
        assertThat(fences).hasSize(3).isSorted().doesNotHaveDuplicates();
        assertThat(story(NOTIFY, "k")).containsExactly("retry.attempt", "retry.attempt", "operation.executed");
    }

    @Test
    void whenTheAttemptsRunOutTheNextCallerStartsANewBudget() {
        Answer<Receipt> answer = engine.run(NOTIFY, call("k"), (order, run) -> {
            throw new SocketTimeoutException("slow");
        });
        assertThat(answer).isInstanceOf(Answer.RetryLater.class);
        assertThat(state(NOTIFY, "k")).isEqualTo(State.FAILED_RETRYABLE);
        time.advance(((Answer.RetryLater<?>) answer).in());
        assertExecuted(
                engine.run(NOTIFY, call("k"), (order, run) -> {
                    assertThat(run.attempt()).isEqualTo(1);
                    return new Receipt("r");
                }),
                "r");
        assertThat(story(NOTIFY, "k"))
                .containsExactly("retry.attempt", "retry.attempt", "retry.exhausted", "operation.executed");
    }

    @Test
    void storedFailureIsReplayedAndOneThatIsNotLeavesNoRecord() {
        Answer<Receipt> first =
                fail("k", Failure.of(Category.MAPPING, "CRM mapping mismatch").asException());
        assertThat(failure(first).reason()).isEqualTo("CRM mapping mismatch");
        assertThat(failure(refund("k"))).isEqualTo(failure(first));
        assertThat(fail("k2", Failure.of(Category.CONFLICT, "taken").asException()))
                .isInstanceOf(Answer.Failed.class);
        assertThat(row(REFUND, "k2")).isNull();
    }

    @Test
    void a10_errorOfAHandlerThatMayHaveActedParksTheRecord() {
        Answer<Receipt> answer = engine.run(REFUND, call("k"), (order, run) -> {
            throw new StackOverflowError();
        });
        assertThat(answer).isInstanceOf(Answer.Unknown.class);
        assertThat(state(REFUND, "k")).isEqualTo(State.UNKNOWN);
    }

    @Test
    void downstreamKeyIsTheSameInEveryAttemptAndDiffersBetweenRecords() {
        List<String> keys = new ArrayList<>();
        engine.run(NOTIFY, call("k"), (order, run) -> {
            keys.add(run.downstreamKey());
            if (run.attempt() < 2) {
                throw new SocketTimeoutException("slow");
            }
            return new Receipt("r");
        });
        engine.run(NOTIFY, call("k2"), (order, run) -> {
            keys.add(run.downstreamKey());
            return new Receipt("r");
        });
        assertThat(keys.get(0)).isEqualTo(keys.get(1)).isNotEqualTo(keys.get(2)).doesNotContain("k2");
    }

    @Test
    void haltedGrantsNothingButStillReplays() {
        refund("done");
        set(Mode.HALTED);
        assertThat(refund("k")).isInstanceOf(Answer.Halted.class);
        assertThat(charge("k")).isInstanceOf(Answer.Halted.class);
        assertReplayed(refund("done"), "r-done");
        assertThat(row(REFUND, "k")).isNull();
        set(Mode.LIVE);
        assertExecuted(refund("k"), "r-k");
        assertExecuted(charge("k"), "r-k");
    }

    @Test
    void shadowDecidesAndDoesNotAct() throws Exception {
        set(Mode.SHADOW);
        AtomicInteger acted = new AtomicInteger();
        assertThat(engine.run(REFUND, call("k"), (order, run) -> {
                    acted.incrementAndGet();
                    return new Receipt("r");
                }))
                .isInstanceOf(Answer.Shadowed.class);
        assertThat(acted).hasValue(0);
        assertThat(state(REFUND, "k")).isEqualTo(State.SHADOWED);
        Answer<Receipt> charged = charge("k");
        assertThat(charged).isInstanceOf(Answer.Shadowed.class);
        assertThatThrownBy(charged::orThrow).isInstanceOf(SemelException.NoResult.class);
        assertThat(charged.orThrowUnlessShadowed()).isEqualTo(new Receipt("r-k"));
        assertThat(effects.count("k")).isZero();
        assertThat(row(CHARGE, "k")).isNull();
        assertThat(story(CHARGE, "k")).containsExactly("operation.shadowed");
        set(Mode.LIVE);
        assertExecuted(charge("k"), "r-k");
    }

    private void set(Mode mode) {
        // Set on another node: this one learns of it from the store.
        otherNode().operator().setMode(new Switchboard.Setting(null, null, mode), new Warrant("ann", "drill"));
    }

    @Test
    void nodesOwnModeIsTheFloor() {
        var halted = start(store, settings -> settings.withMode(Mode.HALTED));
        assertThat(halted.run(CHARGE, call("k"), charging("k"))).isInstanceOf(Answer.Halted.class);
    }

    @Test
    void leaseIsRenewedBeforeHalfOfItHasPassed() {
        assertExecuted(
                engine.run(REFUND, call("k"), (order, run) -> {
                    long until = row(REFUND, "k").status().at();
                    Duration next = engine.duties().keeper().tick();
                    assertThat(next).isLessThan(LEASE.dividedBy(2));
                    for (int i = 0; i < 10; i++) {
                        time.advance(LEASE.dividedBy(2));
                        engine.duties().keeper().tick();
                    }
                    assertThat(row(REFUND, "k").status().at())
                            .isEqualTo(until + LEASE.multipliedBy(5).toMillis());
                    run.ensureHeld();
                    return new Receipt("r");
                }),
                "r");
    }
}
