package dev.semel.worker;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * When a channel is next claimed from: at once after a wake-up, when a retry that this node knows of is due, and otherwise after
 * a poll interval that doubles while nothing is found. Any thread may wake it or add a retry; the rest belongs to the thread
 * that claims.
 */
final class ClaimSchedule {
    static final Duration SHORTEST_POLL = Duration.ofMillis(50);
    static final Duration LONGEST_POLL = Duration.ofSeconds(1);

    private final AtomicLong newRetry = new AtomicLong(Long.MAX_VALUE);
    private volatile boolean woken = true;
    private volatile long next;
    private final PauseStart pause = new PauseStart();
    private Duration poll = SHORTEST_POLL;
    private long retry = Long.MAX_VALUE;

    ClaimSchedule(long now) {
        this.next = now;
    }

    /** There may be something to claim. */
    void wake() {
        woken = true;
    }

    boolean isWoken() {
        return woken;
    }

    /** A retry is due at this time, by the monotonic clock. */
    void retryAt(long nanos) {
        newRetry.accumulateAndGet(nanos, Math::min);
    }

    boolean isDue(long now) {
        return woken || next - now <= 0;
    }

    /** When the next claim is due. */
    long next(long now) {
        return woken ? now : next;
    }

    /** A claim begins: a wake-up from now on asks for another one. */
    void begin() {
        woken = false;
    }

    /** A claim has ended: when it began, and when it ended. */
    void claimed(ClaimOutcome outcome, long began, long ended) {
        switch (outcome) {
            case MORE -> {
                woken = true;
                poll = SHORTEST_POLL;
            }
            case FULL -> poll = SHORTEST_POLL;
            case NOTHING -> poll = doubled(poll);
        }
        plan(pause.of(began, ended, poll.toNanos()));
    }

    void failed(long now) {
        poll = LONGEST_POLL;
        plan(now);
    }

    private void plan(long now) {
        retry = Math.min(retry <= now ? Long.MAX_VALUE : retry, newRetry.getAndSet(Long.MAX_VALUE));
        next = Math.min(now + poll.toNanos(), Math.max(now, retry));
    }

    private static Duration doubled(Duration poll) {
        Duration doubled = poll.multipliedBy(2);
        return doubled.compareTo(LONGEST_POLL) > 0 ? LONGEST_POLL : doubled;
    }
}
