package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.semel.Answer;
import dev.semel.Channel;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Mode;
import dev.semel.Operation;
import dev.semel.SemelException;
import dev.semel.engine.Engine;
import dev.semel.key.RecordId;
import dev.semel.operator.Operator.Warrant;
import dev.semel.operator.Replays.ReplayOutcome;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Store;
import dev.semel.store.Switchboard;
import dev.semel.store.Transactions;
import dev.semel.testkit.fault.ForwardingStore;
import dev.semel.testkit.fault.ForwardingTransactions;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What SHADOW records, while others record, close or send the same at the same moment. */
abstract class ShadowRaceSuite extends ChannelFixture {
    private static final Warrant WARRANT = new Warrant("ann", "a dry run");
    private static final Operation.Atomic<Order, Receipt> INNER =
            Operation.atomic("inner", Order.class, Receipt.class).withPolicy("steady");

    ShadowRaceSuite(EngineContract contract) {
        super(contract);
    }

    private void mode(@Nullable String operation, Mode mode) {
        engine.operator().setMode(new Switchboard.Setting(null, operation, mode), WARRANT);
    }

    /** A decision that sends one message to a leased channel, with the key and text of the note. */
    private Channel.AtomicDelivery<Note> deciding() {
        return (note, tx) -> {
            effects.apply(tx, note.text());
            handled.add("decided " + note.text());
            tx.send(MAIL, note("m-" + note.text(), "lane"));
        };
    }

    private static Message<Note> otherNote(String key) {
        return Message.of(ACME, Key.of(key), new Note("lane", "other"));
    }

    private RecordId shadowId(String key) {
        return id(MAIL.operation(), key).shadow();
    }

    private @Nullable Row shadow(String key) {
        RecordId id = shadowId(key);
        return store.ledger().find(List.of(id)).live(id);
    }

    private State shadowState(String key) {
        return Objects.requireNonNull(shadow(key), "nothing is recorded of " + key)
                .state();
    }

    private @Nullable State mailState(String key) {
        return state(MAIL.operation(), key);
    }

    /** Runs a direct decision in SHADOW that would send this message. */
    private Answer<Receipt> decide(Engine node, String key, Message<Note> message) {
        return node.run(CHARGE, call(key), (order, tx) -> {
            effects.apply(tx, key);
            tx.send(MAIL, message);
            return new Receipt("r-" + key);
        });
    }

    private ReplayOutcome replay(String key) {
        return engine.operator().replay(shadowId(key), WARRANT);
    }

    /** A handler that tries twice and undoes both has sent nothing. */
    @Test
    void messageThatTheHandlerUndidTwiceIsNotRecorded() {
        mode(CHARGE.name(), Mode.SHADOW);
        engine.run(CHARGE, call("k"), (order, tx) -> {
            for (String inner : List.of("i1", "i2")) {
                engine.run(INNER, call(inner), (payload, nested) -> {
                    nested.send(MAIL, note("undone", "lane"));
                    throw failing(dev.semel.Failure.Category.BUSINESS_RULE);
                });
            }
            return new Receipt("r");
        });
        assertThat(shadow("undone")).isNull();
    }

    @Test
    void innerRunsInShadowOfOneTransactionMayDifferInTheirPayloads() {
        mode(INNER.name(), Mode.SHADOW);
        Answer<Receipt> outer = engine.run(CHARGE, call("k"), (order, tx) -> {
            for (Message<Note> message : List.of(note("m", "lane"), otherNote("m"), otherNote("m"))) {
                engine.run(INNER, call("inner"), (payload, nested) -> {
                    nested.send(MAIL, message);
                    return new Receipt("i");
                });
            }
            return new Receipt("r");
        });
        assertExecuted(outer, "r");
        assertThat(text(Objects.requireNonNull(shadow("m")))).contains("other");
        assertThat(shadowState("m")).isEqualTo(State.SHADOWED);
        engine.handle(MAIL, listing());
        time.advance(Duration.ofHours(1));
        work();
        assertThat(handled).isEmpty();
    }

    /** An operator closes what an earlier run recorded, just when a run with another payload replaces it. */
    @Test
    void d9_recordThatIsClosedWhileItIsReplacedLosesNoDelivery() {
        assumeFalse(store.name().startsWith("sqlite"), "one writer at a time: nobody can close it meanwhile");
        mode(CHARGE.name(), Mode.SHADOW);
        mode(POST.name(), Mode.SHADOW);
        decide(engine, "k", otherNote("m-a"));
        AtomicBoolean closed = new AtomicBoolean();
        Engine node = start(
                withTransactions(tx -> new ForwardingTransactions.ForwardingTx(tx) {
                    @Override
                    public List<Moved> move(List<Move> moves) {
                        boolean replaces = moves.stream().anyMatch(move -> move.to() == null);
                        if (replaces && closed.compareAndSet(false, true)) {
                            assertThat(engine.operator().discard(shadowId("m-a"), WARRANT))
                                    .isEqualTo(ReplayOutcome.DONE);
                        }
                        return super.move(moves);
                    }
                }),
                settings -> settings);
        node.handle(POST, deciding());
        send(POST, "a");
        node.duties().worker().turn();
        stop(node);
        assertThat(closed).isTrue();
        assertThat(row(POST, "a").state()).isEqualTo(State.SHADOWED);
        assertThat(shadowState("m-a")).isEqualTo(State.SHADOWED);
        assertThat(text(Objects.requireNonNull(shadow("m-a")))).contains("m-a");
    }

