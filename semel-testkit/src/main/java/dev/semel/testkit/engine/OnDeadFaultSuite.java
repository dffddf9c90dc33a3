package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Answer;
import dev.semel.Channel;
import dev.semel.Operation;
import dev.semel.SemelException;
import dev.semel.engine.Engine;
import dev.semel.store.State;
import dev.semel.store.Store;
import dev.semel.store.Transactions;
import dev.semel.testkit.fault.Faults;
import dev.semel.testkit.fault.FaultyStore;
import dev.semel.testkit.fault.ForwardingStore;
import dev.semel.testkit.fault.ForwardingTransactions;
import dev.semel.testkit.fault.StoreCall;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whatever happens to a node or its store while something dies: the fallback is there exactly if the dead letter is. */
abstract class OnDeadFaultSuite extends OnDeadFixture {
    private static final List<Channel<Note>> CHANNELS = List.of(MAIL, POST, CHAT, BOOK);

    /** The store of all nodes to which something happens: hundreds of them, and opening a store takes longer than a death. */
    private @Nullable Store shared;

    OnDeadFaultSuite(EngineContract contract) {
        super(contract);
    }

    @BeforeEach
    void survivorHandlesEverything() {
        serve(engine);
    }

    @AfterEach
    void closeSharedStore() {
        if (shared != null) {
            shared.close();
        }
    }

    /** The shared store, which a node that is stopped leaves open. */
    private Store keptOpen() {
        if (shared == null) {
            shared = reopened();
        }
        return new ForwardingStore(shared) {
            @Override
            public void close() {}
        };
    }

    private void serve(Engine node) {
        for (Channel<Note> channel : CHANNELS) {
            node.onDead(channel, fallback());
            if (channel instanceof Channel.Leased<Note> leased) {
                node.handle(leased, dying());
            } else {
                node.handle((Channel.Atomic<Note>) channel, dyingAtomically());
            }
        }
        for (Operation<Order, Receipt> operation : List.of(CHARGE, NOTIFY)) {
            node.onDead(operation, (death, tx) -> {
                String name =
                        death.record().operation() + " " + death.record().key().text();
                effects.apply(tx, "fallback of " + name);
                tx.send(REVIEW, death.key("review"), name);
            });
        }
    }

    /** The node died. */
    private static final class NodeDied extends Error {
        private static final long serialVersionUID = 1;
    }

    /** At its n-th store call something happens to the node. */
    private abstract static class Disturbance implements Faults {
        final int n;
        int calls;
        boolean struck;
        boolean armed;

        Disturbance(int n) {
            this.n = n;
        }

        boolean isDue() {
            boolean due = armed && ++calls == n;
            struck |= due;
            return due;
        }
    }

    /** The node dies there: before the store has carried the call out, or after it. */
    private static final class Dies extends Disturbance {
        private final boolean after;
        private boolean dead;

        Dies(int n, boolean after) {
            super(n);
            this.after = after;
        }

        @Override
        public Fault at(StoreCall call) {
            boolean now = isDue();
            dieIf(dead || now && !after);
            dead |= now;
            return Fault.NONE;
        }

        @Override
        public void done(StoreCall call) {
            dieIf(dead);
        }

        private void dieIf(boolean dies) {
            if (dies && armed) {
                dead = true;
                throw new NodeDied();
            }
        }
    }

    /** The store fails there, once. */
    private static final class Fails extends Disturbance {
        private final Fault fault;

        Fails(int n, Fault fault) {
            super(n);
            this.fault = fault;
        }

        @Override
        public Fault at(StoreCall call) {
            return isDue() ? fault : Fault.NONE;
        }
    }

    /**
     * The store calls at which something happens: from the first one in steps. Where a death takes long the steps are as long as
     * there are channels or operations, and each begins at another call: together they still take every call.
     */
    private record StoreCalls(int first, int step) {}

    private StoreCalls storeCalls(int turn, int turns) {
        return strikesEverywhere() ? new StoreCalls(1, 1) : new StoreCalls(1 + turn % turns, turns);
    }

    /** Has something die on a node to which something happens at these store calls in turn, until nothing happens any more. */
    private void atStoreCalls(StoreCalls at, String name, IntFunction<Disturbance> disturbances, DeathOn death)
            throws Exception {
        int reached = 0;
        boolean struck = true;
        for (int n = at.first(); struck; n += at.step()) {
            Disturbance disturbance = disturbances.apply(n);
            Engine node = start(new FaultyStore(keptOpen(), disturbance), settings -> settings);
            serve(node);
            disturbance.armed = true;
            death.run(node, name + n);
            disturbance.armed = false;
            stop(node);
            struck = disturbance.struck;
            reached = struck ? n : reached;
        }
        assertThat(reached).as("store calls of a death").isGreaterThanOrEqualTo(Math.max(at.first(), 4 - at.step()));
    }

    @FunctionalInterface
    private interface DeathOn {
        void run(Engine node, String key) throws Exception;
    }

    private void ofMessages(int turn, String name, IntFunction<Disturbance> disturbances) throws Exception {
        for (Channel<Note> channel : CHANNELS) {
            StoreCalls calls = storeCalls(CHANNELS.indexOf(channel) + turn, CHANNELS.size());
            atStoreCalls(calls, channel.name() + name, disturbances, (node, key) -> {
                send(channel, key, "lane of " + key);
                send(channel, key + "-next", "lane of " + key);
                try {
                    work(node);
                } catch (NodeDied | SemelException e) {
                    // The survivor goes on.
                }
                assertThat(fallbacks(key))
                        .as(key + ": fallback and dead letter")
                        .isEqualTo(row(channel, key).state() == State.FAILED_TERMINAL ? 1 : 0);
                recover(channel, key, key + "-next");
                assertDied(channel, key, 1);
                assertDied(channel, key + "-next", 1);
            });
        }
    }

