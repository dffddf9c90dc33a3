package dev.semel.ledger;

import static dev.semel.store.State.COMPLETED;
import static dev.semel.store.State.DISCARDED;
import static dev.semel.store.State.FAILED_RETRYABLE;
import static dev.semel.store.State.FAILED_TERMINAL;
import static dev.semel.store.State.IN_PROGRESS;
import static dev.semel.store.State.QUEUED;
import static dev.semel.store.State.SHADOWED;
import static dev.semel.store.State.UNKNOWN;

import dev.semel.Policy;
import dev.semel.key.RecordId;
import dev.semel.store.AuditEntry;
import dev.semel.store.Line;
import dev.semel.store.Move;
import dev.semel.store.Row;
import dev.semel.store.State;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Every change of a record after its grant: its name, where it may come from and where it leads. The store refuses what is
 * not listed, because each {@link Move} carries these states into its conditional write. Grants are the store's own
 * ({@link dev.semel.store.Ledger#reserve}): from absent, expired, FAILED_RETRYABLE when due, and IN_PROGRESS when its lease
 * is over and it is repeatable.
 */
public enum Transition {
    /** The owner finished, if need be late: nobody else was granted the record meanwhile, or the fence would differ. */
    COMPLETE(COMPLETED, IN_PROGRESS, UNKNOWN),
    /**
     * The owner of an atomic message finished in a lane that continues after an UNKNOWN one. If the record is UNKNOWN
     * by now, later messages of its lane may have run, so the move is rejected, and the effect is rolled back instead
     * of coming out of order.
     */
    COMPLETE_IN_LANE(COMPLETED, IN_PROGRESS),
    /** The owner adds its answer to an effect that it marked as committed before. */
    ANSWER(COMPLETED, COMPLETED),
    /** The owner failed after it had marked an effect as committed: the effect may be incomplete. */
    DOUBT(UNKNOWN, COMPLETED),
    /** The owner committed a part of its effect and continues. If it is interrupted, no node takes over. */
    HOLD(IN_PROGRESS, IN_PROGRESS),
    /**
     * The handler of a record that was taken over starts. Its attempt is counted first, because the previous owner
     * may have died of it.
     */
    BEGIN(IN_PROGRESS, IN_PROGRESS),
    /** An attempt failed and there will be another. */
    RETRY(FAILED_RETRYABLE, IN_PROGRESS),
    /** An attempt failed for good. */
    FAIL(FAILED_TERMINAL, IN_PROGRESS),
    /** The owner cannot tell whether it took effect. */
    PARK(UNKNOWN, IN_PROGRESS),
    /** The lease of a run that may not be repeated is over. */
    LOSE(UNKNOWN, IN_PROGRESS),
    /** Decided, not acted on. */
    SHADOW(SHADOWED, IN_PROGRESS),
    /** A message that a run in SHADOW would have sent is recorded: in the commit that made its record, so nobody has seen it queued. */
    REHEARSE(SHADOWED, QUEUED),
    /** An operator has a message of {@link #REHEARSE} sent for real, under its own record: this one is closed, and never sent again. */
    SEND_FOR_REAL(COMPLETED, SHADOWED),
    /** Handed back by drain, halt, breaker or pause. */
    HAND_BACK(QUEUED, IN_PROGRESS),
    /** The answer leaves no record. */
    RELEASE(null, IN_PROGRESS),
    /** A step that was interrupted had no effect, or may be repeated: the next run starts it again. */
    RELEASE_STEP(null, IN_PROGRESS, UNKNOWN),
    /** The reconciler found that it took effect. */
    RECONCILE_DONE(COMPLETED, UNKNOWN),
    /** The reconciler found that it did not. */
    RECONCILE_RETRY(FAILED_RETRYABLE, UNKNOWN),
    /** The reconciler found that it did not, and must not be tried again. */
    RECONCILE_FAIL(FAILED_TERMINAL, UNKNOWN),
    /** As {@link #RECONCILE_FAIL}, for a message whose onDead handler is still to run: a worker records its death. */
    RECONCILE_DYING(QUEUED, UNKNOWN),
    /** The reconciler cannot tell yet; only the time of the next question changes. */
    ASK_AGAIN(UNKNOWN, UNKNOWN),
    /** An operator closes it. */
    DISCARD(DISCARDED, QUEUED, FAILED_RETRYABLE, FAILED_TERMINAL, UNKNOWN, SHADOWED),
    /** An operator sends it to its registered handler again. */
    REPLAY_BY_HANDLER(QUEUED, FAILED_TERMINAL, SHADOWED, DISCARDED, UNKNOWN),
    /** An operator lets the next caller run it again. */
    REPLAY_BY_CALLER(FAILED_RETRYABLE, FAILED_TERMINAL, SHADOWED, DISCARDED, UNKNOWN),
    /** An operator makes the key new again. */
    FORGET(null, COMPLETED, FAILED_RETRYABLE, FAILED_TERMINAL, UNKNOWN, SHADOWED, DISCARDED);

    private final @Nullable State to;
    private final Set<State> from;

    Transition(@Nullable State to, State first, State... others) {
        this.to = to;
        this.from = EnumSet.of(first, others);
    }

    /** Where it leads; nowhere when the record is removed. */
    public Optional<State> to() {
        return Optional.ofNullable(to);
    }

    public Set<State> from() {
        return EnumSet.copyOf(from);
    }

    /**
     * What the transition does to the record's place in the line.
     *
     * @param line where it stands; absent for a record that never waited for a worker
     * @param deadHead whether a record that is dead or UNKNOWN holds its lane up
     */
    public Move.@Nullable Place place(@Nullable Line line, Policy.DeadHead deadHead) {
        Long lane = line == null || line.lane() == null ? null : line.lane().number();
        boolean standing = line != null && (line.turn() == Line.Turn.HEAD || line.turn() == Line.Turn.WAITING);
        boolean stays = standing && deadHead == Policy.DeadHead.PARK_LANE;
        return switch (this) {
            case COMPLETE,
                    COMPLETE_IN_LANE,
                    SHADOW,
                    REHEARSE,
                    SEND_FOR_REAL,
                    RELEASE,
                    RECONCILE_DONE,
                    DISCARD,
                    FORGET -> line == null ? null : new Move.Place(lane, Move.Then.LEAVE);
            case FAIL, PARK, LOSE, RECONCILE_FAIL ->
                lane == null || deadHead == Policy.DeadHead.PARK_LANE ? null : new Move.Place(lane, Move.Then.LEAVE);
            // Under CONTINUE an UNKNOWN head may leave its lane at any moment, so it always joins the tail.
            case RECONCILE_RETRY, RECONCILE_DYING ->
                lane == null || stays ? null : new Move.Place(lane, Move.Then.JOIN);
            // An operator knows no policy, and the record may have left its lane since it was read: the store
            // decides.
            case REPLAY_BY_HANDLER -> new Move.Place(lane, Move.Then.KEEP_OR_JOIN);
            case ASK_AGAIN ->
                !standing || deadHead == Policy.DeadHead.PARK_LANE ? null : new Move.Place(lane, Move.Then.LEAVE);
            case ANSWER, DOUBT, HOLD, BEGIN, RETRY, HAND_BACK, RELEASE_STEP, REPLAY_BY_CALLER -> null;
        };
    }

    /**
     * The conditional write of this transition for a record as it was read, by a caller who does not hold it. It is
     * rejected once the record is in another state, even one that the transition may come from: the move, above all
     * its {@link #place}, was computed for the state that was read.
     */
    public Move of(Row seen, Move.Change change, @Nullable AuditEntry event) {
        Set<State> only = from.contains(seen.state()) ? Set.of(seen.state()) : Set.of();
        return new Move(seen.id(), seen.status().fence(), only, to, change, event);
    }

    /** The conditional write of this transition for a record under a fence. */
    public Move of(RecordId id, long fence, Move.Change change, @Nullable AuditEntry event) {
        return new Move(id, fence, from, to, change, event);
    }

    /** As {@link #of(RecordId, long, Move.Change, AuditEntry)}, with any number of events. */
    public Move telling(RecordId id, long fence, Move.Change change, List<AuditEntry> events) {
        return new Move(id, fence, from, to, change, events);
    }

    /** Kept so long from now, with a result. */
    public static Move.Change result(Duration keep, byte @Nullable [] result) {
        return new Move.Change(keep.toMillis(), 0, -1, false, result, null);
    }

    /** Kept so long from now, with a failure. */
    public static Move.Change failure(Duration keep, byte @Nullable [] failure) {
        return new Move.Change(keep.toMillis(), 0, -1, false, null, failure);
    }

    /**
     * Due in so long, with the failure that caused it.
     *
     * @param attempt the new count of attempts; -1 leaves it
     */
    public static Move.Change due(Duration in, Duration keepBeyond, int attempt, byte @Nullable [] failure) {
        return new Move.Change(in.toMillis(), keepBeyond.toMillis(), attempt, false, null, failure);
    }
}
