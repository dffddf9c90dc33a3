package dev.semel.execution;

import dev.semel.Failure;
import dev.semel.store.Move;
import dev.semel.watch.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * The result of a delivery, still to be written.
 *
 * @param failure what went wrong, if anything did
 */
public record DeliveryResult(
        ResultKind kind, Move move, @Nullable Failure failure) {
    /** How a delivery ended. */
    public enum ResultKind {
        DONE(Outcome.EXECUTED),
        /** Not acted on, as the channel is in SHADOW. */
        SHADOWED(Outcome.SHADOWED),
        /** It failed and is tried again later. */
        RETRIED(Outcome.RETRY_LATER),
        /** It failed for good: a dead letter. */
        DEAD(Outcome.FAILED),
        /** It failed for good, and its onDead handler is still to run: its dead letter is recorded together with that. */
        DYING(Outcome.FAILED),
        /** It failed for good, and its policy keeps no dead letters: its record is removed. */
        DROPPED(Outcome.FAILED),
        /** It may have taken effect, and is not repeated automatically. */
        UNKNOWN(Outcome.UNKNOWN),
        /** It did not run: its attempt is given back. */
        HANDED_BACK(Outcome.HANDED_BACK),
        /** As HANDED_BACK, because the receiver refused the credentials: the channel is to be paused. */
        REFUSED(Outcome.HANDED_BACK);

        private final Outcome outcome;

        ResultKind(Outcome outcome) {
            this.outcome = outcome;
        }

        Outcome outcome() {
            return outcome;
        }
    }

    /**
     * Whether the messages behind it in its lane may run before it is written. Not behind a dead one, even where its
     * channel continues: if this node died now, it would be delivered again, after them, and might succeed.
     */
    public boolean letsLaneGoOn() {
        Move.Place place = move.change().place();
        return kind != ResultKind.DEAD
                && kind != ResultKind.DROPPED
                && place != null
                && place.then() == Move.Then.LEAVE;
    }
}
