package dev.semel.execution;

import dev.semel.Failure;
import dev.semel.SemelException;
import dev.semel.audit.Events;
import dev.semel.policy.DecisionFields;
import dev.semel.policy.Judgement;
import dev.semel.policy.JudgementBasis;
import dev.semel.policy.RetryDecision;
import dev.semel.policy.RetryInput;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a failed attempt amounts to and what follows from it, for atomic and leased runs, and for work without a key.
 *
 * @param decision what the policy says
 * @param interrupted the caller's own thread was interrupted: it wants to stop, so nothing is retried inline
 */
record FailedAttempt(Failure failure, RetryDecision decision, RetryInput input, boolean interrupted) {
    private static final String TOOK = "took_ms";
    private static final Logger LOG = LoggerFactory.getLogger(FailedAttempt.class);

    /** An attempt whose end the store refuses for its data: another attempt would leave the same. */
    static FailedAttempt notStored(PreparedCall<?, ?> prepared, SemelException.DataRefused why, int attempt) {
        Failure failure = Failure.of(
                        Failure.Category.INVALID_OUTPUT,
                        "It ran, but the store refuses what it left: " + why.getMessage())
                .withException(why);
        FailedAttempt failed = undecided(failure, JudgementBasis.Source.STORE, attempt);
        failed.log(prepared, why);
        return failed;
    }

    /** A failure that no policy decides on: no further attempt would help. */
    static FailedAttempt undecided(Failure failure, JudgementBasis.Source source, int attempt) {
        Judgement judgement = new Judgement(failure, false, JudgementBasis.of(source));
        return new FailedAttempt(
                failure, new RetryDecision.Terminal(true), RetryInput.undecided(attempt, judgement), false);
    }

    /** The same failure, after which no attempt followed because somebody switched the work off. */
    FailedAttempt switchedOff() {
        return undecided(failure, JudgementBasis.Source.MODE, attempt());
    }

    /** The same failure, after which no attempt followed because the deadline passed during the pause. */
    FailedAttempt atDeadline() {
        RetryInput spent = new RetryInput(attempt(), input.judgement(), input.previous(), Duration.ZERO, input.draw());
        return new FailedAttempt(
                failure, new RetryDecision.Exhausted(RetryDecision.Limit.DEADLINE), spent, interrupted);
    }

    int attempt() {
        return input.attempt();
    }

    /**
     * The last attempt is a warning with its stack trace, unless the caller gets the failure as an answer
     * (validation, a business rule); earlier ones are for debugging.
     */
    void log(Attempted attempted, Throwable thrown) {
        int most = attempted.policy().retry().maxAttempts();
        String correlation = attempted.correlationId();
        if (decision instanceof RetryDecision.RetryIn in) {
            LOG.debug(
                    "{} (correlation {}): attempt {} of {} failed ({}); retrying in {} ms",
                    attempted.name(),
                    correlation,
                    attempt(),
                    most,
                    failure.category().code(),
                    in.delay().toMillis(),
                    thrown);
        } else if (interrupted || failure.category().stored()) {
            LOG.debug(
                    "{} (correlation {}): attempt {} failed ({}); not retrying",
                    attempted.name(),
                    correlation,
                    attempt(),
                    failure.category().code(),
                    thrown);
        } else {
            LOG.warn(
                    "{} (correlation {}): attempt {} of {} failed ({}); no attempt is left",
                    attempted.name(),
                    correlation,
                    attempt(),
                    most,
                    failure.category().code(),
                    thrown);
        }
    }

    /** The delay before the next attempt when the policy has none left: callers should not come back sooner. */
    Duration pause(Attempted attempted) {
        return RetryDecision.pause(attempted.policy(), input);
    }

    /** What the decision rested on, how long the attempt took, and what the handler noted, as the audit keeps them. */
    Map<String, Object> inputs(Attempted attempted) {
        Map<String, Object> inputs =
                new LinkedHashMap<>(new DecisionFields(attempted.policy().retry(), input).write());
        if (attempted.tookNanos() > 0) {
            inputs.put(TOOK, Duration.ofNanos(attempted.tookNanos()).toMillis());
        }
        inputs.putAll(attempted.noted());
        return inputs;
    }

    Events.AttemptDetails tried(Attempted attempted, @Nullable Duration delay, String recovery) {
        int most = attempted.policy().retry().maxAttempts();
        return new Events.AttemptDetails(attempt(), most, delay, failure, recovery, inputs(attempted));
    }
}
