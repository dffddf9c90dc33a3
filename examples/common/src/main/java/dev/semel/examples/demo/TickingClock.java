package dev.semel.examples.demo;

import dev.semel.store.State;
import dev.semel.testkit.Await;
import dev.semel.time.ManualTime;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * A clock that a test moves. It ticks as clocks do, because the pauses of the example under test pass by it; retries are reached by moving
 * it. Thread-safe.
 */
public final class TickingClock implements InstantSource, AutoCloseable {
    private static final Duration TICK = Duration.ofMillis(10);

    private final ManualTime time = new ManualTime(System.currentTimeMillis() + 3_600_000);
    private final ScheduledExecutorService ticking = Executors.newSingleThreadScheduledExecutor();

    /** Starts an hour ahead of the machine's clock, so that nothing takes one for the other. */
    public TickingClock() {
        ticking.scheduleAtFixedRate(() -> time.advance(TICK), 0, TICK.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public Instant instant() {
        return Instant.ofEpochMilli(time.millis());
    }

    /** Lets so much time pass. */
    public void advance(Duration duration) {
        time.advance(duration);
    }

    /** Lets the time pass up to each retry of a channel, until the condition holds. */
    public void retryUntil(LedgerView ledger, String channel, Await.Condition condition) {
        Await.until("the retries of " + channel + " are over", () -> {
            if (condition.holds()) {
                return true;
            }
            ledger.rows(State.FAILED_RETRYABLE, channel).stream()
                    .mapToLong(row -> row.status().at() - time.millis())
                    .max()
                    .ifPresent(wait -> time.advance(Duration.ofMillis(Math.max(0, wait) + 1)));
            return false;
        });
    }

    @Override
    public void close() {
        ticking.shutdownNow();
    }
}
