package dev.semel;

import java.util.function.Function;

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
