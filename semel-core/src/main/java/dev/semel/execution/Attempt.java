package dev.semel.execution;

import dev.semel.Answer;
import dev.semel.key.RecordId;
import dev.semel.store.Reserved;
import org.jspecify.annotations.Nullable;

/** How one try of a direct atomic call ended. */
sealed interface Attempt<R> {
    /**
     * With an answer.
     *
     * @param record the record it is about
     * @param found what was found; committed for others only once the transaction has ended
     * @param snapshot set when the result was written; it is final once the transaction commits
     */
    record Answered<R>(
            Answer<R> answer,
            RecordId record,
            Reserved.@Nullable Existing found,
            @Nullable Snapshot snapshot) implements Attempt<R> {}

    /** The modes must be read again. */
    record ModesChanged<R>() implements Attempt<R> {}

    /** The handler threw; its writes are undone. */
    record Threw<R>(Throwable thrown, LeaseKeeper.Stop stop, int number) implements Attempt<R> {}

    /** The bytes of a result. */
    record Snapshot(byte @Nullable [] result) {}
}
