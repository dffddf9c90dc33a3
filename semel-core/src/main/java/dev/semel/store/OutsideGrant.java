package dev.semel.store;

import org.jspecify.annotations.Nullable;

/**
 * A grant to a caller outside the processes that share the ledger, such as a client of the HTTP API. What that caller declared is in the
 * owner's token of the grant, so every node can judge the record by itself: no node needs to have seen the call. Tokens of other grants
 * are positive.
 *
 * @param repeatable whether the run may be repeated after its lease is over
 */
public record OutsideGrant(boolean repeatable) {
    /** Of owners of negative tokens, those from here on may not be repeated. */
    public static final long FIRST_NOT_REPEATABLE = -(1L << 62);

    /** Tokens below this bound are those of repeatable runs: the sign says outside, the bit behind it not repeatable. */
    private static final long NOT_REPEATABLE = 1L << 62;

    /**
     * The owner's token of such a grant.
     *
     * @param id the same for a repeated reservation; its two highest bits are not used
     */
    public static long owner(long id, boolean repeatable) {
        long bits = id & NOT_REPEATABLE - 1 | Long.MIN_VALUE;
        return repeatable ? bits : bits | NOT_REPEATABLE;
    }

    /** What was declared for the newest grant of a record; absent when it was not granted outside. */
    public static @Nullable OutsideGrant of(Status status) {
        long owner = status.owner();
        return owner >= 0 ? null : new OutsideGrant((owner & NOT_REPEATABLE) == 0);
    }
}
