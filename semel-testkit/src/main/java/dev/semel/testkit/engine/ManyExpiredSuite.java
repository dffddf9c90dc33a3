package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Answer;
import dev.semel.Key;
import dev.semel.Operation;
import dev.semel.Reconciler;
import dev.semel.Reconciler.Verdict;
import dev.semel.SemelException;
import dev.semel.engine.Engine;
import dev.semel.key.Fingerprints;
import dev.semel.key.Identity;
import dev.semel.key.RecordId;
import dev.semel.store.Header;
import dev.semel.store.Ledger;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.Reservation;
import dev.semel.store.Reserved;
import dev.semel.store.State;
import dev.semel.store.Store;
import dev.semel.testkit.fault.ForwardingLedger;
import dev.semel.testkit.fault.ForwardingStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** However many expired records nothing can be done about, those behind them get their turn. */
abstract class ManyExpiredSuite extends EngineSuite {
    private static final int MANY = 10_000;
    private static final int AT_ONCE = 500;

    /** More rounds than needed, and few enough to show that a round is bounded and continues where the last one ended. */
    private static final int ROUNDS = 15;

    private static final Operation.Leased<Order, Receipt> ROUTE = Operation.leased("route", Order.class, Receipt.class)
            .withPolicy("steady")
            .asRepeatable();

    ManyExpiredSuite(EngineContract contract) {
        super(contract);
    }

    /** Runs whose processes died, with the given stored payload. */
    private void abandonAll(Operation.Leased<Order, Receipt> operation, List<String> keys, String payload) {
        long version = store.switchboard().modes().version();
        byte[] bytes = payload.getBytes(StandardCharsets.UTF_8);
        for (int from = 0; from < keys.size(); from += AT_ONCE) {
            List<Reservation> batch = keys.subList(from, Math.min(keys.size(), from + AT_ONCE)).stream()
                    .map(key -> new Reservation(
                            Identity.of(ACME, operation.name(), Key.of(key)),
                            new Header(
                                    ACME.name(),
                                    operation.name(),
                                    key,
                                    Fingerprints.of(operation.definition(), bytes),
                                    "c",
                                    null),
                            bytes,
                            new Reservation.Grant(
                                    time.nanos() + 1 + (key.hashCode() & Integer.MAX_VALUE),
                                    LEASE.toMillis(),
                                    operation.isRepeatable(STEADY),
                                    3),
                            null,
                            null))
                    .toList();
            assertThat(store.ledger().reserve(version, batch)).hasOnlyElementsOfType(Reserved.Granted.class);
        }
    }

    private static List<String> keys(String prefix, int count) {
        return IntStream.range(0, count).mapToObj(i -> prefix + i).toList();
    }

    private void later() {
        time.advance(LEASE.plusMillis(1));
    }

    @Test
    void b13_expiredRecordsWithoutALocalHandlerHideNoOther() {
        engine.run(ROUTE, call("seen"), (order, run) -> new Receipt("seen"));
        List<String> ran = new ArrayList<>();
        engine.handle(NOTIFY, (order, run) -> {
            ran.add(order.item());
            return new Receipt("again");
        });
        engine.run(REFUND, call("seen"), (order, run) -> new Receipt("seen"));
        abandonAll(NOTIFY, List.of("garbled"), "[\"no order\"]");
        abandonAll(ROUTE, keys("r", MANY), "{}");
        later();
        abandon(NOTIFY, "behind");
        abandonAll(REFUND, List.of("garbled"), "[\"no order\"]");
        abandon(REFUND, "behind");
        later();
        for (int round = 0; round < ROUNDS; round++) {
            engine.duties().sweeper().sweep();
        }
        assertThat(ran).containsExactly("book");
        assertThat(state(NOTIFY, "behind")).isEqualTo(State.COMPLETED);
        assertThat(state(REFUND, "behind")).isEqualTo(State.UNKNOWN);
        assertThat(state(REFUND, "garbled")).isEqualTo(State.UNKNOWN);
        assertThat(state(NOTIFY, "garbled")).isEqualTo(State.IN_PROGRESS);
        assertThat(state(ROUTE, "r0")).isEqualTo(State.IN_PROGRESS);
    }

