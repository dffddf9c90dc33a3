package dev.semel.worker;

import java.time.Duration;

/**
 * How many runs of an atomic handler share a transaction: as many as take a few milliseconds together. A commit costs more than
 * many a handler; but slow runs do not wait for each other, nor keep their locks for each other.
 */
final class AtomicBatchSize {
    private static final int MOST = 64;
    private static final long TOGETHER = Duration.ofMillis(5).toNanos();
    private static final int MEMORY = 8;

    /** A moving average that one interruption does not spoil. Threads may overwrite each other's share: it is an estimate. */
    private volatile long typical = TOGETHER;

    /** A run of the handler took so long. */
    void took(long nanos) {
        long before = typical;
        typical = before + (Math.min(nanos, 2 * before + 1) - before) / MEMORY;
    }

    int current() {
        return (int) Math.max(1, Math.min(MOST, TOGETHER / Math.max(1, typical)));
    }
}
