package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.Mode;
import dev.semel.Operation;
import dev.semel.Reconciler.Verdict;
import dev.semel.SemelException;
import dev.semel.engine.Engine;
import dev.semel.execution.GatewayRun;
import dev.semel.execution.Settled;
import dev.semel.operator.Operator.Warrant;
import dev.semel.store.Ledger;
import dev.semel.store.Reservation;
import dev.semel.store.Reserved;
import dev.semel.store.State;
import dev.semel.store.Switchboard;
import dev.semel.testkit.fault.Faults;
import dev.semel.testkit.fault.FaultyStore;
import dev.semel.testkit.fault.ForwardingLedger;
import dev.semel.testkit.fault.ForwardingStore;
import dev.semel.testkit.fault.StoreCall;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * An owner returns after its lease expired: a decision made about its record meanwhile stands, and every answer
 * agrees with it.
 */
abstract class LateOwnerSuite extends EngineSuite {
    private static final Operation.Leased<byte[], byte[]> ONCE =
            Operation.leased("once", byte[].class, byte[].class).withPolicy("steady");
    private static final Failure LATE = Failure.of(Failure.Category.UPSTREAM_ERROR, "late");

    /** The number of the attempt that the reconciler got. */
    private final AtomicInteger asked = new AtomicInteger();

    LateOwnerSuite(EngineContract contract) {
        super(contract);
    }

