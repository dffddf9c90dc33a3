package dev.semel.execution;

import dev.semel.time.TimeSource;
import java.time.Duration;

/** Sleeping without losing an interrupt. */
final class BackOff {
    private BackOff() {}

    /** Sleeps; an interrupt ends the pause early and is kept for the caller to find. */
    static void uninterruptibly(TimeSource time, Duration pause) {
        try {
            time.sleep(pause);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
