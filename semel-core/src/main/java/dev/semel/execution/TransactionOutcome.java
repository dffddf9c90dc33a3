package dev.semel.execution;

import dev.semel.Answer;
import dev.semel.key.RecordId;
import dev.semel.store.Reserved;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How one transaction of a direct atomic call ended. */
sealed interface TransactionOutcome<R> {
    /** The handler returned and its record is written; final once the transaction commits. */
    record RecordWritten<R>(HandlerOutcome.Returned<R> returned) implements TransactionOutcome<R> {}

    /**
     * Rolled back: there was an answer without running the handler, or the handler ran in SHADOW.
     *
     * @param record the record that the answer is about
     * @param found the record as it was read, where one was
     * @param wouldSend what the handler would have sent, if it ran in SHADOW
     */
    record RolledBackWithAnswer<R>(
            Answer<R> answer,
            RecordId record,
            Reserved.@Nullable Existing found,
            List<ShadowSends.ShadowSend> wouldSend)
            implements TransactionOutcome<R> {
        RolledBackWithAnswer(Answer<R> answer, RecordId record, Reserved.@Nullable Existing found) {
            this(answer, record, found, List.of());
        }
    }

    /** Rolled back: the modes must be read again. */
    record ModesChanged<R>() implements TransactionOutcome<R> {}

    /** Rolled back: the handler threw, or the database refused to commit what it wrote. */
    record RolledBackByException<R>(HandlerOutcome.Threw<R> handler, int attempt) implements TransactionOutcome<R> {}
}
