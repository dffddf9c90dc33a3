package dev.semel.execution;

import dev.semel.Failure;
import dev.semel.policy.Classifier;
import dev.semel.policy.Judgement;
import dev.semel.policy.JudgementBasis;
import dev.semel.policy.RetryDecision;
import dev.semel.policy.RetryInput;
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

    CurrentModes modes() {
        return modes;
    }

    /**
     * @param attempt its number
     * @param previous the delay before it, if there was one
     */
    FailedAttempt judge(Attempted attempted, HandlerOutcome.Threw<?> threw, int attempt, @Nullable Duration previous) {
        Throwable thrown = threw.thrown();
        LeaseKeeper.Stop stop = threw.stop();
        Judgement judgement = judgement(attempted, threw);
        boolean interrupted = stop == LeaseKeeper.Stop.NONE
                && (thrown instanceof InterruptedException
                        || Thread.currentThread().isInterrupted());
        RetryInput input = RetryInput.drawn(attempt, judgement, previous, modes.remaining(attempted), random);
        RetryDecision decision = RetryDecision.decide(attempted.policy(), input);
        Failure failure =
                decision instanceof RetryDecision.RateLimited limited ? limited.failure() : judgement.failure();
        FailedAttempt failed = new FailedAttempt(failure, decision, input, interrupted);
        failed.log(attempted, thrown);
        return failed;
    }

    /** What went wrong, whatever follows from it. */
    static Failure failure(Attempted attempted, HandlerOutcome.Threw<?> threw) {
        return judgement(attempted, threw).failure();
    }

    private static Judgement judgement(Attempted attempted, HandlerOutcome.Threw<?> threw) {
        return threw.stop() == LeaseKeeper.Stop.TIMED_OUT
                ? timedOut(attempted, threw.thrown())
                : Classifier.judge(attempted.policy(), threw.thrown());
    }

    private static Judgement timedOut(Attempted attempted, Throwable thrown) {
        Duration limit = attempted.policy().limits().attemptTimeout();
        return new Judgement(
                new Failure(
                        Failure.Category.TIMEOUT,
                        "The attempt took longer than " + limit.toMillis() + " ms and was interrupted.",
                        thrown.getClass().getName(),
                        null),
                true,
                JudgementBasis.of(JudgementBasis.Source.ATTEMPT_TIMEOUT));
    }

    /**
     * A failure that whoever ran the handler outside this process told.
     *
     * @param retryable whether they say that another attempt may help; null to let the category decide
     * @param attempt its number
     * @param previous the delay before it, if there was one
     */
    FailedAttempt judgeOutside(
            Attempted attempted,
            Failure failure,
            @Nullable Boolean retryable,
            int attempt,
            @Nullable Duration previous) {
        if (retryable == null) {
            return judge(attempted, new HandlerOutcome.Threw<>(failure.asException()), attempt, previous);
        }
        Judgement judgement = new Judgement(failure, retryable, JudgementBasis.of(JudgementBasis.Source.CALLER));
        RetryInput input = RetryInput.drawn(attempt, judgement, previous, modes.remaining(attempted), random);
        RetryDecision decision = RetryDecision.decide(attempted.policy(), input);
        Failure said = decision instanceof RetryDecision.RateLimited limited ? limited.failure() : failure;
        FailedAttempt failed = new FailedAttempt(said, decision, input, false);
        failed.log(attempted, failure.asException());
        return failed;
    }

    /** A failed exchange of a gateway, whose client may try again. */
    RetryInput ofRequest(Failure failure, int attempt) {
        Judgement judgement = new Judgement(failure, true, JudgementBasis.of(JudgementBasis.Source.REQUEST));
        return RetryInput.drawn(attempt, judgement, null, null, random);
    }
}
