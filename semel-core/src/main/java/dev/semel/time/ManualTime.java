package dev.semel.time;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A clock that a test moves by hand. Sleeping moves it, so nothing waits; gates block for real, and a bounded wait on a gate
 * that stays shut moves the clock and gives up. Thread-safe.
 */
public final class ManualTime implements TimeSource {
    private final AtomicLong nanos = new AtomicLong();
    private final AtomicLong wallOffsetMillis;

    public ManualTime(long startMillis) {
        this.wallOffsetMillis = new AtomicLong(startMillis);
    }

    /** Lets so much time pass. */
    public void advance(Duration duration) {
        nanos.addAndGet(duration.toNanos());
    }

    /** Sets the wall clock forth or back without any time passing, as an administrator might. */
    public void jump(Duration by) {
        wallOffsetMillis.addAndGet(by.toMillis());
    }

    @Override
    public long millis() {
        return wallOffsetMillis.get() + nanos.get() / 1_000_000;
    }

    @Override
    public long nanos() {
        return nanos.get();
    }

    @Override
    public void sleep(Duration duration) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        if (!duration.isNegative()) {
            advance(duration);
        }
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
                if (!real.isOpen()) {
                    sleep(atMost);
                }
                return real.isOpen();
            }
        };
    }
}
