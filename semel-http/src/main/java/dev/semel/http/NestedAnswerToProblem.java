package dev.semel.http;

import dev.semel.Answer;
import dev.semel.Answer.Next;
import dev.semel.SemelException;
import dev.semel.Sent;
import dev.semel.execution.Failures;
import dev.semel.http.Problems.Problem;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Converts the answer of an operation that a handler called into a problem. It applies when the answer has no result and the
 * handler lets the exception pass. The texts are fixed: a stored reason may contain anything.
 */
final class NestedAnswerToProblem<R> implements Answer.Cases<R, Problem> {
    private static final Duration SOON = Duration.ofSeconds(1);
    private static final Duration LATER = Duration.ofSeconds(5);

    private NestedAnswerToProblem() {}

    /** Null when the exception carries no such answer. */
    static @Nullable Problem of(Throwable thrown) {
        if (thrown instanceof VersionMismatch) {
            return versionMismatch();
        }
        if (thrown instanceof SemelException.NoResult none) {
            return none.answer().isResult() ? null : told(none.answer());
        }
        return thrown instanceof SemelException.NotSent not && not.sent() instanceof Sent.Conflict ? mismatch() : null;
    }

    private static <R> Problem told(Answer<R> answer) {
        return answer.fold(new NestedAnswerToProblem<>());
    }

    static Problem versionMismatch() {
        return Problem.of(
                ProblemCode.VERSION_MISMATCH,
                "Conflict: the resource has a different version than the request expects. Read it again, then send the"
                        + " change under a new key.",
                Next.CONTACT);
    }

    private static Problem mismatch() {
        return Problem.of(
                ProblemCode.PAYLOAD_MISMATCH,
                "Conflict: the operation behind this request was already called with different content. Nothing was"
                        + " done.",
                Next.CONTACT);
    }

    /** Whether a retry would get the same problem. If not, the problem is not stored and the request may run again. */
    static boolean isLasting(Problem problem) {
        return switch (problem.code()) {
            case IN_PROGRESS, OUTCOME_UNKNOWN, RETRY_LATER, HALTED, RATE_LIMITED, BREAKER_OPEN -> false;
            default -> true;
        };
    }

    @Override
    public Problem result(Answer<R> answer, @Nullable R result) {
        throw new IllegalArgumentException("An answer with a result cannot be converted into a problem response.");
    }

    @Override
    public Problem other(Answer<R> answer, Answer.Notice notice) {
        return Problem.of(
                ProblemCode.KEY_INVALID,
                "Rejected: the operation behind this request cannot be" + " processed.",
                Next.CONTACT);
    }

    @Override
    public Problem conflict(Answer.Conflict<R> answer) {
        return mismatch();
    }

    @Override
    public Problem failed(Answer.Failed<R> answer) {
        return Problem.of(
                ProblemCode.DISCARDED,
                "The operation behind this request failed permanently or was discarded. It will not run again.",
                Next.CONTACT);
    }

    @Override
    public Problem inProgress(Answer.InProgress<R> answer) {
        return Problem.of(
                        ProblemCode.IN_PROGRESS,
                        "The operation behind this request is already running for another request. Retry to get its"
                                + " response.",
                        Next.RETRY)
                .retryAfter(SOON);
    }

    @Override
    public Problem unknown(Answer.Unknown<R> answer) {
        return Problem.of(
                ProblemCode.OUTCOME_UNKNOWN,
                "The operation behind this request was interrupted and may have taken effect. It will not run again"
                        + " until its outcome is decided.",
                Next.CHECK_STATUS,
                Next.CONTACT);
    }

    @Override
    public Problem retryLater(Answer.RetryLater<R> answer) {
        if (Failures.isRateLimit(answer.failure())) {
            return Problem.of(
                            ProblemCode.RATE_LIMITED,
                            "The operation behind this request is called too often; it was not run. Retry after the time"
                                    + " in Retry-After.",
                            Next.RETRY)
                    .retryAfter(answer.in());
        }
        if (Failures.isBreakerOpen(answer.failure())) {
            return Problem.of(
                            ProblemCode.BREAKER_OPEN,
                            "The circuit breaker of the operation behind this request is open: it kept failing. It was"
                                    + " not run. Retry after the time in Retry-After.",
                            Next.RETRY)
                    .retryAfter(answer.in());
        }
        return Problem.of(
                        ProblemCode.RETRY_LATER,
                        "The operation behind this request failed and had no effect. Retry after the time in"
                                + " Retry-After.",
                        Next.RETRY)
                .retryAfter(answer.in());
    }

    @Override
    public Problem halted(Answer.Halted<R> answer) {
        return switchedOff();
    }

    @Override
    public Problem shadowed(Answer.Shadowed<R> answer) {
        return switchedOff();
    }

    private static Problem switchedOff() {
        return Problem.of(
                        ProblemCode.HALTED,
                        "The operation behind this request is switched off at the moment; nothing was lost. Retry"
                                + " later.",
                        Next.RETRY,
                        Next.CONTACT)
                .retryAfter(LATER);
    }
}
