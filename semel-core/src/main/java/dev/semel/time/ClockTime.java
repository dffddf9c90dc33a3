package dev.semel.time;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The time of a given clock. A clock does not report that it was moved, so waiting threads read it every few
 * milliseconds. Setting it back only changes the wall-clock time. Thread-safe if the clock is.
 */
final class ClockTime implements TimeSource {
    private static final long LOOK_NANOS = 5_000_000;

    private final InstantSource clock;
    private final Instant start;
    private final AtomicLong passed = new AtomicLong();

    ClockTime(InstantSource clock) {
        this.clock = clock;
        this.start = clock.instant();
    }

    @Override
    public long millis() {
        return clock.millis();
    }

    @Override
    public long nanos() {
        return passed.accumulateAndGet(Duration.between(start, clock.instant()).toNanos(), Math::max);
    }

    @Override
    public void sleep(Duration duration) throws InterruptedException {
        gate().await(duration);
    }

    @Override
    public Gate gate() {
        Gate real = SystemTime.INSTANCE.gate();
        return new Gate() {
            @Override
            public void open() {
                real.open();
            }

            @Override
            public boolean isOpen() {
                return real.isOpen();
            }

            @Override
            public void await() throws InterruptedException {
                real.await();
            }

            @Override
            public boolean await(Duration atMost) throws InterruptedException {
                long end = nanos() + SystemTime.bounded(atMost);
                for (long left = end - nanos(); left > 0 && !real.isOpen(); left = end - nanos()) {
                    real.await(Duration.ofNanos(Math.min(left, LOOK_NANOS)));
                }
                return real.isOpen();
            }
        };
    }
}
