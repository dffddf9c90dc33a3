package dev.semel.store;

import dev.semel.SemelException;
import dev.semel.key.RecordId;
import org.jspecify.annotations.Nullable;

/** The answer to a {@link Move}. */
public sealed interface Moved {
    /**
     * This answer, unless the record is locked.
     *
     * @throws SemelException.Locked when it is
     */
    default Moved unlocked(RecordId id) {
        if (this instanceof Locked) {
            throw new SemelException.Locked(
                    "Record " + id + " is locked by another transaction that has not ended; nothing"
                            + " was written. Repeat the call later.");
        }
        return this;
    }

    /** Written now. */
    record Applied() implements Moved {}

    /** Had been written by the same move before: the record is in that state under that fence (or removed). */
    record Same() implements Moved {}

    /** Another transaction holds a lock on the record and did not end in time; nothing was written. */
    record Locked() implements Moved {}

    /** Nothing was written. The record stands so, or is absent. */
    record Refused(@Nullable Status current) implements Moved {}
}
