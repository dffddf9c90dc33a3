package dev.semel.worker;

import java.time.Duration;

/**
 * How many runs of an atomic handler share a transaction: as many as take a few milliseconds together. A commit is dearer than
 * many a handler; but what is slow is not made to wait for its like, nor kept under locks for it.
 */
final class Pace {
    private static final int MOST = 64;
    private static final long TOGETHER = Duration.ofMillis(5).toNanos();
    private static final int MEMORY = 8;

    /** A moving average that one interruption does not spoil. Threads may overwrite each other's share: it is an estimate. */
    private volatile long typical = TOGETHER;

    void took(long nanos) {
        long before = typical;
        typical = before + (Math.min(nanos, 2 * before + 1) - before) / MEMORY;
    }

    int together() {
        return (int) Math.max(1, Math.min(MOST, TOGETHER / Math.max(1, typical)));
    }
}
