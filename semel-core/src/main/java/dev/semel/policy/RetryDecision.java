package dev.semel.policy;

import dev.semel.Failure;
import dev.semel.Policy;
import java.time.Duration;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The next step after a failed attempt. Reproducible: the same policy, attempt, judgement and random numbers decide
 * the same.
 */
public sealed interface RetryDecision {

    /** Another attempt, not before this delay has passed. */
    record RetryIn(Duration delay) implements RetryDecision {}

    /** Another attempt might have helped, but none is left. */
    record Exhausted(Limit limit) implements RetryDecision {}

    /**
     * Another attempt would not help.
     *
     * @param stored whether the failure is kept and replayed as the answer
     */
    record Terminal(boolean stored) implements RetryDecision {}

    /**
     * The other side asked for a longer pause than the policy grants: a dead letter of category {@code rate_limited}.
     *
     * @param failure what is recorded instead of the attempt's own failure
     */
    record RateLimited(Failure failure) implements RetryDecision {}

    /** The exhausted limit. */
    enum Limit {
        ATTEMPTS,
        /** The deadline is reached before the next attempt could start. */
        DEADLINE
    }

    /**
     * @param attempt the number of the attempt that failed, from 1
     * @param previous the delay before that attempt; absent after the first
     * @param remaining time to the deadline, zero or negative when it has passed; absent when there is none
     */
    static RetryDecision decide(
            Policy policy,
            int attempt,
            Judgement judgement,
            @Nullable Duration previous,
            @Nullable Duration remaining,
            RandomGenerator random) {
        Failure failure = judgement.failure();
        if (!judgement.retry()) {
            return new Terminal(policy.options().storeFailures() && judgement.stored());
        }
        Duration asked = failure.retryAfter() == null ? Duration.ZERO : failure.retryAfter();
        if (asked.compareTo(policy.retry().maxRetryAfter()) > 0) {
            return new RateLimited(rateLimited(failure, asked, policy));
        }
        if (attempt >= policy.retry().maxAttempts()) {
            return new Exhausted(Limit.ATTEMPTS);
        }
        Duration backoff = Delays.before(policy, attempt, previous, random);
        Duration delay = backoff.compareTo(asked) < 0 ? asked : backoff;
        boolean tooLate = remaining != null && delay.compareTo(remaining) >= 0;
        return tooLate ? new Exhausted(Limit.DEADLINE) : new RetryIn(delay);
    }

    private static Failure rateLimited(Failure failure, Duration asked, Policy policy) {
        String reason = "The other side asked to wait " + asked.toSeconds() + " s, more than the "
                + policy.retry().maxRetryAfter().toSeconds() + " s that policy " + policy.name() + " allows: "
                + failure.reason();
        return new Failure(Failure.Category.RATE_LIMITED, reason, failure.exception(), asked);
    }
}
