package dev.semel.jdbc.shared;

import java.security.SecureRandom;

/**
 * By how much the counter of fences is raised, at random, when a ledger may be one of several copies: so each copy
 * continues from another number, however many there are and whether or not they know of each other. A fence is an epoch and
 * a counter of 48 bits. The first hundred jumps are up to 2^42 long: that two copies which issue a million fences each meet
 * has a chance of one in two million.
 */
public final class FenceJump {
    /** The largest epoch that fits into a fence; beyond it only the counter grows. */
    private static final int LAST_EPOCH = 32_767;

    private static final long LAST_COUNTER = (1L << 48) - 1;
    private static final long PLENTY = 1L << 46;
    private static final SecureRandom RANDOM = new SecureRandom();

    private FenceJump() {}

    /** At least 1, and always a small part of the remaining range. */
    public static long from(long counter) {
        long left = LAST_COUNTER - counter;
        return 1 + RANDOM.nextLong(Math.max(1, left >= PLENTY ? left >> 6 : left >> 10));
    }

    public static int next(int epoch) {
        return Math.min(epoch + 1, LAST_EPOCH);
    }
}