    @Test
    void d14_nodeThatDiesBeforeAnyStoreCallOfADeathLeavesBothOrNeither() throws Exception {
        ofMessages(0, "-before-", n -> new Dies(n, false));
    }

    @Test
    void d14_nodeThatDiesAfterAnyStoreCallOfADeathLeavesBothOrNeither() throws Exception {
        ofMessages(1, "-after-", n -> new Dies(n, true));
    }

    @Test
    void d14_storeThatFailsAtAnyCallOfADeathLeavesBothOrNeither() throws Exception {
        ofMessages(2, "-failed-", n -> new Fails(n, Faults.Fault.FAIL_BEFORE));
        ofMessages(3, "-failedafter-", n -> new Fails(n, Faults.Fault.FAIL_AFTER));
    }

    @Test
    void d14_replyThatIsLostAtAnyCallOfADeathDoublesNothing() throws Exception {
        ofMessages(4, "-lost-", n -> new Fails(n, Faults.Fault.LOSE_REPLY));
        ofMessages(5, "-unknown-", n -> new Fails(n, Faults.Fault.UNKNOWN));
    }

    @Test
    void d14_transactionOfADeathThatIsRunAgainAfterALostReplyDoublesNothing() throws Exception {
        for (Channel<Note> channel : CHANNELS) {
            Faults lost = Faults.nth(1, StoreCall.COMMIT, Faults.Fault.LOSE_REPLY);
            Store store = new ForwardingStore(new FaultyStore(reopened(), lost)) {
                @Override
                public Optional<Transactions> transactions() {
                    return super.transactions().map(OnDeadFaultSuite::runningAgain);
                }
            };
            Engine node = start(store, settings -> settings);
            node.onDead(channel, fallback());
            if (channel instanceof Channel.Leased<Note> leased) {
                node.handle(leased, dying());
            } else {
                node.handle((Channel.Atomic<Note>) channel, dyingAtomically());
            }
            send(channel, channel.name());
            work(node);
            assertDied(channel, channel.name(), 1);
            assertThat(deaths.stream()
                            .filter(death -> death.record().operation().equals(channel.name())))
                    .as("it was tried again, and rolled back")
                    .hasSize(2);
        }
    }

    private static Transactions runningAgain(Transactions real) {
        return new ForwardingTransactions(real) {
            @Override
            public <T> T run(Work<T> work) throws Exception {
                try {
                    return super.run(work);
                } catch (SemelException.OutcomeUnknown e) {
                    return super.run(work);
                }
            }
        };
    }

    @Test
    void d14_directCallWhoseNodeOrStoreFailsAtAnyCallOfItsDeathHasBothOrNeither() throws Exception {
        direct(0, "before-", n -> new Dies(n, false));
        direct(1, "after-", n -> new Dies(n, true));
        for (Faults.Fault fault : Faults.Fault.values()) {
            if (fault != Faults.Fault.NONE) {
                direct(fault.ordinal(), fault.name(), n -> new Fails(n, fault));
            }
        }
    }

    private void direct(int turn, String name, IntFunction<Disturbance> disturbances) throws Exception {
        List<Operation<Order, Receipt>> operations = List.of(CHARGE, NOTIFY);
        for (Operation<Order, Receipt> operation : operations) {
            direct(storeCalls(operations.indexOf(operation) + turn, operations.size()), operation, name, disturbances);
        }
    }

    private void direct(
            StoreCalls calls, Operation<Order, Receipt> operation, String name, IntFunction<Disturbance> disturbances)
            throws Exception {
        atStoreCalls(calls, name, disturbances, (node, key) -> {
            try {
                fail(node, operation, key);
            } catch (NodeDied | SemelException e) {
                // Its caller repeats the call at another node.
            }
            String fallback = "fallback of " + operation.name() + " " + key;
            assertThat(effects.count(fallback))
                    .as(key + ": fallback and dead letter")
                    .isEqualTo(state(operation, key) == State.FAILED_TERMINAL ? 1 : 0);
            Answer<Receipt> answer = fail(engine, operation, key);
            for (int i = 0; i < 3 && !(answer instanceof Answer.Failed); i++) {
                time.advance(
                        TOO_LONG.retryAfter() == null
                                ? LEASE
                                : TOO_LONG.retryAfter().plus(LEASE));
                answer = fail(engine, operation, key);
            }
            assertThat(answer).isInstanceOf(Answer.Failed.class);
            assertThat(state(operation, key)).isEqualTo(State.FAILED_TERMINAL);
            assertThat(effects.count(fallback)).isEqualTo(1);
            work();
            assertThat(reviewed).containsOnlyOnce(operation.name() + " " + key);
        });
    }

    private Answer<Receipt> fail(Engine node, Operation<Order, Receipt> operation, String key) {
        return operation instanceof Operation.Atomic<Order, Receipt> atomic
                ? node.run(atomic, call(key), (order, tx) -> {
                    throw TOO_LONG.asException();
                })
                : node.run((Operation.Leased<Order, Receipt>) operation, call(key), (order, run) -> {
                    throw TOO_LONG.asException();
                });
    }
}
