package dev.semel.http;

import dev.semel.Answer;
import dev.semel.Answer.Next;
import dev.semel.SemelException;
import dev.semel.Sent;
import dev.semel.http.Problems.Problem;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What the answer of an operation is in HTTP that the handler of a request called, when it is not a result and the handler lets
 * it pass as an exception. The texts are ours: a stored reason may hold anything.
 */
final class Nested<R> implements Answer.Cases<R, Problem> {
    private static final Duration SOON = Duration.ofSeconds(1);
    private static final Duration LATER = Duration.ofSeconds(5);

    private Nested() {}

    /** Nothing when the exception is not such an answer. */
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
        return answer.fold(new Nested<>());
    }

    static Problem versionMismatch() {
        return Problem.of(
                ProblemCode.VERSION_MISMATCH,
                "The resource has another version than the request says. Read it again, and send the change under a new"
                        + " key.",
                Next.CONTACT);
    }

    private static Problem mismatch() {
        return Problem.of(
                ProblemCode.PAYLOAD_MISMATCH,
                "What the request asks for was asked for before with other content; nothing was done.",
                Next.CONTACT);
    }

    /** Whether it would be the same again; otherwise the request may be repeated, and is not answered from the ledger. */
    static boolean isLasting(Problem problem) {
        return switch (problem.code()) {
            case IN_PROGRESS, OUTCOME_UNKNOWN, RETRY_LATER, HALTED -> false;
            default -> true;
        };
    }

    @Override
    public Problem result(Answer<R> answer, @Nullable R result) {
        throw new IllegalArgumentException("The answer is a result; only other answers become a problem response.");
    }

    @Override
    public Problem other(Answer<R> answer, Answer.Notice notice) {
        return Problem.of(ProblemCode.KEY_INVALID, "What the request asks for cannot be taken as it is.", Next.CONTACT);
    }

    @Override
    public Problem conflict(Answer.Conflict<R> answer) {
        return mismatch();
    }

    @Override
    public Problem failed(Answer.Failed<R> answer) {
        return Problem.of(
                ProblemCode.DISCARDED,
                "What the request asks for failed for good before, or was closed, and is not run again.",
                Next.CONTACT);
    }

    @Override
    public Problem inProgress(Answer.InProgress<R> answer) {
        return Problem.of(
                        ProblemCode.IN_PROGRESS,
                        "What the request asks for is being done by another request. Repeat it to get its answer.",
                        Next.RETRY)
                .retryAfter(SOON);
    }

    @Override
    public Problem unknown(Answer.Unknown<R> answer) {
        return Problem.of(
                ProblemCode.OUTCOME_UNKNOWN,
                "What the request asks for was interrupted and may have taken effect. It is not run again until that is"
                        + " decided.",
                Next.CHECK_STATUS,
                Next.CONTACT);
    }

    @Override
    public Problem retryLater(Answer.RetryLater<R> answer) {
        return Problem.of(
                        ProblemCode.RETRY_LATER,
                        "What the request asks for failed without effect. Repeat the request after the pause.",
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
                        "What the request asks for is switched off at the moment; nothing was lost.",
                        Next.RETRY,
                        Next.CONTACT)
                .retryAfter(LATER);
    }
}
