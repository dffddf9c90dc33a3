package dev.semel;

import java.time.Instant;
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
}
