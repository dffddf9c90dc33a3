package dev.semel.execution;

import dev.semel.SemelException;
import dev.semel.key.RecordId;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * The key and the fence that the leased run or the step on the current thread hands to a downstream service. For clients that set
 * the headers of outgoing calls. Used by the handler's thread only.
 */
public final class DownstreamKey {
    private static final ThreadLocal<@Nullable DownstreamKey> CURRENT = new ThreadLocal<>();

    private final PreparedCall<?, ?> prepared;
    private final RecordId id;
    private final long fence;
    private @Nullable String user;

    /** @param id of the run's record, or of the step's */
    DownstreamKey(PreparedCall<?, ?> prepared, RecordId id, long fence) {
        this.prepared = prepared;
        this.id = id;
        this.fence = fence;
    }

    /** The key of the innermost run or step on this thread. */
    public static Optional<DownstreamKey> current() {
        return Optional.ofNullable(CURRENT.get());
    }

    /**
     * The key, for one call and its retries. Two calls must not share it: the downstream service would take the second for a
     * duplicate of the first, and a reconciler could not tell which of them it found.
     *
     * @param call names the call, by its method and URL for example
     * @throws SemelException.Invalid when another call has it already
     */
    public String take(String call) {
        if (user != null && !user.equals(call)) {
            throw new SemelException.Invalid(prepared.name() + ": " + call + " rejected and not sent: " + user
                    + " in the same handler or step has used its downstream key. Make each call in a step of its own, or"
                    + " set its Idempotency-Key yourself.");
        }
        user = call;
        return id.downstreamKey();
    }

    /** The fence of the run. A service that stores it can reject a late call with a lower one. */
    public long fence() {
        return fence;
    }

    /** Runs the code of a handler or of a step. */
    <T extends @Nullable Object> T during(Callable<T> body) throws Exception {
        DownstreamKey outer = CURRENT.get();
        CURRENT.set(this);
        try {
            return body.call();
        } finally {
            if (outer == null) {
                CURRENT.remove();
            } else {
                CURRENT.set(outer);
            }
        }
    }
}
