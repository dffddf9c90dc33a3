package dev.semel.execution;

import dev.semel.Failure;
import dev.semel.store.Move;
import org.jspecify.annotations.Nullable;

/**
 * What a delivery leaves, still to be written.
 *
 * @param failure what went wrong, if anything did
 */
public record Ending(Kind kind, Move move, @Nullable Failure failure) {
    /** How a delivery ended. */
    public enum Kind {
        DONE,
        /** Not acted on, as the channel is in SHADOW. */
        SHADOWED,
        /** It failed and is tried again later. */
        RETRIED,
        /** It failed for good: a dead letter. */
        DEAD,
        /** It may have taken effect, and is not repeated by itself. */
        UNKNOWN,
        /** It did not run: its attempt is given back. */
        HANDED_BACK,
        /** As HANDED_BACK, because the receiver refused the credentials: the channel is to be paused. */
        REFUSED
    }

    /** Whether those behind it in its lane may go on. */
    public boolean letsLaneGoOn() {
        Move.Place place = move.change().place();
        return place != null && place.then() == Move.Then.LEAVE;
    }
}