    @Test
    void b13_firstExpiredRecordsAreLookedAtAgainAfterTheLast() {
        engine.run(ROUTE, call("seen"), (order, run) -> new Receipt("seen"));
        engine.run(NOTIFY, call("seen"), (order, run) -> new Receipt("seen"));
        abandon(NOTIFY, "first");
        later();
        abandonAll(ROUTE, keys("r", 1_500), "{}");
        later();
        engine.duties().sweeper().sweep();
        engine.handle(NOTIFY, (order, run) -> new Receipt("handled"));
        for (int round = 0; round < ROUNDS; round++) {
            engine.duties().sweeper().sweep();
        }
        assertThat(state(NOTIFY, "first")).isEqualTo(State.COMPLETED);
    }

    private void unknown(List<String> keys) {
        for (String key : keys) {
            abandon(REFUND, key);
        }
        later();
        for (String key : keys) {
            assertThat(engine.run(REFUND, call(key), (order, run) -> new Receipt("never")))
                    .isInstanceOf(Answer.Unknown.class);
        }
    }

    @Test
    void b13_reconcilersThatThrowErrorsStopNoneBehindThem() {
        List<String> broken = keys("broken", 120);
        Set<String> refused = new HashSet<>();
        broken.forEach(key -> refused.add(id(REFUND, key).downstreamKey()));
        unknown(broken);
        unknown(List.of("good"));
        engine.reconcile(REFUND, (order, what) -> {
            if (refused.contains(what.downstreamKey())) {
                throw new StackOverflowError("simulated");
            }
            return Verdict.noEffect();
        });
        for (int round = 0; round < 3; round++) {
            engine.duties().reconciliation().reconcile();
        }
        assertThat(state(REFUND, "good")).isEqualTo(State.FAILED_RETRYABLE);
        assertThat(state(REFUND, "broken0")).isEqualTo(State.UNKNOWN);
    }

    @Test
    void b13_payloadThatCannotBeReadStopsNoOtherReconciler() {
        engine.run(REFUND, call("seen"), (order, run) -> new Receipt("seen"));
        abandonAll(REFUND, keys("garbled", 120), "[\"no order\"]");
        abandon(REFUND, "good");
        later();
        engine.duties().sweeper().sweep();
        engine.duties().sweeper().sweep();
        engine.reconcile(REFUND, (order, what) -> Verdict.noEffect());
        for (int round = 0; round < 3; round++) {
            engine.duties().reconciliation().reconcile();
        }
        assertThat(state(REFUND, "good")).isEqualTo(State.FAILED_RETRYABLE);
        assertThat(state(REFUND, "garbled0")).isEqualTo(State.UNKNOWN);
    }

    @Test
    void b13_lockedRecordsStopNoneBehindThem() {
        List<String> held = keys("held", 120);
        Set<RecordId> locked = new HashSet<>();
        held.forEach(key -> locked.add(id(REFUND, key)));
        unknown(held);
        unknown(List.of("good"));
        Engine node = start(locking(locked), settings -> settings);
        node.reconcile(REFUND, (order, what) -> Verdict.noEffect());
        for (int round = 0; round < 3; round++) {
            node.duties().reconciliation().reconcile();
        }
        assertThat(state(REFUND, "good")).isEqualTo(State.FAILED_RETRYABLE);
        assertThat(state(REFUND, "held0")).isEqualTo(State.UNKNOWN);
        locked.clear();
        time.advance(Duration.ofSeconds(2));
        node.duties().reconciliation().reconcile();
        assertThat(state(REFUND, "held0")).isEqualTo(State.FAILED_RETRYABLE);
    }

    @Test
    void b13_lockedRecordIsReconciledAgainAfterGrowingPauses() {
        assertAskedAfterGrowingPauses((order, what) -> Verdict.noEffect());
    }

