package dev.semel.store;

import dev.semel.SemelException;

/** The answer to a {@link Reservation}. */
public sealed interface Reserved {
    /** The record is the caller's to run. */
    record Granted(long fence, int attempt, boolean takenOver) implements Reserved {}

    /**
     * The record is there and was not granted.
     *
     * @param now the store's clock, by which the row's {@code at} is to be read
     */
    record Existing(Row row, long now) implements Reserved {}

    /** The record is not there, and the reservation was for the one under a fence that was seen; nothing was written. */
    record Absent() implements Reserved {}

    /** Another transaction holds a lock on the record and did not end in time; nothing was written. */
    record Locked() implements Reserved {}

    /** The parent's grant is gone; nothing was written. */
    record ParentLost() implements Reserved {}

    /** The modes are not those of the version given; nothing was written. */
    record ModesChanged() implements Reserved {}

    /**
     * The store failed before it came to this one; others of the same batch may have been granted. The same
     * reservation may be made again, and is given its own grant if it has one.
     *
     * @param why unavailable when nothing was written for it; unknown when something may have been written; data
     *     refused when it would be refused again
     */
    record ReserveFailed(SemelException why) implements Reserved {}
}
