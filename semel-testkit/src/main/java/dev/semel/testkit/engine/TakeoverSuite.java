package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Answer;
import dev.semel.Operation;
import dev.semel.Policy;
import dev.semel.Reconciler.Verdict;
import dev.semel.SemelException;
import dev.semel.engine.Engine;
import dev.semel.ledger.Transition;
import dev.semel.store.Ledger;
import dev.semel.store.LedgerState;
import dev.semel.store.Move;
import dev.semel.store.RecordFilter;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Store;
import dev.semel.testkit.fault.ForwardingLedger;
import dev.semel.testkit.fault.ForwardingStore;
import dev.semel.time.ManualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Leases that run out: takeovers under a higher fence, parking, reconciling. */
abstract class TakeoverSuite extends EngineSuite {
    TakeoverSuite(EngineContract contract) {
        super(contract);
    }

    @Test
    void a2_ownerPausedForThreeLeasesIsRejectedAndTheOtherResultStands() {
        Engine other = otherNode();
        Answer<Receipt> first = engine.run(NOTIFY, call("k"), (order, run) -> {
            time.advance(LEASE.multipliedBy(3));
            assertExecuted(other.run(NOTIFY, call("k"), (o, r) -> new Receipt("other")), "other");
            assertThatThrownBy(run::ensureHeld).isInstanceOf(SemelException.LeaseLost.class);
            return new Receipt("stale");
        });
        assertReplayed(first, "other");
        assertReplayed(engine.run(NOTIFY, call("k"), (order, run) -> new Receipt("again")), "other");
        assertThat(story(NOTIFY, "k")).startsWith("operation.taken_over", "operation.executed");
    }

    @Test
    void a3_receiverThatChecksKeyAndFenceAppliesTheCallOnce() {
        Engine other = otherNode();
        Map<String, Long> seen = new HashMap<>();
        List<String> applied = new ArrayList<>();
        engine.run(NOTIFY, call("k"), (order, run) -> {
            run.ensureHeld();
            time.advance(LEASE.multipliedBy(3));
            other.run(NOTIFY, call("k"), (o, r) -> receive(seen, applied, r.downstreamKey(), r.fence()));
            return receive(seen, applied, run.downstreamKey(), run.fence());
        });
        assertThat(applied).hasSize(1);
    }

    private static Receipt receive(Map<String, Long> seen, List<String> applied, String key, long fence) {
        if (seen.merge(key, fence, Math::max) <= fence && !applied.contains(key)) {
            applied.add(key);
        }
        return new Receipt(key);
    }

    @Test
    void a4_leaseOfANonRepeatableOperationRunsOut() {
        Engine other = otherNode();
        Answer<Receipt> late = engine.run(REFUND, call("k"), (order, run) -> {
            time.advance(LEASE);
            assertThat(other.run(REFUND, call("k"), (o, r) -> new Receipt("never")))
                    .isInstanceOf(Answer.Unknown.class);
            assertThat(state(REFUND, "k")).isEqualTo(State.UNKNOWN);
            return new Receipt("late");
        });
        // Nobody else was granted it, so the owner's late finish under the same fence counts.
        assertExecuted(late, "late");
        assertThat(story(REFUND, "k")).containsExactly("operation.unknown", "operation.executed");
    }

    @Test
    void a4_unrepeatableOperationIsNotRepeatedAlsoUnderARepeatablePolicy() {
        Policy eager = STEADY.toBuilder().withName("eager").withRepeatable(true).build();
        Operation.Leased<Order, Receipt> declared = REFUND.withPolicy(eager).asUnrepeatable();
        Operation.Leased<Order, Receipt> undeclared =
                Operation.leased("undeclared", Order.class, Receipt.class).withPolicy(eager);
        abandon(declared, "k");
        abandon(undeclared, "k");
        time.advance(LEASE);
        assertThat(engine.run(declared, call("k"), (order, run) -> new Receipt("never")))
                .isInstanceOf(Answer.Unknown.class);
        assertExecuted(engine.run(undeclared, call("k"), (order, run) -> new Receipt("again")), "again");
    }

