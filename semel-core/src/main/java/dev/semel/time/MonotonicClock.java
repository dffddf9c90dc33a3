package dev.semel.time;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/**
 * The monotonic part of a {@link TimeSource} as a clock, for libraries that measure spans by one. Its instants say nothing about the
 * date, and nobody who sets the wall clock changes them.
 */
public final class MonotonicClock extends Clock {
    private final TimeSource time;

    public MonotonicClock(TimeSource time) {
        this.time = time;
    }

    @Override
    public Instant instant() {
        return Instant.EPOCH.plusNanos(time.nanos());
    }

    @Override
    public ZoneId getZone() {
        return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
        return this;
    }
}
