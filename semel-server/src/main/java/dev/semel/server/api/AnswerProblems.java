package dev.semel.server.api;

import dev.semel.Answer;
import dev.semel.Failure;
import dev.semel.SemelException;
import dev.semel.console.rest.ApiCode;
import dev.semel.console.rest.ApiProblem;
import dev.semel.execution.Failures;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Converts an answer that has no result into a problem, with the codes of the Idempotency-Key filter. */
final class AnswerProblems implements Answer.Cases<Json, ApiProblem> {
    static final AnswerProblems INSTANCE = new AnswerProblems();

    private static final Duration SOON = Duration.ofSeconds(1);
    private static final Duration LATER = Duration.ofSeconds(5);

    private AnswerProblems() {}

    static ApiProblem storeUnavailable() {
        return new ApiProblem(
                        ApiCode.STORE_UNAVAILABLE,
                        "The ledger is unavailable, or did not answer in time. Repeat the same request.")
                .retryAfter(LATER);
    }

    /** Of a batch: lines from the first to the last may be stored or not; those before are answered, those behind were not sent. */
    static ApiProblem batchUnavailable(int first, int last) {
        return new ApiProblem(
                ApiCode.STORE_UNAVAILABLE,
                "The ledger is unavailable, or did not answer in time. The lines before " + first
                        + " have their answers. Whether lines " + first + " to " + last
                        + " were stored is unknown, and lines behind them were not sent. Send all lines again: those that were stored"
                        + " are duplicates.");
    }

    static ApiProblem leaseLost() {
        return new ApiProblem(
                ApiCode.LEASE_LOST,
                "No run with this record is held under this fence; nothing was recorded. Its lease may have expired and"
                        + " another run may have the record. Begin again with the same key to get its result.");
    }

    static ApiProblem rejected(SemelException.Invalid why) {
        return new ApiProblem(ApiCode.INVALID, String.valueOf(why.getMessage()));
    }

    private static ApiProblem of(ApiCode code, Answer.Notice notice) {
        ApiProblem problem = new ApiProblem(code, notice.reason()).withNext(notice.next());
        return notice.recordId() == null ? problem : problem.with("record", notice.recordId());
    }

    private static ApiProblem of(ApiCode code, Answer.Notice notice, Failure failure) {
        return of(code, notice).with("category", failure.category().code());
    }

    /** A result is no problem: this is only asked for answers without one. */
    @Override
    public ApiProblem result(Answer<Json> answer, @Nullable Json result) {
        throw new IllegalStateException("An answer with a result is not a problem.");
    }

    @Override
    public ApiProblem other(Answer<Json> answer, Answer.Notice notice) {
        return of(ApiCode.INVALID, notice);
    }

    @Override
    public ApiProblem shadowed(Answer.Shadowed<Json> answer) {
        return of(ApiCode.SHADOWED, answer.notice());
    }

    @Override
    public ApiProblem conflict(Answer.Conflict<Json> answer) {
        return of(ApiCode.PAYLOAD_MISMATCH, answer.notice());
    }

    @Override
    public ApiProblem inProgress(Answer.InProgress<Json> answer) {
        return of(ApiCode.IN_PROGRESS, answer.notice()).retryAfter(SOON);
    }

    @Override
    public ApiProblem unknown(Answer.Unknown<Json> answer) {
        return of(ApiCode.OUTCOME_UNKNOWN, answer.notice());
    }

    @Override
    public ApiProblem failed(Answer.Failed<Json> answer) {
        return of(ApiCode.DISCARDED, answer.notice(), answer.failure());
    }

    @Override
    public ApiProblem retryLater(Answer.RetryLater<Json> answer) {
        ApiCode code = Failures.isRateLimit(answer.failure())
                ? ApiCode.RATE_LIMITED
                : Failures.isBreakerOpen(answer.failure()) ? ApiCode.BREAKER_OPEN : ApiCode.RETRY_LATER;
        return of(code, answer.notice(), answer.failure()).retryAfter(answer.in());
    }

    @Override
    public ApiProblem halted(Answer.Halted<Json> answer) {
        return of(ApiCode.HALTED, answer.notice()).retryAfter(LATER);
    }
}