    @Test
    void a4_sweeperParksItAndTheReconcilerDecides() {
        abandon(REFUND, "took effect");
        abandon(REFUND, "did not");
        abandon(REFUND, "cannot tell");
        AtomicInteger asked = new AtomicInteger();
        engine.reconcile(REFUND, (order, what) -> {
            asked.incrementAndGet();
            if (what.downstreamKey().equals(id(REFUND, "took effect").downstreamKey())) {
                return new Verdict.TookEffect<>(new Receipt("found"));
            }
            return what.downstreamKey().equals(id(REFUND, "did not").downstreamKey())
                    ? new Verdict.NoEffect<>()
                    : new Verdict.StillUnknown<>("ask later");
        });
        time.advance(LEASE);
        engine.duties().sweeper().sweep();
        assertThat(state(REFUND, "took effect")).isEqualTo(State.UNKNOWN);
        engine.duties().reconciliation().reconcile();
        assertThat(asked).hasValue(3);
        assertReplayed(engine.run(REFUND, call("took effect"), (o, r) -> new Receipt("never")), "found");
        assertExecuted(engine.run(REFUND, call("did not"), (o, r) -> new Receipt("now")), "now");
        assertThat(state(REFUND, "cannot tell")).isEqualTo(State.UNKNOWN);
        engine.duties().reconciliation().reconcile();
        assertThat(asked).hasValue(3);
        time.advance(Duration.ofMinutes(1));
        engine.duties().reconciliation().reconcile();
        assertThat(asked).hasValue(4);
        assertThat(story(REFUND, "did not"))
                .containsExactly("operation.unknown", "operation.reconciled", "operation.executed");
    }

    @Test
    void ageOfAnUnknownRunGrowsDespiteReconciliations() {
        abandon(REFUND, "k");
        engine.reconcile(REFUND, (order, what) -> new Verdict.StillUnknown<>("ask later"));
        time.advance(LEASE);
        engine.duties().sweeper().sweep();
        for (int minutes = 0; minutes < 5; minutes++) {
            engine.duties().reconciliation().reconcile();
            time.advance(Duration.ofMinutes(1));
        }
        assertThat(LedgerState.of(store).unknown().count()).isEqualTo(1);
        assertThat(LedgerState.of(store).unknown().ageMillis())
                .isEqualTo(Duration.ofMinutes(5).toMillis());
    }

    @Test
    void registeredHandlerTakesOverAnExpiredRunWithoutACaller() {
        abandon(NOTIFY, "k");
        engine.handle(NOTIFY, (order, run) -> new Receipt(order.item() + run.attempt()));
        engine.duties().sweeper().sweep();
        assertThat(state(NOTIFY, "k")).isEqualTo(State.IN_PROGRESS);
        time.advance(LEASE);
        engine.duties().sweeper().sweep();
        assertReplayed(engine.run(NOTIFY, call("k")), "book2");
    }

    @Test
    void recordReleasedAfterTheSweepReadItIsNotRecreated() {
        List<String> ran = new ArrayList<>();
        Engine sweeping = start(
                afterSeeingOverdue(
                        store,
                        row -> store.ledger()
                                .move(List.of(Transition.RELEASE.of(
                                        row.id(), row.status().fence(), Move.Change.NONE, null)))),
                settings -> settings);
        abandon(NOTIFY, "k");
        sweeping.handle(NOTIFY, (order, run) -> {
            ran.add(order.item());
            return new Receipt("again");
        });
        time.advance(LEASE);
        sweeping.duties().sweeper().sweep();
        assertThat(ran).isEmpty();
        assertThat(row(NOTIFY, "k")).isNull();
        assertThat(story(NOTIFY, "k")).isEmpty();
    }