    @BeforeEach
    void registerReconciler() {
        engine.reconcile(ONCE, (payload, about) -> {
            asked.set(about.attempt());
            return Verdict.tookEffect(bytes("found"));
        });
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static Settled.Begun begin(Engine on, String key) {
        return on.gatewayRuns().begin(ONCE, Call.of(ACME, Key.of(key), bytes("payload")));
    }

    /** A node that has no result in memory. */
    private Answer<byte[]> toldElsewhere(String key) {
        return ((Settled.Answered) begin(otherNode(), key)).answer();
    }

    private void assertDecided(String key) {
        assertThat(state(ONCE, key)).isEqualTo(State.COMPLETED);
        Answer<byte[]> told = toldElsewhere(key);
        assertThat(told).isInstanceOf(Answer.Replayed.class);
        assertThat(told.orThrow()).isEqualTo(bytes("found"));
    }

    /** The lease of the run is over, and the reconciler finds that it took effect. */
    private void reconcile(String key) {
        time.advance(LEASE.plusSeconds(1));
        engine.duties().sweeper().sweep();
        assertThat(state(ONCE, key)).isEqualTo(State.UNKNOWN);
        engine.duties().reconciliation().reconcile();
        assertDecided(key);
    }

    private void comesLate(String key, Consumer<GatewayRun> end) {
        GatewayRun run = (GatewayRun) begin(engine, key);
        reconcile(key);
        end.accept(run);
        assertDecided(key);
        assertThat(story(ONCE, key)).contains("operation.reconciled").last().isEqualTo("operation.replayed");
    }

    private void assertTold(Settled settled) {
        assertThat(settled).isInstanceOf(Settled.Answered.class);
        assertThat(((Settled.Answered) settled).answer().orThrow()).isEqualTo(bytes("found"));
    }

    @Test
    void a4_decisionOfAReconcilerStandsHoweverTheLateOwnerEnds() {
        comesLate("keep", run -> assertTold(run.keep(bytes("other"))));
        comesLate("refuse", run -> assertTold(run.refuse(bytes("other"))));
        comesLate("fail", run -> assertTold(run.fail(LATE)));
        comesLate("park", run -> assertTold(run.park(LATE)));
        comesLate("drop", run -> assertTold(run.drop()));
        comesLate("forbid", run -> assertTold(run.drop(bytes("forbidden"))));
        comesLate("back", run -> assertTold(run.handBack(Duration.ZERO, LATE)));
    }

    /** The owner's use of its transaction before its run is decided, and its attempt afterwards. */
    private void inTransactions(String key, InTransaction before, InTransaction afterwards) throws Exception {
        Optional<Connection> mine = connect();
        Assumptions.assumeTrue(mine.isPresent(), "the store has no connections of the application's own");
        try (Connection connection = mine.get()) {
            connection.setAutoCommit(false);
            GatewayRun run = (GatewayRun) begin(engine, key);
            before.with(run, connection);
            connection.rollback();
            run.rolledBack();
            reconcile(key);
            afterwards.with(run, connection);
            connection.rollback();
            assertDecided(key);
        }
    }

    @FunctionalInterface
    private interface InTransaction {
        void with(GatewayRun run, Connection connection) throws Exception;
    }

    @Test
    void a4_answerOfALateOwnerWhoseMarkWasRolledBackDoesNotReplaceTheDecidedOne() throws Exception {
        inTransactions(
                "k", (run, connection) -> run.mark(connection), (run, connection) -> assertTold(run.keep(bytes("o"))));
    }

    @Test
    void a4_transactionOfALateOwnerIsRejectedOnceItsRunIsDecided() throws Exception {
        inTransactions(
                "mark",
                (run, connection) -> {},
                (run, connection) ->
                        assertThatThrownBy(() -> run.mark(connection)).isInstanceOf(SemelException.LeaseLost.class));
        inTransactions(
                "hold",
                (run, connection) -> {},
                (run, connection) ->
                        assertThatThrownBy(() -> run.hold(connection)).isInstanceOf(SemelException.LeaseLost.class));
    }

    /** Another node, to which something happens between its look at a record and what it makes of it. */
    private Engine pausedAfterItsLook(Runnable meanwhile) {
        AtomicBoolean paused = new AtomicBoolean();
        return start(
                new ForwardingStore(reopened()) {
                    @Override
                    public Ledger ledger() {
                        return new ForwardingLedger(delegate().ledger()) {
                            @Override
                            public List<Reserved> reserve(long modesVersion, List<Reservation> batch) {
                                List<Reserved> answers = super.reserve(modesVersion, batch);
                                if (paused.compareAndSet(false, true)) {
                                    meanwhile.run();
                                }
                                return answers;
                            }
                        };
                    }
                },
                settings -> settings);
    }

    private Answer<byte[]> toldWhile(String key, Consumer<GatewayRun> meanwhile) {
        GatewayRun run = (GatewayRun) begin(engine, key);
        time.advance(LEASE.plusSeconds(1));
        Engine other = pausedAfterItsLook(() -> meanwhile.accept(run));
        return ((Settled.Answered) begin(other, key)).answer();
    }

    @Test
    void a4_ownerThatEndsAtTheLastMomentIsNotAnsweredUnknown() {
        Answer<byte[]> done = toldWhile("kept", run -> run.keep(bytes("done")));
        assertThat(done).isInstanceOf(Answer.Replayed.class);
        assertThat(done.orThrow()).isEqualTo(bytes("done"));
        assertThat(toldWhile("dropped", GatewayRun::drop)).isInstanceOf(Answer.InProgress.class);
        assertThat(toldWhile("renewed", run -> engine.duties().keeper().tick())).isInstanceOf(Answer.InProgress.class);
        assertThat(toldWhile("parked", run -> run.park(LATE))).isInstanceOf(Answer.Unknown.class);
    }

    @Test
    void runWhoseStepsActedBeforeShadowIsUnknownWhenThatCannotBeRecorded() {
        AtomicBoolean away = new AtomicBoolean();
        List<String> acted = new ArrayList<>();
        Engine node = start(
                new FaultyStore(
                        reopened(),
                        call -> away.get() && call == StoreCall.MOVE ? Faults.Fault.FAIL_BEFORE : Faults.Fault.NONE),
                settings -> settings);
        Answer<Receipt> answer = node.run(REFUND, call("k"), (order, run) -> {
            run.step("one", Boolean.class, acted::add);
            engine.operator()
                    .setMode(new Switchboard.Setting(null, REFUND.name(), Mode.SHADOW), new Warrant("ann", "dry run"));
            away.set(true);
            run.step("two", Boolean.class, acted::add);
            return new Receipt("never");
        });
        assertThat(acted).hasSize(1);
        assertThat(answer).isInstanceOf(Answer.Unknown.class);
    }

    @Test
    void reconcilerGetsTheAttemptOfAnUnrepeatableRun() throws Exception {
        Optional<Connection> mine = connect();
        Assumptions.assumeTrue(mine.isPresent(), "the store has no connections of the application's own");
        try (Connection connection = mine.get()) {
            connection.setAutoCommit(false);
            GatewayRun run = (GatewayRun) begin(engine, "k");
            run.hold(connection);
            connection.commit();
        }
        engine.operator().adopt(new Warrant("ann", "restored"));
        engine.duties().reconciliation().reconcile();
        assertThat(asked).hasValue(1);
        assertThat(engine.operator().explain(row(ONCE, "k")).sentence()).contains("attempt 1 completed it");
    }
}
