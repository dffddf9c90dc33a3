package dev.semel.execution;

import dev.semel.Failure;
import dev.semel.Mode;
import dev.semel.Policy;
import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.audit.EventType;
import dev.semel.execution.Settled.Answered;
import dev.semel.execution.Settled.Begun;
import dev.semel.execution.Settled.EffectCommitted;
import dev.semel.execution.Settled.Recorded;
import dev.semel.ledger.Transition;
import dev.semel.store.AuditEntry;
import dev.semel.store.LookupResult;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.Reserved;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Status;
import dev.semel.store.Transactions;
import dev.semel.store.Transactions.Tx;
import dev.semel.watch.Outcome;
import java.sql.Connection;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A leased run that its gateway ends, once, on any thread. Until then its lease is renewed, and duplicates on this
 * node get "in progress". Thread-safe.
 */
public final class GatewayRun implements Begun {
    private static final Logger LOG = LoggerFactory.getLogger(GatewayRun.class);
    private static final String NOT_RUN = "It did not run, and that could not be recorded";

    private final SettlementTools settling;
    private final ApplicationTransactions transactions;
    private final InFlightCalls inFlight;
    private final PreparedCall<byte[], byte[]> prepared;
    private final Answers<byte[]> answers;
    private final Reserved.Granted granted;
    private final InFlightCalls.Leader leader;
    private final LeasedSettlement<byte[], byte[]> settlement;
    private final LeaseKeeper.Watched held;
    private final AtomicBoolean settled = new AtomicBoolean();
    private volatile boolean marked;
    private volatile boolean completed;

    private GatewayRun(
            LeasedTools tools,
            ApplicationTransactions transactions,
            InFlightCalls inFlight,
            LeaseGrants.LeaseGrant.Given<byte[], byte[]> given,
            InFlightCalls.Leader leader) {
        this.settling = tools.settling();
        this.transactions = transactions;
        this.inFlight = inFlight;
        this.prepared = given.prepared();
        this.settlement = new LeasedSettlement<>(settling, prepared);
        this.answers = settlement.answers();
        this.granted = given.granted();
        this.leader = leader;
        this.held = tools.hold(prepared, granted);
    }

    /** The run, or an answer when it may not start after all. */
    static Begun start(
            LeasedTools tools,
            ApplicationTransactions transactions,
            InFlightCalls inFlight,
            LeaseGrants.LeaseGrant.Given<byte[], byte[]> given,
            InFlightCalls.Leader leader) {
        if (given.mode() == Mode.SHADOW) {
            return new Answered(
                    new LeasedSettlement<>(tools.settling(), given.prepared()).shadowed(given.granted()), null);
        }
        GatewayRun run = new GatewayRun(tools, transactions, inFlight, given, leader);
        run.prepared.span().under(run.fence());
        Mode now = tools.steps().modes().beforeStart(run.prepared);
        if (now == Mode.LIVE) {
            return run;
        }
        Failure why = now == null
                ? Failures.MODES_NOT_READ
                : Failure.of(Failure.Category.DISABLED, "It was switched off before its start.");
        run.handBack(Duration.ZERO, why);
        return new Answered(run.answers.notStarted(now != null), null);
    }

    public Tenant tenant() {
        return prepared.call().tenant();
    }

    /** Which attempt of this record it is, from 1. */
    public int attempt() {
        return granted.attempt();
    }

    /** Only grows from grant to grant. */
    public long fence() {
        return granted.fence();
    }

    /** The idempotency key for a downstream service. It is the same for all attempts of the record. */
    public String downstreamKey() {
        return prepared.id().downstreamKey();
    }

    /** The handler begins on this thread: from now on it is interrupted when its attempt takes too long. */
    public void enter() {
        prepared.span().enter(granted.attempt());
        held.begin(prepared.policy().limits().attemptTimeout());
    }

    /** The handler's thread is free for other work; the run may end later, on another thread. */
    public void leave() {
        held.handlerEnded();
        prepared.span().leave();
    }

    /**
     * Writes into the caller's transaction, under the fence, that its effect is committed: the record is COMPLETED exactly if
     * the transaction commits, and is not run again then. To be the last statement before the commit. May be repeated.
     *
     * @throws SemelException.LeaseLost when another run has the record: the transaction must be rolled back
     * @throws SemelException.Invalid when the connection is not in a transaction on the store's database
     * @throws SemelException.TransactionMustBeRetried when the transaction's isolation does not let it see the record
     */
    public void mark(Connection connection) {
        writing(() -> {
            Tx tx = transactions.demand().join(connection);
            marked(tx, tx.move(List.of(mark())).get(0));
            return true;
        });
    }

