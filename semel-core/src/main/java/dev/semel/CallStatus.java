package dev.semel;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Where a call or a message stood when it was asked. It holds neither the key nor the payload nor the result, so it can be
 * shown to whoever may know that the call exists.
 *
 * @param call which one it is
 * @param failure the newest failure; absent when there was none
 * @param notice the correlation id of the record, one sentence that says why it is not done, and the actions that are valid now
 */
public record CallStatus(
        CallName call,
        CallState state,
        Attempts attempts,
        @Nullable Failure failure,
        Answer.Notice notice) {

    /**
     * Names a call or a message.
     *
     * @param recordId 64 hexadecimal digits; the same as in {@link Answer.Notice#recordId}
     * @param operation the name of the operation or of the channel
     * @param sentBy the record id of the call or message whose handler sent this one; absent when none did
     */
    public record CallName(
            String recordId,
            String tenant,
            String operation,
            @Nullable String sentBy) {}

    /**
     * How often it was tried.
     *
     * @param made attempts so far; a message's present one counts when it has ended
     * @param next when the next attempt is due, by the store's clock; absent when none is
     */
    public record Attempts(int made, @Nullable Instant next) {}

    /** 64 hexadecimal digits. */
    public String recordId() {
        return call.recordId;
    }

    /** The name of the tenant. */
    public String tenant() {
        return call.tenant;
    }

    /** The name of the operation or of the channel. */
    public String operation() {
        return call.operation;
    }

    /** As the call that made the record gave it, or as it was made for that call. */
    public String correlationId() {
        return notice.correlationId();
    }

    /** One sentence that says why it is not done, or that it is. */
    public String reason() {
        return notice.reason();
    }

    /** The actions that are valid now. */
    public Set<Answer.Next> next() {
        return notice.next();
    }

    /** Where a call or a message stands. The names are public and stable. */
    public enum CallState {
        /** Accepted and not started. */
        QUEUED,
        /** A run is under way, or was interrupted and not yet taken over. */
        IN_PROGRESS,
        /** Done; the result is stored. */
        COMPLETED,
        /** Failed, and will be tried again. */
        FAILED_RETRYABLE,
        /** Failed, and will not be tried again by itself. */
        FAILED_TERMINAL,
        /** May or may not have taken effect: a reconciler or a person decides. */
        UNKNOWN,
        /** Decided in SHADOW and not acted on. */
        SHADOWED,
        /** Cancelled, or closed by an operator. */
        DISCARDED
    }

    /**
     * All that one correlation id caused: the calls and messages that were made under it, and what their handlers sent.
     *
     * @param calls a call or message stands before those that its handler sent, and these stand in the order of their sends;
     *     {@link CallName#sentBy} says whose they are. Empty when there is nothing, or nothing any more
     * @param cut whether there is more than is listed
     */
    public record CallStory(String correlationId, List<CallStatus> calls, boolean cut) {
        public CallStory {
            calls = List.copyOf(calls);
        }
    }

    /** Where calls and messages stand, and how to cancel those that have not started. A part of {@link Semel}. */
    public interface StatusQueries {
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
         * @return what happened; repeat the call when this throws, and a cancellation that was made is {@link Cancellation.Cancelled.Already}
         * @throws SemelException.StoreUnavailable when the ledger cannot be reached
         * @throws SemelException.Locked when another transaction holds the record; nothing was changed
         */
        Cancellation.Cancelled cancel(Operation<?, ?> operation, Tenant tenant, Key key, Cancellation by);

        /** @see #cancel(Operation, Tenant, Key, Cancellation) */
        default Cancellation.Cancelled cancel(Channel<?> channel, Tenant tenant, Key key, Cancellation by) {
            return cancel(channel.operation(), tenant, key, by);
        }

        /**
         * As {@link #cancel(Operation, Tenant, Key, Cancellation)}, by the record id of a {@link Answer.Notice}.
         *
         * @param tenant whose record it must be
         */
        Cancellation.Cancelled cancel(Tenant tenant, String recordId, Cancellation by);
    }
}
