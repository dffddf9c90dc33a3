package dev.semel.http;

import dev.semel.Answer;
import dev.semel.Answer.Next;
import dev.semel.http.Problems.Problem;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Converts an answer without a result into a problem. The texts are fixed: a stored reason may contain anything. */
final class AnswerToProblem implements Answer.Cases<byte[], Problem> {
    static final AnswerToProblem INSTANCE = new AnswerToProblem();

    private static final Duration SOON = Duration.ofSeconds(1);
    private static final Duration LATER = Duration.ofSeconds(5);

    private AnswerToProblem() {}

    static Problem storeUnavailable() {
        return Problem.of(
                        ProblemCode.STORE_UNAVAILABLE,
                        "The request was not run: the ledger is unavailable. Retry with the same key.",
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

    /** A leased operation in shadow mode does not run, so there is no response to show. */
    private static Problem notActedOn() {
        return Problem.of(
                ProblemCode.HALTED,
                "Requests to this operation are recorded but not executed at the moment (shadow" + " mode).",
                Next.CONTACT);
    }

    @Override
    public Problem other(Answer<byte[]> answer, Answer.Notice notice) {
        return Problem.of(
                ProblemCode.KEY_INVALID,
                "Rejected: the request cannot be processed under this" + " key.",
                Next.CONTACT);
    }

    @Override
    public Problem conflict(Answer.Conflict<byte[]> answer) {
        return Problem.of(
                ProblemCode.PAYLOAD_MISMATCH,
                "Conflict: this key was already used for a request with different content. Nothing was done. Use a new"
                        + " key for a new request.",
                Next.CONTACT);
    }

    @Override
    public Problem inProgress(Answer.InProgress<byte[]> answer) {
        return Problem.of(
                        ProblemCode.IN_PROGRESS,
                        "The first request with this key is still running. Retry with the same key to get its"
                                + " response.",
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
                "The request was interrupted and may have taken effect. It will not run again until its outcome is"
                        + " decided.",
                Next.CHECK_STATUS,
                Next.CONTACT);
    }

    @Override
    public Problem failed(Answer.Failed<byte[]> answer) {
        return Problem.of(
                ProblemCode.DISCARDED,
                "The request failed permanently or was discarded. It will not run again under" + " this key.",
                Next.CONTACT);
    }

    @Override
    public Problem retryLater(Answer.RetryLater<byte[]> answer) {
        return retryLater(answer.in());
    }

    static Problem retryLater(Duration pause) {
        return Problem.of(
                        ProblemCode.RETRY_LATER,
                        "The request failed and had no effect. Retry with the same key after the time in Retry-After.",
                        Next.RETRY)
                .retryAfter(pause);
    }

    @Override
    public Problem halted(Answer.Halted<byte[]> answer) {
        return Problem.of(
                        ProblemCode.HALTED,
                        "This operation is switched off at the moment; nothing was lost. Retry later.",
                        Next.RETRY,
                        Next.CONTACT)
                .retryAfter(LATER);
    }
}