    /** Its lease is not renewed while the caller's transaction has written the record; after a write that failed it is. */
    private boolean writing(BooleanSupplier write) {
        held.committing(true);
        try {
            return write.getAsBoolean();
        } catch (Throwable e) {
            rolledBack();
            throw e;
        }
    }

    /**
     * How much the connection has changed up to now, for {@link #markIfChanged}. To be asked when the transaction begins.
     *
     * @throws SemelException.StoreUnavailable when the connection does not answer
     */
    public long changes(Connection connection) {
        return transactions.demand().changes(connection);
    }

    /**
     * As {@link #mark}, provided that the transaction has written something.
     *
     * @param changesBefore what {@link #changes} said when the transaction began
     * @return whether it has: otherwise nothing is marked, because there is no effect to tell of
     */
    public boolean markIfChanged(Connection connection, long changesBefore) {
        return writing(() -> {
            Tx tx = transactions.demand().join(connection);
            Optional<Moved> moved = tx.moveIfChanged(mark(), changesBefore);
            moved.ifPresentOrElse(each -> marked(tx, each), this::rolledBack);
            return moved.isPresent();
        });
    }

    private Move mark() {
        Policy policy = prepared.policy();
        Duration keep = policy.retention().success();
        return completion(keep, new Mark(keep, policy.limits().lease()).encode());
    }

    /**
     * A record that was already COMPLETED was marked by this run, or decided by a reconciler: then no effect of this
     * run is kept any more.
     */
    private void marked(Tx tx, Moved moved) {
        if (moved instanceof Moved.Refused || moved instanceof Moved.Same && !isMarked(tx)) {
            throw lost();
        }
        marked = true;
    }

    private boolean isMarked(Tx tx) {
        return tx.lookUp(Transactions.ANY_MODES, List.of(prepared.identity())).get(0)
                        instanceof LookupResult.Found found
                && Mark.of(found.row().result()) != null;
    }

    /** A transaction that was marked is committed: the record is COMPLETED, and later transactions do not change that. */
    public void committed() {
        completed = true;
        held.committing(true);
    }

    /** A transaction that was marked has been rolled back after all, or one that was held is over: the lease is needed again. */
    public void rolledBack() {
        held.committing(completed);
    }

    /**
     * For a transaction that may commit although the one that holds the effect does not: writes into it, under the
     * fence, that nobody may take the run over. If the run is interrupted then, it is UNKNOWN; if it continues, it
     * may end in any way. Call it as the last statement before the commit, and call {@link #rolledBack} afterwards in
     * any case.
     *
     * @throws SemelException.LeaseLost when another run has the record: the transaction must be rolled back
     */
    public void hold(Connection connection) {
        if (!completed) {
            writing(() -> {
                Tx tx = transactions.demand().join(connection);
                held(tx, tx.move(List.of(holding())).get(0));
                return true;
            });
        }
    }

    /**
     * As {@link #hold}, provided that the transaction has written something.
     *
     * @param changesBefore what {@link #changes} said when the transaction began
     * @return whether it has, and no other transaction is marked as committed
     */
    public boolean holdIfChanged(Connection connection, long changesBefore) {
        if (completed) {
            return false;
        }
        return writing(() -> {
            Tx tx = transactions.demand().join(connection);
            Optional<Moved> moved = tx.moveIfChanged(holding(), changesBefore);
            moved.ifPresentOrElse(each -> held(tx, each), this::rolledBack);
            return moved.isPresent();
        });
    }

    private Move holding() {
        Move.Change lease = Transition.due(
                prepared.policy().limits().lease(), Duration.ZERO, granted.attempt() | Status.LAST_RUN, null);
        return Transition.HOLD.of(prepared.id(), granted.fence(), lease, null);
    }

    /** A record that another transaction of this run has marked is not run again anyway. */
    private void held(Tx tx, Moved moved) {
        if (moved instanceof Moved.Refused refused) {
            if (!isCompleted(refused.current()) || !isMarked(tx)) {
                throw lost();
            }
            committed();
        }
    }

    /** Under this fence: by a mark of this run, or by a reconciler. */
    private boolean isCompleted(@Nullable Status current) {
        return current != null && current.state() == State.COMPLETED && current.fence() == granted.fence();
    }

    private SemelException.LeaseLost lost() {
        return new SemelException.LeaseLost(
                prepared.name() + ": lease lost under fence " + granted.fence()
                        + "; another run has the record. Roll the transaction back: its result will be replayed on"
                        + " the next call.",
                granted.fence());
    }

    /** Whether a transaction was marked; whether its transaction was committed is known when the run ends. */
    public boolean marked() {
        return marked;
    }

