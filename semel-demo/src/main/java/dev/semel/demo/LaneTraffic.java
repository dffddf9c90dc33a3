package dev.semel.demo;

import java.util.OptionalInt;
import java.util.random.RandomGenerator;

/**
 * What the shop sends for one customer: each webhook up to three times at once, and now and then an old one again. The next webhook follows
 * the acknowledgement of the one before, because nobody else could say which of two came first. Used by one thread.
 */
final class LaneTraffic {
    /** So many acknowledgements are remembered in memory before they are kept: a crash forgets them, and they are sent again. */
    static final int KEPT_AT_ONCE = 6;

    private static final int MOST_COPIES = 3;
    private static final int RECENT = 30;
    private static final double SHARE_OF_OLD = 0.3;

    private final RandomGenerator random;
    private int current;
    private int kept;

    /** @param kept the newest webhook whose acknowledgement survived, and with it those before; 0 for none */
    LaneTraffic(int kept, RandomGenerator random) {
        this.random = random;
        this.kept = kept;
        this.current = kept;
    }

    /** The number of the next webhook. */
    int next() {
        return ++current;
    }

    /** How many copies of it are sent at once. */
    int copies() {
        return 1 + random.nextInt(MOST_COPIES);
    }

    /** An older webhook to send again, out of its order. */
    OptionalInt older() {
        return current > 1 && random.nextDouble() < SHARE_OF_OLD
                ? OptionalInt.of(current - 1 - random.nextInt(Math.min(current - 1, RECENT)))
                : OptionalInt.empty();
    }

    /** The present webhook was acknowledged; whether to write that down now. */
    boolean keeps() {
        if (current - kept < KEPT_AT_ONCE) {
            return false;
        }
        kept = current;
        return true;
    }
}
