package dev.semel;

import java.util.function.Function;

/**
 * Who cancels, and why: both are written into the audit in the commit of the cancellation, which does not happen without them.
 *
 * @param actor 1 to 255 characters without control characters
 * @param reason 1 to {@link #MAX_REASON} characters without NUL; also shown to later callers
 */
public record Cancellation(String actor, String reason) {
    /** The longest reason in characters. */
    public static final int MAX_REASON = 2_000;

    public Cancellation {
        if (actor.isBlank() || reason.isBlank()) {
            throw new SemelException.Invalid("A cancellation needs an actor and a reason for the audit. Give both.");
        }
        Text.checkName("actor", actor, 255);
        Text.checkStored("reason of the cancellation", reason, MAX_REASON);
    }

    /** @throws SemelException.Invalid when the actor or the reason is blank, too long or cannot be stored */
    public static Cancellation by(String actor, String reason) {
        return new Cancellation(actor, reason);
    }

    /** The answer to a cancellation. Closed: {@link #fold} handles every case. */
    public sealed interface Cancelled {

        /** It is closed now and will not be run. A later call with its key gets {@link Answer.Failed}. */
        record Closed(CallStatus status) implements Cancelled {}

        /** It had been cancelled or discarded before; nothing was changed. */
        record Already(CallStatus status) implements Cancelled {}

        /**
         * It was not cancelled, and nothing was changed.
         *
         * @param status where it stands
         * @param notice why not, in words: it runs, is completed, may have taken effect, or changed at the same moment
         */
        record NotPossible(CallStatus status, Answer.Notice notice) implements Cancelled {}

        /** The tenant has no such call or message, or has it no more. */
        record NotFound(Answer.Notice notice) implements Cancelled {}

        /** Calls the one case that applies. */
        default <T> T fold(
                Function<Closed, T> onClosed,
                Function<Already, T> onAlready,
                Function<NotPossible, T> onNotPossible,
                Function<NotFound, T> onNotFound) {
            if (this instanceof Closed closed) {
                return onClosed.apply(closed);
            } else if (this instanceof Already already) {
                return onAlready.apply(already);
            } else if (this instanceof NotPossible not) {
                return onNotPossible.apply(not);
            } else {
                return onNotFound.apply((NotFound) this);
            }
        }

        /** One sentence for a person: that it is closed, or why not. */
        default String reason() {
            return fold(
                    closed -> closed.status().reason(),
                    already -> already.status().reason(),
                    not -> not.notice().reason(),
                    absent -> absent.notice().reason());
        }
    }
}