    /** It is done, and this is its answer. If the store refuses the answer alone, it is done without: it took effect. */
    public Settled keep(byte[] answer) {
        Duration retention = prepared.policy().retention().success();
        return settle(Outcome.EXECUTED, () -> {
            try {
                return answered(answer, retention);
            } catch (SemelException.DataRefused e) {
                return doneWithout(retention, e);
            }
        });
    }

    /** As after a crash behind the mark: a replay gets "done, answer not kept". */
    private Settled doneWithout(Duration retention, SemelException.DataRefused why) {
        Moved moved = commit(completion(retention, new Mark(retention, Duration.ZERO).encode()));
        if (moved instanceof Moved.Refused refused) {
            return new Answered(settlement.lost(refused), null);
        }
        Row there = moved instanceof Moved.Same ? find() : null;
        if (there != null && Mark.of(there.result()) == null) {
            return answerOf(there);
        }
        LOG.warn(
                "{} (correlation {}): it is done, but its answer cannot be stored and is not kept",
                prepared.name(),
                prepared.correlationId(),
                why);
        return new Recorded(null);
    }

    /** It was refused, and would be again: the answer is kept for the retention of failures. */
    public Settled refuse(byte[] answer) {
        return settle(
                Outcome.EXECUTED,
                () -> answered(answer, prepared.policy().retention().failure()));
    }

    /**
     * It did nothing, and leaves no record. If an effect was marked all the same it must not be run again: then its answer is
     * kept.
     */
    public Settled drop(byte[] answer) {
        return settle(Outcome.FAILED, () -> {
            Settled dropped = moved(Transition.RELEASE, Move.Change.NONE, null, new Recorded(null));
            if (!(dropped instanceof EffectCommitted)) {
                return dropped;
            }
            Duration keep = prepared.policy().retention().success();
            Settled kept = late(answer, Transition.result(keep, answer), keep);
            return kept instanceof Answered ? kept : new EffectCommitted(true);
        });
    }

    /** As {@link #drop(byte[])}, without an answer that could be kept: it is UNKNOWN if an effect was marked. */
    public Settled drop() {
        return settle(
                Outcome.FAILED,
                () -> doubted(
                        moved(Transition.RELEASE, Move.Change.NONE, null, new Recorded(null)),
                        Failure.of(Failure.Category.UNKNOWN, "It was refused after an effect of it was committed.")));
    }

    /** It failed, and nothing took effect: the next caller may run it again. If an effect was marked it is UNKNOWN. */
    public Settled fail(Failure failure) {
        return settle(Outcome.RETRY_LATER, () -> withReason(failure, this::failed));
    }

    private Settled failed(Failure failure) {
        NextRequest again = settling.nextRequest(prepared, failure, granted.attempt());
        Move.Change due = Transition.due(
                again.pause(), prepared.policy().retention().failure(), again.attempt(), Failures.encode(failure));
        return doubted(moved(Transition.RETRY, due, again.event(), new Recorded(again.pause())), failure);
    }

    /** It did not run after all: its attempt is given back, and it may be asked for again after the pause. */
    public Settled handBack(Duration pause, Failure why) {
        Duration keep = prepared.policy().retention().failure();
        return settle(
                Outcome.HANDED_BACK,
                () -> withReason(why, reason -> {
                    Move.Change due = Transition.due(pause, keep, granted.attempt() - 1, Failures.encode(reason));
                    return moved(Transition.RETRY, due, null, new Recorded(pause));
                }));
    }

    /** It failed and may have taken effect: it is not run again automatically. */
    public Settled park(Failure failure) {
        return settle(Outcome.UNKNOWN, () -> withReason(failure, this::parked));
    }

    private Settled parked(Failure failure) {
        Settled parked = moved(Transition.PARK, atOnce(failure), parking(failure), new Recorded(null));
        if (parked instanceof Recorded) {
            settling.watch().unknown(prepared);
        }
        return doubted(parked, failure);
    }

    /** If the store refuses the text of the reason, the run ends in the same way without it. */
    private Settled withReason(Failure failure, Function<Failure, Settled> end) {
        try {
            return end.apply(failure);
        } catch (SemelException.DataRefused e) {
            LOG.warn(
                    "{} (correlation {}): the reason of its failure ({}) cannot be stored and is not kept",
                    prepared.name(),
                    prepared.correlationId(),
                    failure.category().code(),
                    e);
            return end.apply(new Failure(
                    failure.category(), "The store rejected the text of the reason.", null, failure.retryAfter()));
        }
    }

    private AuditEntry parking(Failure failure) {
        return settling.audits()
                .events()
                .outcome(
                        EventType.OPERATION_UNKNOWN,
                        prepared.about(),
                        Map.of("category", failure.category().code(), "reason", failure.reason()));
    }

