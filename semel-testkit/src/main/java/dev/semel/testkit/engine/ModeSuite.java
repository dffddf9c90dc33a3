package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.Mode;
import dev.semel.Operation;
import dev.semel.engine.Engine;
import dev.semel.execution.CurrentModes;
import dev.semel.execution.GatewayRun;
import dev.semel.execution.Settled;
import dev.semel.operator.Operator.Warrant;
import dev.semel.store.State;
import dev.semel.store.Store;
import dev.semel.store.Switchboard;
import dev.semel.store.Transactions;
import dev.semel.testkit.fault.Faults;
import dev.semel.testkit.fault.FaultyStore;
import dev.semel.testkit.fault.ForwardingStore;
import dev.semel.testkit.fault.ForwardingTransactions;
import dev.semel.testkit.fault.StoreCall;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The promise of a mode to an operator who set it and waited: nothing starts any more, on any node. */
abstract class ModeSuite extends ChannelFixture {
    private static final Warrant WARRANT = new Warrant("ann", "stop");
    private static final Duration WAITED = CurrentModes.FRESH.plusMillis(1);

    private final AtomicBoolean cutOff = new AtomicBoolean();

    ModeSuite(EngineContract contract) {
        super(contract);
    }

    /** A node that reaches its store until it is cut off. */
    private Engine remote() {
        Faults faults = call -> cutOff.get() ? Faults.Fault.FAIL_BEFORE : Faults.Fault.NONE;
        return start(new FaultyStore(reopened(), faults), settings -> settings);
    }

    /** As {@code mode set HALTED --wait} does, from elsewhere. */
    private void haltAndWait() {
        engine.operator().setMode(new Switchboard.Setting(null, null, Mode.HALTED), WARRANT);
        time.advance(WAITED);
    }

    @Test
    void c6_nodeThatIsCutOffStartsNoClaimedMessage() {
        Engine node = remote();
        node.handle(MAIL, (note, run) -> {
            handled.add(note.text());
            cutOff.set(true);
            haltAndWait();
        });
        Stream.of("a", "b", "c").forEach(key -> send(MAIL, key));
        node.duties().worker().turn();
        assertThat(handled).hasSize(1);
    }

    @Test
    void c6_nodeThatIsCutOffStartsNothingMoreOfALane() {
        Engine node = remote();
        node.handle(CHAT, (note, run) -> {
            handled.add(note.text());
            cutOff.set(true);
            haltAndWait();
        });
        Stream.of("a", "b", "c").forEach(key -> send(CHAT, key));
        node.duties().worker().turn();
        assertThat(handled).containsExactly("a");
    }

    @Test
    void c6_claimedMessagesAreHandledOnceTheNodeReachesItsStoreAgain() {
        Engine node = remote();
        node.handle(MAIL, (note, run) -> {
            handled.add(note.text());
            if (handled.size() == 1) {
                cutOff.set(true);
                time.advance(WAITED);
            }
        });
        Stream.of("a", "b", "c").forEach(key -> send(MAIL, key));
        node.duties().worker().turn();
        assertThat(handled).hasSize(1);
        cutOff.set(false);
        time.advance(Duration.ofMillis(200));
        work(node);
        assertThat(handled).containsExactlyInAnyOrder("a", "b", "c");
    }

    @Test
    void c6_nodeThatWasCutOffObeysTheModeWhenItIsBack() {
        Engine node = remote();
        node.handle(MAIL, (note, run) -> {
            handled.add(note.text());
            cutOff.set(true);
            haltAndWait();
        });
        Stream.of("a", "b").forEach(key -> send(MAIL, key));
        node.duties().worker().turn();
        cutOff.set(false);
        time.advance(Duration.ofMillis(200));
        work(node);
        assertThat(handled).hasSize(1);
    }

    /** It needs no grant, and a retry after the halt would be as late. */
    @Test
    void callWhoseDeadlineHasPassedFailsUnderHaltedToo() throws Exception {
        haltAndWait();
        Instant past = Instant.ofEpochMilli(time.millis());
        assertThat(failure(engine.run(CHARGE, call("a").withDeadline(past), charging("a")))
                        .category())
                .isEqualTo(Failure.Category.TIMEOUT);
        assertThat(failure(engine.run(NOTIFY, call("l").withDeadline(past), (order, run) -> new Receipt("never")))
                        .category())
                .isEqualTo(Failure.Category.TIMEOUT);
        assertThat(engine.run(CHARGE, call("a"), charging("a"))).isInstanceOf(Answer.Halted.class);
        assertThat(engine.run(NOTIFY, call("l"), (order, run) -> new Receipt("never")))
                .isInstanceOf(Answer.Halted.class);
        assertThat(effects.count("a")).isZero();
    }

    /** Its grant takes so long that the modes must be read again, and then they cannot be. */
    private Engine slow() {
        return start(
                new FaultyStore(reopened(), new Faults() {
                    @Override
                    public Fault at(StoreCall call) {
                        return call == StoreCall.MODES && cutOff.get() ? Fault.FAIL_BEFORE : Fault.NONE;
                    }

                    @Override
                    public void done(StoreCall call) {
                        if (call == StoreCall.RESERVE) {
                            time.advance(WAITED);
                        }
                    }
                }),
                settings -> settings);
    }

