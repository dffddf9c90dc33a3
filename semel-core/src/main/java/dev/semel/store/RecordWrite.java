package dev.semel.store;

import dev.semel.key.RecordId;
import org.jspecify.annotations.Nullable;

/**
 * What a direct atomic call leaves in the ledger, in the same commit as its effect: COMPLETED, or a failure that is kept.
 */
public record RecordWrite(
        RecordId id,
        Header header,
        State state,
        WriteTimes times,
        WrittenOutcome outcome,
        @Nullable AuditEntry event) {

    /**
     * @param delayMillis until {@code at}, from the store's now: the end of retention, or the next attempt
     * @param keepMillis see {@link Status#keepMillis}
     */
    public record WriteTimes(long delayMillis, long keepMillis, int attempt) {}

    /** The snapshot or the failure. */
    public record WrittenOutcome(byte @Nullable [] result, byte @Nullable [] failure) {}
}
