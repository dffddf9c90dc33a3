package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Answer;
import dev.semel.AtomicHandler;
import dev.semel.Call;
import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.Mode;
import dev.semel.SemelException;
import dev.semel.engine.Engine;
import dev.semel.operator.Operator.Warrant;
import dev.semel.store.Ledger;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.Reservation;
import dev.semel.store.Reserved;
import dev.semel.store.State;
import dev.semel.store.Store;
import dev.semel.store.Switchboard;
import dev.semel.testkit.fault.Faults;
import dev.semel.testkit.fault.FaultyStore;
import dev.semel.testkit.fault.ForwardingLedger;
import dev.semel.testkit.fault.ForwardingStore;
import dev.semel.testkit.fault.StoreCall;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** {@code runAll}: many calls, few statements, one answer each. */
abstract class BatchSuite extends EngineSuite {
    BatchSuite(EngineContract contract) {
        super(contract);
    }

    private static List<Call<Order>> calls(int... numbers) {
        return IntStream.of(numbers)
                .mapToObj(n -> Call.of(ACME, Key.of("k" + n), new Order("item", n)))
                .toList();
    }

    private AtomicHandler<Order, Receipt> counting() {
        return (order, tx) -> {
            effects.apply(tx, "k" + order.amount());
            return new Receipt("r" + order.amount());
        };
    }

    private static List<String> kinds(List<Answer<Receipt>> answers) {
        return answers.stream().map(answer -> answer.getClass().getSimpleName()).toList();
    }

    @Test
    void atomicCallsAreAnsweredInOrderAndDuplicatesReplay() throws Exception {
        List<Answer<Receipt>> answers = engine.runAll(CHARGE, calls(1, 2, 1, 3, 2), counting());
        assertThat(kinds(answers)).containsExactly("Executed", "Executed", "Replayed", "Executed", "Replayed");
        assertThat(answers.get(4).orThrow()).isEqualTo(new Receipt("r2"));
        assertThat(kinds(engine.runAll(CHARGE, calls(3, 4), counting()))).containsExactly("Replayed", "Executed");
        for (int i = 1; i <= 4; i++) {
            assertThat(effects.count("k" + i)).isEqualTo(1);
        }
        assertThat(story(CHARGE, "k1")).containsExactly("operation.executed", "operation.replayed");
    }

    @Test
    void oneThatFailsDoesNotTakeTheOthersWithIt() throws Exception {
        List<Answer<Receipt>> answers = engine.runAll(CHARGE, calls(1, 2, 3), (order, tx) -> {
            effects.apply(tx, "k" + order.amount());
            if (order.amount() == 2) {
                throw Failure.of(Failure.Category.VALIDATION, "two").asException();
            }
            return new Receipt("r" + order.amount());
        });
        assertThat(kinds(answers)).containsExactly("Executed", "Failed", "Executed");
        assertThat(effects.count("k1")).isEqualTo(1);
        assertThat(effects.count("k2")).isZero();
        assertThat(effects.count("k3")).isEqualTo(1);
    }

    @Test
    void conflictInsideTheListIsOne() {
        List<Call<Order>> calls = new ArrayList<>(calls(1));
        calls.add(Call.of(ACME, Key.of("k1"), new Order("item", 99)));
        assertThat(kinds(engine.runAll(CHARGE, calls, counting()))).containsExactly("Executed", "Conflict");
        assertThat(kinds(engine.runAll(NOTIFY, calls, (order, run) -> new Receipt("r"))))
                .containsExactly("Executed", "Conflict");
    }

    @Test
    void rejectedCallLeavesTheOthersAlone() {
        List<Call<Order>> calls = new ArrayList<>(calls(1, 2));
        calls.add(1, Call.of(ACME, Key.of("big"), new Order("x".repeat(1 << 21), 1)));
        assertThat(kinds(engine.runAll(CHARGE, calls, counting()))).containsExactly("Executed", "Rejected", "Executed");
        assertThat(kinds(engine.runAll(NOTIFY, calls, (order, run) -> new Receipt("r"))))
                .containsExactly("Executed", "Rejected", "Executed");
    }

    @Test
    void leasedCallsAreGrantedTogetherAndFinishedTogether() {
        List<Long> fences = new ArrayList<>();
        List<Answer<Receipt>> answers = engine.runAll(NOTIFY, calls(1, 2, 1), (order, run) -> {
            fences.add(run.fence());
            return new Receipt("r" + order.amount());
        });
        assertThat(kinds(answers)).containsExactly("Executed", "Executed", "Replayed");
        assertThat(fences).hasSize(2).doesNotHaveDuplicates();
        assertThat(state(NOTIFY, "k1")).isEqualTo(State.COMPLETED);
        assertThat(kinds(engine.runAll(NOTIFY, calls(1, 3), (order, run) -> new Receipt("x"))))
                .containsExactly("Replayed", "Executed");
    }

    @Test
    void leasedCallThatFailsIsRetriedByItsPolicy() {
        List<Answer<Receipt>> answers = engine.runAll(NOTIFY, calls(1, 2), (order, run) -> {
            if (order.amount() == 1 && run.attempt() == 1) {
                throw new SocketTimeoutException("slow");
            }
            return new Receipt("attempt" + run.attempt());
        });
        assertExecuted(answers.get(0), "attempt2");
        assertExecuted(answers.get(1), "attempt1");
    }

