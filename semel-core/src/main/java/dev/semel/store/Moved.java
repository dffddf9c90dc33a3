package dev.semel.store;

import dev.semel.SemelException;
import dev.semel.key.RecordId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The answer to a {@link Move}. */
public sealed interface Moved {
    /**
     * This answer, unless the record is locked or the store refuses the data.
     *
     * @throws SemelException.Locked when it is locked
     * @throws SemelException.DataRefused when the data is refused
     */
    default Moved unlocked(RecordId id) {
        if (this instanceof Locked) {
            throw new SemelException.Locked(
                    "Record " + id + " is locked by another transaction that has not ended; nothing"
                            + " was written. Repeat the call later.");
        }
        if (this instanceof NotStored refused) {
            throw refused.why();
        }
        return this;
    }

    /** The answer to moves that are made together or not at all, from what each of them would get. */
    static Moved together(List<Moved> answers) {
        for (Moved answer : answers) {
            if (answer instanceof Locked || answer instanceof Refused) {
                return answer;
            }
        }
        return answers.stream().anyMatch(Applied.class::isInstance) ? new Applied() : new Same();
    }

    /** Written now. */
    record Applied() implements Moved {}

    /** Had been written by the same move before: the record is in that state under that fence (or removed). */
    record Same() implements Moved {}

    /** Another transaction holds a lock on the record and did not end in time; nothing was written. */
    record Locked() implements Moved {}

    /** The store refuses the data of this move, and would again; nothing was written for it. */
    record NotStored(SemelException.DataRefused why) implements Moved {}

    /** Nothing was written. The record stands so, or is absent. */
    record Refused(@Nullable Status current) implements Moved {}
}
