package dev.semel.testkit;

import dev.semel.time.TimeSource;
import java.time.Duration;

/** A planted bug: the wall clock is used as the monotonic clock, and jumps. */
public record WallClockOnly(TimeSource time) implements TimeSource {
    @Override
    public long millis() {
        return time.millis();
    }

    @Override
    public long nanos() {
        return time.millis() * 1_000_000;
    }

    @Override
    public void sleep(Duration duration) throws InterruptedException {
        time.sleep(duration);
    }

    @Override
    public Gate gate() {
        return time.gate();
    }
}