    @Test
    void callThatWaitedLongerThanItsLeaseIsGrantedAgainBeforeItStarts() {
        List<Long> granted = new ArrayList<>();
        List<Answer<Receipt>> answers = engine.runAll(REFUND, calls(1, 2), (order, run) -> {
            granted.add(run.fence());
            if (order.amount() == 1) {
                granted.add(row(REFUND, "k2").status().fence());
                time.advance(LEASE);
            }
            return new Receipt("attempt" + run.attempt());
        });
        assertExecuted(answers.get(0), "attempt1");
        assertExecuted(answers.get(1), "attempt1");
        assertThat(granted.get(2)).isGreaterThan(granted.get(1));
    }

    @Test
    void haltDuringABatchStopsGrantedCallsAndKeepsTheirAttempts() {
        var other = otherNode();
        List<Answer<Receipt>> answers = engine.runAll(NOTIFY, calls(1, 2), (order, run) -> {
            other.operator().setMode(new Switchboard.Setting(null, null, Mode.HALTED), new Warrant("ann", "stop"));
            time.advance(Duration.ofSeconds(2));
            return new Receipt("r" + order.amount());
        });
        assertThat(kinds(answers)).containsExactly("Executed", "Halted");
        other.operator().setMode(new Switchboard.Setting(null, null, Mode.LIVE), new Warrant("ann", "go"));
        Answer<Receipt> later = engine.run(NOTIFY, calls(2).get(0), (order, run) -> new Receipt("a" + run.attempt()));
        assertExecuted(later, "a1");
    }

    @Test
    void thousandCallsFitInOneList() throws Exception {
        List<Call<Order>> calls = calls(IntStream.range(0, 1_000).toArray());
        assertThat(kinds(engine.runAll(CHARGE, calls, counting()))).containsOnly("Executed");
        assertThat(kinds(engine.runAll(CHARGE, calls, counting()))).containsOnly("Replayed");
        assertThat(kinds(engine.runAll(NOTIFY, calls, (order, run) -> null))).containsOnly("Executed");
        assertThat(kinds(engine.runAll(NOTIFY, calls, (order, run) -> null))).containsOnly("Replayed");
    }

    private static List<Call<Order>> many(int calls) {
        return calls(IntStream.range(0, calls).toArray());
    }

    @Test
    void failedSecondHalfOfALongListDoesNotHideThatTheFirstWasRun() {
        Engine node = start(
                new FaultyStore(reopened(), Faults.nth(2, StoreCall.RESERVE, Faults.Fault.FAIL_BEFORE)),
                settings -> settings);
        List<Answer<Receipt>> answers = node.runAll(REFUND, many(514), (order, run) -> new Receipt("r"));
        assertThat(kinds(answers.subList(0, 512))).containsOnly("Executed");
        assertThat(kinds(answers.subList(512, 514))).containsOnly("RetryLater");
        assertThat(state(REFUND, "k511")).isEqualTo(State.COMPLETED);
        assertThat(state(REFUND, "k513")).isNull();
    }

    @Test
    void callThatIsGrantedBesideOneThatTheStoreFailsIsRunAndFinished() {
        Store failing = ledger((ledger, batch) -> {
            List<Reserved> answers = new ArrayList<>(
                    ledger.reserve(store.switchboard().modes().version(), batch.subList(0, batch.size() - 1)));
            answers.add(new Reserved.ReserveFailed(new SemelException.StoreUnavailable("simulated")));
            return answers;
        });
        List<Answer<Receipt>> answers =
                start(failing, settings -> settings).runAll(REFUND, calls(1, 2, 3), (order, run) -> new Receipt("r"));
        assertThat(kinds(answers)).containsExactly("Executed", "Executed", "RetryLater");
        assertThat(state(REFUND, "k2")).isEqualTo(State.COMPLETED);
        assertThat(state(REFUND, "k3")).isNull();
    }

    @Test
    void callThatRanIsFinishedAlthoughTheStoreFailsAnotherOfTheBatch() {
        abandon(REFUND, "lost");
        time.advance(LEASE.plusSeconds(1));
        Store failing = new ForwardingStore(reopened()) {
            @Override
            public Ledger ledger() {
                return new ForwardingLedger(delegate().ledger()) {
                    @Override
                    public List<Moved> move(List<Move> batch) {
                        if (batch.stream().anyMatch(move -> move.to() == State.UNKNOWN)) {
                            throw new SemelException.StoreUnavailable("simulated");
                        }
                        return super.move(batch);
                    }
                };
            }
        };
        List<Call<Order>> calls = List.of(calls(1).get(0), call("lost"), calls(3).get(0));
        List<Answer<Receipt>> answers =
                start(failing, settings -> settings).runAll(REFUND, calls, (order, run) -> new Receipt("r"));
        assertThat(kinds(answers)).containsExactly("Executed", "RetryLater", "Executed");
        assertThat(state(REFUND, "k1")).isEqualTo(State.COMPLETED);
        assertThat(state(REFUND, "k3")).isEqualTo(State.COMPLETED);
        assertThat(state(REFUND, "lost")).isEqualTo(State.IN_PROGRESS);
    }

    @FunctionalInterface
    private interface ReserveCall {
        List<Reserved> reserve(Ledger ledger, List<Reservation> batch);
    }

    private Store ledger(ReserveCall reserving) {
        return new ForwardingStore(reopened()) {
            @Override
            public Ledger ledger() {
                return new ForwardingLedger(delegate().ledger()) {
                    @Override
                    public List<Reserved> reserve(long modesVersion, List<Reservation> batch) {
                        return batch.size() < 2
                                ? super.reserve(modesVersion, batch)
                                : reserving.reserve(delegate(), batch);
                    }
                };
            }
        };
    }
}