    /** The handler around an inner run in SHADOW catches what went wrong when that was recorded, and commits. */
    @Test
    void recordOfAnInnerRunThatFailsHalfwayLeavesNothing() {
        mode(INNER.name(), Mode.SHADOW);
        AtomicBoolean failed = new AtomicBoolean();
        Engine node = start(
                withTransactions(tx -> new ForwardingTransactions.ForwardingTx(tx) {
                    @Override
                    public List<Moved> move(List<Move> moves) {
                        if (moves.get(0).to() == State.SHADOWED) {
                            failed.set(true);
                            throw new SemelException.Locked("locked");
                        }
                        return super.move(moves);
                    }
                }),
                settings -> settings);
        Answer<Receipt> outer = node.run(CHARGE, call("k"), (order, tx) -> {
            try {
                node.run(INNER, call("inner"), (payload, nested) -> {
                    nested.send(MAIL, note("m", "lane"));
                    return new Receipt("i");
                });
            } catch (SemelException.Locked e) {
                handled.add("went on");
            }
            return new Receipt("r");
        });
        stop(node);
        assertExecuted(outer, "r");
        assertThat(failed).isTrue();
        assertThat(handled).containsExactly("went on");
        assertThat(shadow("m")).isNull();
    }

    /** What is sent is what the record says when it is closed, not what it said when it was read. */
    @Test
    void replayOfOneThatIsReplacedMeanwhileIsRefused() {
        mode(CHARGE.name(), Mode.SHADOW);
        decide(engine, "k1", note("m", "lane"));
        AtomicBoolean replaced = new AtomicBoolean();
        Engine node = start(
                new ForwardingStore(reopened()) {
                    @Override
                    public Optional<Transactions> transactions() {
                        return super.transactions().map(each -> new ForwardingTransactions(each) {
                            @Override
                            public <T> T run(Work<T> work) throws Exception {
                                if (replaced.compareAndSet(false, true)) {
                                    decide(engine, "k2", otherNote("m"));
                                }
                                return super.run(work);
                            }
                        });
                    }
                },
                settings -> settings);
        assertThat(node.operator().replay(shadowId("m"), WARRANT)).isEqualTo(ReplayOutcome.REFUSED);
        stop(node);
        assertThat(replaced).isTrue();
        assertThat(mailState("m")).isNull();
        assertThat(shadowState("m")).isEqualTo(State.SHADOWED);
        assertThat(replay("m")).isEqualTo(ReplayOutcome.DONE);
        engine.handle(MAIL, listing());
        work();
        assertThat(handled).containsExactly("other");
    }

    /** A transaction that has recorded a message of SHADOW is still open: the real messages of its lane go on. */
    @Test
    void recordOfShadowHoldsUpNoLane() {
        assumeFalse(store.name().startsWith("sqlite"), "one writer at a time: nobody else moves meanwhile");
        mode(INNER.name(), Mode.SHADOW);
        Engine node = otherNode();
        node.handle(BOOK, (note, tx) -> handled.add(note.text()));
        send(BOOK, "real1");
        send(BOOK, "real2");
        Answer<Receipt> outer = engine.run(CHARGE, call("k"), (order, tx) -> {
            for (Message<Note> message : List.of(note("m", "lane"), otherNote("m"))) {
                engine.run(INNER, call("inner"), (payload, nested) -> {
                    nested.send(BOOK, message);
                    return new Receipt("i");
                });
            }
            work(node);
            assertThat(row(BOOK, "real1").state()).isEqualTo(State.COMPLETED);
            assertThat(row(BOOK, "real2").state()).isEqualTo(State.COMPLETED);
            return new Receipt("r");
        });
        assertExecuted(outer, "r");
        assertThat(handled).containsExactly("real1", "real2");
    }

    private static String text(Row row) {
        return new String(Objects.requireNonNull(row.payload()), StandardCharsets.UTF_8);
    }

    /** A second handle of the store whose transactions are seen through this. */
    private Store withTransactions(UnaryOperator<Transactions.Tx> seen) {
        return new ForwardingStore(reopened()) {
            @Override
            public Optional<Transactions> transactions() {
                return super.transactions().map(each -> new ForwardingTransactions(each) {
                    @Override
                    protected Tx wrap(Tx tx) {
                        return seen.apply(tx);
                    }
                });
            }
        };
    }
}