    private Move.Change atOnce(Failure failure) {
        return Transition.due(Duration.ZERO, Duration.ZERO, granted.attempt(), Failures.encode(failure));
    }

    /** A run that failed with a committed effect is UNKNOWN: the rest of its effect may be missing. */
    private Settled doubted(Settled settled, Failure failure) {
        if (!(settled instanceof EffectCommitted)) {
            return settled;
        }
        Moved moved = commit(Transition.DOUBT.of(prepared.id(), granted.fence(), atOnce(failure), parking(failure)));
        if (moved instanceof Moved.Refused refused) {
            return new Answered(settlement.lost(refused), null);
        }
        settling.watch().unknown(prepared);
        return settled;
    }

    private Settled settle(Outcome usual, Supplier<Settled> end) {
        if (!settled.compareAndSet(false, true)) {
            throw new SemelException.Invalid(prepared.name() + ": it has ended already. End a run once.");
        }
        Settled how;
        try {
            how = end.get();
        } catch (SemelException.StoreUnavailable | SemelException.OutcomeUnknown e) {
            String what = usual == Outcome.HANDED_BACK ? NOT_RUN : "It ran, but its end could not be recorded";
            how = new Answered(answers.unknown(what + "; it is being looked into."), null);
        } catch (SemelException.DataRefused e) {
            how = new Answered(
                    usual == Outcome.HANDED_BACK
                            ? answers.unknown(NOT_RUN + ": " + e.getMessage())
                            : settlement.notKept(granted, ResultNotKept.of(prepared, e)),
                    null);
        } finally {
            held.close();
            inFlight.end(leader);
        }
        if (how instanceof Answered answered) {
            prepared.span().ended(answered.answer());
        } else if (how instanceof EffectCommitted committed) {
            prepared.span().ended(committed.answered() ? Outcome.EXECUTED : Outcome.UNKNOWN);
        } else {
            prepared.span().ended(usual);
        }
        return how;
    }

    private Settled answered(byte[] answer, Duration retention) {
        Duration success = prepared.policy().retention().success();
        Move.Change change = Transition.result(success, answer);
        if (completed
                && commit(Transition.ANSWER.of(prepared.id(), granted.fence(), change, null))
                        instanceof Moved.Applied) {
            return kept(answer, success);
        }
        Moved moved = commit(completion(retention, answer));
        if (moved instanceof Moved.Refused refused) {
            return new Answered(settlement.lost(refused), null);
        }
        Row there = moved instanceof Moved.Same ? find() : null;
        if (there != null && !Arrays.equals(there.result(), answer)) {
            return Mark.of(there.result()) != null ? late(answer, change, success) : answerOf(there);
        }
        return kept(answer, retention);
    }

    /** The mark was committed although nobody here knew of it. */
    private Settled late(byte[] answer, Move.Change change, Duration keep) {
        Moved moved = commit(Transition.ANSWER.of(prepared.id(), granted.fence(), change, null));
        return moved instanceof Moved.Refused refused
                ? new Answered(settlement.lost(refused), null)
                : kept(answer, keep);
    }

    private Settled answerOf(Row row) {
        return new Answered(answers.audited(answers.ofStored(row), prepared.id()), row.state());
    }

    private @Nullable Row find() {
        return settling.ledger().ungrouped().find(List.of(prepared.id())).get(prepared.id());
    }

    private Settled kept(byte[] answer, Duration keep) {
        prepared.span().kept(keep.toMillis());
        settling.results().committed(prepared, leader, answer, granted.fence(), keep);
        return new Recorded(null);
    }

    private Move completion(Duration keep, byte[] result) {
        AuditEntry event = settling.audits().events().outcome(EventType.OPERATION_EXECUTED, prepared.about(), Map.of());
        Move.Change change = new Move.Change(keep.toMillis(), 0, granted.attempt(), false, result, null);
        return Transition.COMPLETE.of(prepared.id(), granted.fence(), change, event);
    }

    /**
     * A committed mark decides: such a record is COMPLETED under this fence, and is neither run again nor removed. A
     * reconciler's result stands, because other callers may have got it.
     */
    private Settled moved(Transition transition, Move.Change change, @Nullable AuditEntry event, Settled applied) {
        Moved moved = commit(transition.of(prepared.id(), granted.fence(), change, event));
        if (!(moved instanceof Moved.Refused refused)) {
            return applied;
        }
        Row there = isCompleted(refused.current()) ? find() : null;
        return there != null && Mark.of(there.result()) != null
                ? new EffectCommitted(false)
                : new Answered(settlement.lost(refused), null);
    }

    private Moved commit(Move move) {
        return settling.ledger().move(move);
    }
}
