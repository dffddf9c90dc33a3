package dev.semel;

import java.util.Optional;

/** Where calls and messages stand, and how to cancel those that have not started. A part of {@link Semel}. */
public interface CallStatuses {
    /**
     * Where a call stands. For a channel's message, see {@link #status(Channel, Tenant, Key)}; for what an answer was about, {@link
     * #status(Tenant, String)}.
     *
     * <pre>{@code
     * semel.status(MAIL, tenant, Key.of(order.id())).map(CallStatus::reason).orElse("not known");
     * }</pre>
     *
     * @return empty when the tenant has no such record, or has it no more
     * @throws SemelException.StoreUnavailable when the ledger cannot be reached
     */
    Optional<CallStatus> status(Operation<?, ?> operation, Tenant tenant, Key key);

    /** @see #status(Operation, Tenant, Key) */
    default Optional<CallStatus> status(Channel<?> channel, Tenant tenant, Key key) {
        return status(channel.operation(), tenant, key);
    }

    /**
     * As {@link #status(Operation, Tenant, Key)}, by the record id of a {@link Answer.Notice}.
     *
     * @param tenant whose record it must be. Take it from authentication: then one tenant never sees a record of another
     * @param recordId 64 hexadecimal digits; anything else is not found
     */
    Optional<CallStatus> status(Tenant tenant, String recordId);

    /** All that one correlation id caused in a tenant, across operations and channels. */
    CallStory story(Tenant tenant, String correlationId);

    /**
     * Closes a call or message that has not started: it is QUEUED, FAILED_RETRYABLE, SHADOWED or a dead letter. Its lane continues.
     * Audited in the same commit. Of a cancellation and a run or a replay that begins at the same moment one happens.
     *
     * <pre>{@code
     * semel.cancel(MAIL, tenant, key, Cancellation.by("ann", "the customer withdrew")).reason();
     * }</pre>
     *
     * @return what happened; repeat the call when this throws, and a cancellation that was made is {@link Cancelled.Already}
     * @throws SemelException.StoreUnavailable when the ledger cannot be reached
     * @throws SemelException.Locked when another transaction holds the record; nothing was changed
     */
    Cancelled cancel(Operation<?, ?> operation, Tenant tenant, Key key, Cancellation by);

    /** @see #cancel(Operation, Tenant, Key, Cancellation) */
    default Cancelled cancel(Channel<?> channel, Tenant tenant, Key key, Cancellation by) {
        return cancel(channel.operation(), tenant, key, by);
    }

    /**
     * As {@link #cancel(Operation, Tenant, Key, Cancellation)}, by the record id of a {@link Answer.Notice}.
     *
     * @param tenant whose record it must be
     */
    Cancelled cancel(Tenant tenant, String recordId, Cancellation by);
}
