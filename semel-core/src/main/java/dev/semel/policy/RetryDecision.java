package dev.semel.policy;

import dev.semel.Failure;
import dev.semel.Policy;
import java.time.Duration;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The next step after a failed attempt. Reproducible: the same policy and input decide the same, see
 * {@link DecisionFields}.
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
        return decide(policy, RetryInput.drawn(attempt, judgement, previous, remaining, random));
    }

    static RetryDecision decide(Policy policy, RetryInput input) {
        Failure failure = input.judgement().failure();
        if (!input.judgement().retry()) {
            return new Terminal(
                    policy.options().storeFailures() && input.judgement().stored());
        }
        Duration asked = input.retryAfter();
        if (asked.compareTo(policy.retry().maxRetryAfter()) > 0) {
            return new RateLimited(rateLimited(failure, asked, policy));
        }
        if (input.attempt() >= policy.retry().maxAttempts()) {
            return new Exhausted(Limit.ATTEMPTS);
        }
        Duration backoff = Delays.before(policy, input.attempt(), input.previous(), input.draw());
        Duration delay = backoff.compareTo(asked) < 0 ? asked : backoff;
        boolean tooLate = input.remaining() != null && delay.compareTo(input.remaining()) >= 0;
        return tooLate ? new Exhausted(Limit.DEADLINE) : new RetryIn(delay);
    }

    /**
     * How long a caller should wait who may come back although the policy's attempts are spent: the backoff, no less than a
     * Retry-After within the policy's bound.
     */
    static Duration pause(Policy policy, RetryInput input) {
        Duration backoff = Delays.before(policy, input.attempt(), null, input.draw());
        Duration longest = policy.retry().maxRetryAfter();
        Duration asked = input.retryAfter();
        Duration floor = asked.compareTo(longest) > 0 ? longest : asked;
        return backoff.compareTo(floor) < 0 ? floor : backoff;
    }

    private static Failure rateLimited(Failure failure, Duration asked, Policy policy) {
        String reason = "The other side asked to wait " + asked.toSeconds() + " s, more than the "
                + policy.retry().maxRetryAfter().toSeconds() + " s that policy " + policy.name() + " allows: "
                + failure.reason();
        return new Failure(Failure.Category.RATE_LIMITED, reason, failure.exception(), failure.retryAfter());
    }
}
