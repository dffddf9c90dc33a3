package dev.semel.http;

import dev.semel.Answer;
import dev.semel.Answer.Next;
import dev.semel.http.Problems.Problem;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What each answer of the ledger is in HTTP, when it is not a result. The texts are ours: a stored reason may hold anything. */
final class AnswerToProblem implements Answer.Cases<byte[], Problem> {
    static final AnswerToProblem INSTANCE = new AnswerToProblem();

    private static final Duration SOON = Duration.ofSeconds(1);
    private static final Duration LATER = Duration.ofSeconds(5);

    private AnswerToProblem() {}

    static Problem storeUnavailable() {
        return Problem.of(
                        ProblemCode.STORE_UNAVAILABLE,
                        "The ledger cannot be reached, so the request was not run. Repeat it with the same key.",
                        Next.RETRY)
                .retryAfter(LATER);
    }

    @Override
    public Problem result(Answer<byte[]> answer, byte @Nullable [] result) {
        return notActedOn();
    }

    @Override
    public Problem shadowed(Answer.Shadowed<byte[]> answer) {
        return notActedOn();
    }

    /** Nothing to show of it: a leased one is not run at all. */
    private static Problem notActedOn() {
        return Problem.of(
                ProblemCode.HALTED, "Requests of this kind are recorded and not acted on at the moment.", Next.CONTACT);
    }

    @Override
    public Problem other(Answer<byte[]> answer, Answer.Notice notice) {
        return Problem.of(ProblemCode.KEY_INVALID, "The request cannot be taken under this key.", Next.CONTACT);
    }

    @Override
    public Problem conflict(Answer.Conflict<byte[]> answer) {
        return Problem.of(
                ProblemCode.PAYLOAD_MISMATCH,
                "The key was used before for a request with other content; nothing was done. Use a new key for a new"
                        + " request.",
                Next.CONTACT);
    }

    @Override
    public Problem inProgress(Answer.InProgress<byte[]> answer) {
        return Problem.of(
                        ProblemCode.IN_PROGRESS,
                        "The first request with this key is still running. Repeat it to get its answer.",
                        Next.RETRY)
                .retryAfter(SOON);
    }

    @Override
    public Problem unknown(Answer.Unknown<byte[]> answer) {
        return unknown();
    }

    static Problem unknown() {
        return Problem.of(
                ProblemCode.OUTCOME_UNKNOWN,
                "The request was interrupted and may have taken effect. It is not run again until that is decided.",
                Next.CHECK_STATUS,
                Next.CONTACT);
    }

    @Override
    public Problem failed(Answer.Failed<byte[]> answer) {
        return Problem.of(
                ProblemCode.DISCARDED, "The request was closed and will not be run under this key.", Next.CONTACT);
    }

    @Override
    public Problem retryLater(Answer.RetryLater<byte[]> answer) {
        return retryLater(answer.in());
    }

    static Problem retryLater(Duration pause) {
        return Problem.of(
                        ProblemCode.RETRY_LATER,
                        "The request failed without effect. Repeat it with the same key after the pause.",
                        Next.RETRY)
                .retryAfter(pause);
    }

    @Override
    public Problem halted(Answer.Halted<byte[]> answer) {
        return Problem.of(
                        ProblemCode.HALTED,
                        "Requests of this kind are switched off at the moment; nothing was lost.",
                        Next.RETRY,
                        Next.CONTACT)
                .retryAfter(LATER);
    }
}
