package dev.semel.execution;

import dev.semel.Failure;
import dev.semel.policy.Classifier;
import dev.semel.policy.Delays;
import dev.semel.policy.Judgement;
import dev.semel.policy.RetryDecision;
import java.time.Duration;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Judges by the policy and the deadline of a call what follows a failed attempt, and when. */
final class AttemptJudge {
    private final CurrentModes modes;
    private final RandomGenerator random;

    /** @param modes bring the store's clock, by which deadlines are judged */
    AttemptJudge(CurrentModes modes, RandomGenerator random) {
        this.modes = modes;
        this.random = random;
    }

    /**
     * @param attempt its number
     * @param previous the delay before it, if there was one
     */
    FailedAttempt judge(Attempted attempted, HandlerOutcome.Threw<?> threw, int attempt, @Nullable Duration previous) {
        Throwable thrown = threw.thrown();
        LeaseKeeper.Stop stop = threw.stop();
        Judgement judgement = stop == LeaseKeeper.Stop.TIMED_OUT
                ? timedOut(attempted, thrown)
                : Classifier.judge(attempted.policy(), thrown);
        boolean interrupted = stop == LeaseKeeper.Stop.NONE
                && (thrown instanceof InterruptedException
                        || Thread.currentThread().isInterrupted());
        RetryDecision decision = RetryDecision.decide(
                attempted.policy(), attempt, judgement, previous, modes.remaining(attempted), random);
        Failure failure =
                decision instanceof RetryDecision.RateLimited limited ? limited.failure() : judgement.failure();
        FailedAttempt failed = new FailedAttempt(failure, decision, attempt, interrupted);
        failed.log(attempted, thrown);
        return failed;
    }

    private static Judgement timedOut(Attempted attempted, Throwable thrown) {
        Duration limit = attempted.policy().limits().attemptTimeout();
        return new Judgement(
                new Failure(
                        Failure.Category.TIMEOUT,
                        "The attempt took longer than " + limit.toMillis() + " ms and was interrupted.",
                        thrown.getClass().getName(),
                        null),
                true);
    }

    /** The delay before the next attempt when the policy has none left: callers should not come back sooner. */
    Duration pause(PreparedCall<?, ?> prepared, FailedAttempt failed) {
        Duration floor = retryAfter(failed.failure());
        Duration delay = backoff(prepared, failed.attempt());
        return delay.compareTo(floor) < 0 ? floor : delay;
    }

    /** When the client of a gateway may try again: by the policy's backoff, and no earlier than the failure's Retry-After. */
    Duration clientPause(PreparedCall<?, ?> prepared, Failure failure, int attempt) {
        Duration backoff = backoff(prepared, attempt);
        Duration floor = retryAfter(failure);
        Duration longest = prepared.policy().retry().maxRetryAfter();
        Duration asksFor = floor.compareTo(longest) > 0 ? longest : floor;
        return backoff.compareTo(asksFor) < 0 ? asksFor : backoff;
    }

    private Duration backoff(PreparedCall<?, ?> prepared, int attempt) {
        return Delays.before(prepared.policy(), attempt, null, random);
    }

    private static Duration retryAfter(Failure failure) {
        return failure.retryAfter() == null ? Duration.ZERO : failure.retryAfter();
    }
}
