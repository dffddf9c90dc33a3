package dev.semel;

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
}
