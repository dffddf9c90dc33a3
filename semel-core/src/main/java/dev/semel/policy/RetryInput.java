package dev.semel.policy;

import java.time.Duration;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * What a retry decision rests on besides the policy. Times are whole milliseconds, because the audit keeps them so: a decision
 * that is recomputed from its event is the same.
 *
 * @param attempt the number of the attempt that failed, from 1; 0 when the handler never began
 * @param previous the delay before that attempt; absent after the first
 * @param remaining time to the deadline, zero or negative when it has passed; absent when there is none
 * @param draw the random number for the jitter, see {@link Delays#draw}
 */
public record RetryInput(
        int attempt,
        Judgement judgement,
        @Nullable Duration previous,
        @Nullable Duration remaining,
        long draw) {

    public RetryInput {
        previous = wholeMillis(previous);
        remaining = wholeMillis(remaining);
    }

    public static RetryInput drawn(
            int attempt,
            Judgement judgement,
            @Nullable Duration previous,
            @Nullable Duration remaining,
            RandomGenerator random) {
        return new RetryInput(attempt, judgement, previous, remaining, Delays.draw(random));
    }

    /** A failure that no policy decides on: another attempt would not help. */
    public static RetryInput undecided(int attempt, Judgement judgement) {
        return new RetryInput(attempt, judgement, null, null, 0);
    }

    /** The Retry-After in whole milliseconds, rounded up: never earlier than the other side asked. */
    Duration retryAfter() {
        Duration asked = judgement.failure().retryAfter();
        if (asked == null) {
            return Duration.ZERO;
        }
        if (asked.getSeconds() >= Long.MAX_VALUE / 1_000) {
            return Duration.ofMillis(Long.MAX_VALUE);
        }
        return Duration.ofMillis(asked.plusNanos(999_999).toMillis());
    }

    private static @Nullable Duration wholeMillis(@Nullable Duration time) {
        if (time == null) {
            return null;
        }
        return time.getSeconds() >= Long.MAX_VALUE / 1_000
                ? Duration.ofMillis(Long.MAX_VALUE)
                : Duration.ofMillis(time.toMillis());
    }
}
