package dev.semel;

import java.util.function.Function;

/** The answer to a send. Closed: {@link #fold} handles every case. */
public sealed interface Sent {

    /**
     * The message is durable and will be handled, now or by an earlier sender's doing.
     *
     * @param first whether this send stored it; otherwise it was there already, and nothing was stored. After a reply of the
     *     store was lost it may be false of a message that this very send stored
     */
    record Accepted(boolean first, String correlationId) implements Sent {}

    /** The key was used with another payload. Nothing was stored. */
    record Conflict(Answer.Notice notice) implements Sent {}

    /** The message itself is invalid. Nothing was looked up. */
    record Rejected(Answer.Notice notice) implements Sent {}

    /** Calls the one case that applies. */
    default <T> T fold(
            Function<Accepted, T> onAccepted, Function<Conflict, T> onConflict, Function<Rejected, T> onRejected) {
        if (this instanceof Accepted accepted) {
            return onAccepted.apply(accepted);
        }
        return this instanceof Conflict conflict ? onConflict.apply(conflict) : onRejected.apply((Rejected) this);
    }

    /**
     * Accepted, or an exception that says why not.
     *
     * @throws SemelException.NotSent when it was not accepted
     */
    default Accepted orThrow() {
        return fold(
                accepted -> accepted,
                conflict -> {
                    throw new SemelException.NotSent(this, conflict.notice());
                },
                rejected -> {
                    throw new SemelException.NotSent(this, rejected.notice());
                });
    }
}