    @Test
    void c6_callThatIsNotStartedBecauseTheModesCannotBeReadIsNotSaidToBeSwitchedOff() {
        Engine node = slow();
        cutOff.set(true);
        Answer<Receipt> answer = node.run(REFUND, call("k"), (order, run) -> {
            handled.add("ran");
            return new Receipt("r");
        });
        assertThat(answer).isInstanceOf(Answer.RetryLater.class);
        assertThat(((Answer.RetryLater<Receipt>) answer).notice().reason()).contains("it was not started");
        assertThat(handled).isEmpty();
        assertThat(engine.run(REFUND, call("k"), (order, run) -> new Receipt("r")))
                .isInstanceOf(Answer.Executed.class);
        assertThat(row(REFUND, "k").status().attempt()).isEqualTo(1);
    }

    @Test
    void c1_callWhoseLeaseExpiresRepeatedlyBeforeItStartsReturns() {
        AtomicBoolean slow = new AtomicBoolean();
        Faults faults = new Faults() {
            @Override
            public Fault at(StoreCall call) {
                return Fault.NONE;
            }

            @Override
            public void done(StoreCall call) {
                if (call == StoreCall.RESERVE) {
                    time.advance(WAITED);
                    slow.set(true);
                } else if (call == StoreCall.MODES && slow.getAndSet(false)) {
                    time.advance(LEASE);
                }
            }
        };
        Engine node = start(new FaultyStore(reopened(), faults), settings -> settings);
        Answer<Receipt> answer = node.run(REFUND, call("k"), (order, run) -> new Receipt("r"));
        assertThat(answer).isInstanceOf(Answer.RetryLater.class);
        assertThat(row(REFUND, "k").status().attempt()).isZero();
    }

    @Test
    void c6_exchangeThatIsNotStartedBecauseTheModesCannotBeReadIsNotSaidToBeSwitchedOff() {
        Operation.Leased<byte[], byte[]> gateway =
                Operation.leased("gateway", byte[].class, byte[].class).withPolicy("steady");
        Call<byte[]> call = Call.of(ACME, Key.of("k"), new byte[] {1});
        Engine node = slow();
        cutOff.set(true);
        Settled.Begun begun = node.gatewayRuns().begin(gateway, call);
        assertThat(begun).isInstanceOf(Settled.Answered.class);
        assertThat(((Settled.Answered) begun).answer()).isInstanceOf(Answer.RetryLater.class);
        assertThat(engine.gatewayRuns().begin(gateway, call)).isInstanceOf(GatewayRun.class);
    }

    @Test
    void d9_batchOfAtomicDeliveriesIsCheckedBeforeEachHandler() {
        AtomicBoolean halted = new AtomicBoolean();
        Engine node = start(seeing(halted), settings -> settings);
        AtomicBoolean halting = new AtomicBoolean();
        node.handle(POST, (note, tx) -> {
            handled.add(note.text());
            if (halting.get()) {
                halted.set(true);
                time.advance(WAITED);
            }
        });
        // Handlers that take no time share a transaction, once that is known of them.
        IntStream.range(0, 50).forEach(n -> send(POST, "warm-up " + n));
        work(node);
        handled.clear();
        halting.set(true);
        Stream.of("a", "b", "c").forEach(key -> send(POST, key));
        node.duties().worker().turn();
        assertThat(handled).hasSize(1);
        assertThat(Stream.of("a", "b", "c").map(key -> row(POST, key).state())).containsOnly(State.QUEUED);
    }

    @Test
    void d9_batchOfAtomicCallsIsCheckedBeforeEachHandler() {
        AtomicBoolean halted = new AtomicBoolean();
        Engine node = start(seeing(halted), settings -> settings);
        List<Call<Order>> calls = List.of(call("a"), call("b"), call("c"));
        node.runAll(CHARGE, calls, (order, tx) -> {
            handled.add("ran");
            halted.set(true);
            time.advance(WAITED);
            return new Receipt("r");
        });
        assertThat(handled).hasSize(1);
        assertThat(state(CHARGE, "a")).isNull();
    }

    /**
     * A store that shows everything as halted from a moment on inside a transaction, and is really halted behind it: set while
     * the transaction is open, the mode would wait for its locks.
     */
    private Store seeing(AtomicBoolean halted) {
        Switchboard.Setting everything = new Switchboard.Setting(null, null, Mode.HALTED);
        return new ForwardingStore(reopened()) {
            @Override
            public Optional<Transactions> transactions() {
                return super.transactions().map(each -> new ForwardingTransactions(each) {
                    @Override
                    public <T> T run(Work<T> work) throws Exception {
                        boolean before = halted.get();
                        T value = super.run(work);
                        if (halted.get() && !before) {
                            engine.operator().setMode(everything, WARRANT);
                        }
                        return value;
                    }

                    @Override
                    protected Tx wrap(Tx tx) {
                        return new ForwardingTx(tx) {
                            @Override
                            public Switchboard.Modes modes() {
                                Switchboard.Modes real = super.modes();
                                return halted.get()
                                        ? new Switchboard.Modes(
                                                real.version() + 1, List.of(everything), List.of(), real.now())
                                        : real;
                            }
                        };
                    }
                });
            }
        };
    }
}
