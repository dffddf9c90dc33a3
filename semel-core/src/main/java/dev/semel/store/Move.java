package dev.semel.store;

import dev.semel.key.RecordId;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A conditional write: applied only if the record is under this fence and in one of the states it may come from.
 *
 * @param from made by the state machine, never by hand
 * @param to the new state, or absent to remove the record and its steps
 * @param events written in the same commit and in this order, if the move is applied; mostly one or none
 */
public record Move(
        RecordId id, long fence, Set<State> from, @Nullable State to, Change change, List<AuditEntry> events) {
    public Move {
        from = Set.copyOf(from);
        events = List.copyOf(events);
    }

    /** With one event, or none. */
    public Move(
            RecordId id, long fence, Set<State> from, @Nullable State to, Change change, @Nullable AuditEntry event) {
        this(id, fence, from, to, change, event == null ? List.of() : List.of(event));
    }

    /** The only event, or the first one; absent when there is none. */
    public @Nullable AuditEntry event() {
        return events.isEmpty() ? null : events.get(0);
    }

    /**
     * What is written with the new state.
     *
     * @param times when it next needs attention
     * @param attempt the new count, or -1 to leave it
     * @param result written as it is, absent included
     * @param failure written as it is, absent included
     * @param place what becomes of its place in the line; absent if it has none, or keeps it
     */
    public record Change(
            MoveTimes times,
            int attempt,
            byte @Nullable [] result,
            byte @Nullable [] failure,
            @Nullable Place place) {
        /** Nothing but the state. */
        public static final Change NONE = new Change(Status.NEVER, 0, -1, false, null, null);

        /** Of a record that has no place in the line, or keeps it. */
        public Change(
                long delayMillis,
                long keepMillis,
                int attempt,
                boolean onlyIfOver,
                byte @Nullable [] result,
                byte @Nullable [] failure) {
            this(new MoveTimes(delayMillis, keepMillis, onlyIfOver), attempt, result, failure, null);
        }

        /** The same change, which also does this with the place in the line; absent to leave the place as it is. */
        public Change at(@Nullable Place value) {
            return new Change(times, attempt, result, failure, value);
        }

        /** With this count of attempts. */
        public Change counting(int attempts) {
            return new Change(times, attempts, result, failure, place);
        }

        /** As {@link MoveTimes#delayMillis}. */
        public long delayMillis() {
            return times.delayMillis;
        }

        /** As {@link MoveTimes#keepMillis}. */
        public long keepMillis() {
            return times.keepMillis;
        }

        /** As {@link MoveTimes#onlyIfOver}. */
        public boolean onlyIfOver() {
            return times.onlyIfOver;
        }
    }

    /**
     * @param delayMillis until {@code at}, from the store's now; {@link Status#NEVER} for never
     * @param keepMillis see {@link Status#keepMillis}
     * @param onlyIfOver also demand that {@code at} has passed: the lease is over, the retry is due
     */
    public record MoveTimes(long delayMillis, long keepMillis, boolean onlyIfOver) {}

    /**
     * What becomes of a record's place in the line.
     *
     * @param lane the number of the lane it is in; absent when it follows nobody
     */
    public record Place(@Nullable Long lane, Then then) {}

    /** Staying is what a move does that says nothing about the place. */
    public enum Then {
        /** It leaves the line, and the next one of its lane becomes the head. */
        LEAVE,
        /** It joins the queue again: at the tail of its lane, if it has one. */
        JOIN,
        /** It keeps its place if it is in its lane when the move is made, and joins the queue again otherwise. */
        KEEP_OR_JOIN
    }
}
