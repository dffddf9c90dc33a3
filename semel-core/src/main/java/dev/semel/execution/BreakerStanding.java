package dev.semel.execution;

import java.time.Instant;
import java.util.Locale;

/**
 * How a breaker of this node stands.
 *
 * @param since when it came to stand so, by the clock of this node; when it was made, if it never opened
 */
public record BreakerStanding(Phase phase, Instant since) {
    /** What a breaker lets through. */
    public enum Phase {
        /** Everything. */
        CLOSED,
        /** A few calls, which decide. */
        HALF_OPEN,
        /** Nothing, until its pause is over and somebody calls. */
        OPEN;

        /** As it is told: {@code half_open}. */
        public String code() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Whether all calls are let through. */
    public boolean isClosed() {
        return phase == Phase.CLOSED;
    }
}