    /** Something happens to each record between the look of a sweep and what the sweep does about it. */
    private static Store afterSeeingOverdue(Store store, Consumer<Row> then) {
        return new ForwardingStore(store) {
            @Override
            public Ledger ledger() {
                return new ForwardingLedger(delegate().ledger()) {
                    @Override
                    public List<Row> overdue(
                            State state, Collection<String> operations, RecordFilter.Cursor behind, int limit) {
                        List<Row> rows = super.overdue(state, operations, behind, limit);
                        rows.forEach(then);
                        return rows;
                    }
                };
            }

            @Override
            public void close() {}
        };
    }

    @Test
    void a12_handlerThatAlwaysOutlivesItsLeaseIsParkedAfterItsAttempts() {
        for (int i = 0; i < 3; i++) {
            abandon(NOTIFY, "k");
            time.advance(LEASE);
        }
        assertThat(row(NOTIFY, "k").status().attempt()).isEqualTo(3);
        assertThat(engine.run(NOTIFY, call("k"), (order, run) -> new Receipt("never")))
                .isInstanceOf(Answer.Unknown.class);
        assertThat(state(NOTIFY, "k")).isEqualTo(State.UNKNOWN);
    }

    @Test
    void a11_hourBetweenTheClocksOfTwoNodesChangesNothing() {
        ManualTime ahead = new ManualTime(time.millis() + Duration.ofHours(1).toMillis());
        Engine other = otherNode(ahead);
        engine.run(NOTIFY, call("k"), (order, run) -> {
            assertThat(other.run(NOTIFY, call("k"), (o, r) -> new Receipt("never")))
                    .isInstanceOf(Answer.InProgress.class);
            ahead.jump(Duration.ofHours(-3));
            assertThat(other.run(NOTIFY, call("k"), (o, r) -> new Receipt("never")))
                    .isInstanceOf(Answer.InProgress.class);
            return new Receipt("r");
        });
        assertReplayed(other.run(NOTIFY, call("k"), (o, r) -> new Receipt("never")), "r");
    }

    /** Nodes whose clocks are an hour ahead and an hour behind the ledger's. */
    private List<Engine> nodesAnHourOff() {
        List<Engine> nodes = new ArrayList<>();
        for (int hours : new int[] {1, -1}) {
            ManualTime clock =
                    new ManualTime(time.millis() + Duration.ofHours(hours).toMillis());
            nodes.add(otherNode(clock));
        }
        return nodes;
    }

    @Test
    void a11_deadlineIsJudgedByTheClockOfTheLedger() {
        for (Engine node : nodesAnHourOff()) {
            Instant soon = Instant.ofEpochMilli(time.millis()).plusSeconds(60);
            Instant before = Instant.ofEpochMilli(time.millis()).minusSeconds(60);
            String n = "n" + node.hashCode();
            assertExecuted(
                    node.run(NOTIFY, call(n + "1").withDeadline(soon), (o, run) -> new Receipt("in time")), "in time");
            assertExecuted(node.run(CHARGE, call(n + "2").withDeadline(soon), charging(n + "2")), "r-" + n + "2");
            assertThat(node.runAll(CHARGE, List.of(call(n + "3").withDeadline(soon)), charging(n + "3")))
                    .allMatch(Answer::isResult);
            assertThat(node.run(NOTIFY, call(n + "4").withDeadline(before), (o, run) -> new Receipt("never")))
                    .isInstanceOf(Answer.Failed.class);
            assertThat(node.run(CHARGE, call(n + "5").withDeadline(before), charging(n + "5")))
                    .isInstanceOf(Answer.Failed.class);
        }
    }

    @Test
    void runWhoseLeaseWasLostIsInterrupted() {
        Engine other = otherNode();
        Answer<Receipt> answer = engine.run(NOTIFY, call("k"), (order, run) -> {
            time.advance(LEASE);
            other.run(NOTIFY, call("k"), (o, r) -> new Receipt("other"));
            engine.duties().keeper().tick();
            time.sleep(Duration.ofMillis(1));
            return new Receipt("stale");
        });
        assertReplayed(answer, "other");
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }
}