    @Test
    void b13_failingReconcilerIsCalledForALockedRecordAfterGrowingPauses() {
        assertAskedAfterGrowingPauses((order, what) -> {
            throw new IllegalStateException("simulated");
        });
    }

    /** An hour with a round every second. */
    private void assertAskedAfterGrowingPauses(Reconciler<Order, Receipt> reconciler) {
        unknown(List.of("held"));
        Set<RecordId> locked = new HashSet<>(Set.of(id(REFUND, "held")));
        Engine node = start(locking(locked), settings -> settings);
        AtomicInteger asked = new AtomicInteger();
        node.reconcile(REFUND, (order, what) -> {
            asked.incrementAndGet();
            return reconciler.reconcile(order, what);
        });
        int[] seconds = {1, 3, 7, 15, 31, 61, 3_600};
        int[] questions = {1, 2, 3, 4, 5, 5, 64};
        int second = 0;
        for (int i = 0; i < seconds.length; i++) {
            for (; second < seconds[i]; second++) {
                node.duties().reconciliation().reconcile();
                time.advance(Duration.ofSeconds(1));
            }
            assertThat(asked).as("after %d s", second).hasValue(questions[i]);
        }
    }

    @Test
    void b13_outageAtOneRecordSkipsNoneOfItsPage() {
        List<String> keys = keys("k", 150);
        unknown(keys);
        Engine node = start(unavailable(1), settings -> settings);
        node.reconcile(REFUND, (order, what) -> Verdict.noEffect());
        assertRoundFails(node);
        node.duties().reconciliation().reconcile();
        assertThat(undecided(keys)).isEmpty();
    }

    @Test
    void b13_recordThatAlwaysFailsAsAnOutageHidesNoneBehindIt() {
        List<String> keys = keys("k", 150);
        unknown(keys);
        Engine node = start(unavailable(Integer.MAX_VALUE), settings -> settings);
        node.reconcile(REFUND, (order, what) -> Verdict.noEffect());
        assertRoundFails(node);
        assertRoundFails(node);
        node.duties().reconciliation().reconcile();
        assertThat(undecided(keys)).hasSize(1);
    }

    private static void assertRoundFails(Engine node) {
        assertThatThrownBy(() -> node.duties().reconciliation().reconcile())
                .isInstanceOf(SemelException.StoreUnavailable.class);
    }

    private List<String> undecided(List<String> keys) {
        return keys.stream().filter(key -> state(REFUND, key) == State.UNKNOWN).toList();
    }

    /** The store as it is when so many writes about the record that is written about first get no connection. */
    private Store unavailable(int times) {
        AtomicReference<@Nullable RecordId> failing = new AtomicReference<>();
        AtomicInteger left = new AtomicInteger(times);
        return new ForwardingStore(store) {
            @Override
            public Ledger ledger() {
                return new ForwardingLedger(delegate().ledger()) {
                    @Override
                    public List<Moved> move(List<Move> batch) {
                        failing.compareAndSet(null, batch.get(0).id());
                        if (batch.get(0).id().equals(failing.get()) && left.getAndDecrement() > 0) {
                            throw new SemelException.StoreUnavailable("simulated: no connection");
                        }
                        return super.move(batch);
                    }
                };
            }

            @Override
            public void close() {}
        };
    }

    @Test
    void b13_oldestExpiredRecordIsLookedAtAgainWhileMoreExpireThanARoundTakes() {
        engine.run(ROUTE, call("seen"), (order, run) -> new Receipt("seen"));
        engine.run(NOTIFY, call("seen"), (order, run) -> new Receipt("seen"));
        abandon(NOTIFY, "first");
        later();
        abandonAll(ROUTE, keys("r", 1_100), "{}");
        later();
        engine.duties().sweeper().sweep();
        engine.handle(NOTIFY, (order, run) -> new Receipt("handled"));
        for (int round = 0; round < 4; round++) {
            abandonAll(ROUTE, keys("r" + round + "-", 1_100), "{}");
            later();
            engine.duties().sweeper().sweep();
        }
        assertThat(state(NOTIFY, "first")).isEqualTo(State.COMPLETED);
    }
}
