package dev.semel.store;

/**
 * What changes about a record.
 *
 * @param fence of the newest grant; 0 when there was none
 * @param attempt attempts so far in the present budget. Of a record that a caller runs, the present one included. Of one that a
 *     worker was granted, those that have ended, and the present one only if it was counted before it began. With
 *     {@link #LAST_RUN} added, the present one is not taken over
 * @param at when it next needs attention, in the store's milliseconds: due, end of lease, end of retention
 * @param keepMillis how long a direct FAILED_RETRYABLE is kept beyond {@code at}; of an UNKNOWN how long it has been that at
 *     {@code at}; of one that a claim took from a holder whose lease was over {@link #TAKEN_OVER}, until it is moved; 0 otherwise
 * @param owner the token of the grant, by which a repeated reservation recognises its own
 */
public record Status(State state, long fence, int attempt, long at, long keepMillis, long owner) {
    /** An {@code at} that never comes. */
    public static final long NEVER = Long.MAX_VALUE;

    /** More attempts than any policy allows, so that no store takes the record over. Added to the count, which stays readable. */
    public static final int LAST_RUN = 1 << 30;

    /** Not a time: a mark in {@code keepMillis}, which an IN_PROGRESS record does not need otherwise. */
    public static final long TAKEN_OVER = 1;

    /**
     * Whether a claim took it from a holder whose lease was over, and it was not moved since. Whoever reads it under the claim's token
     * knows that it may be what killed that holder, even if the claim's reply was lost.
     */
    public boolean isTakenOver() {
        return state == State.IN_PROGRESS && keepMillis == TAKEN_OVER;
    }

    /** Grants so far, to be shown. */
    public int attempts() {
        return attempt & LAST_RUN - 1;
    }

    /** Whether its time is over. Whether the record counts as absent is for {@link Row#expired} to say. */
    public boolean expired(long now) {
        return state.finished() && at <= now
                || state == State.FAILED_RETRYABLE && keepMillis > 0 && at <= now - keepMillis;
    }
}
