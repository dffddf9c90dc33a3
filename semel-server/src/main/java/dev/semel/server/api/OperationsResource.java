package dev.semel.server.api;

import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.CallStatus;
import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.Operation;
import dev.semel.Semel;
import dev.semel.console.rest.ApiCode;
import dev.semel.console.rest.ApiProblem;
import dev.semel.console.rest.JsonBody;
import dev.semel.execution.ExternalRuns;
import dev.semel.execution.ExternalRuns.BeginTerms;
import dev.semel.execution.ExternalRuns.ExternalBegin;
import dev.semel.execution.ExternalRuns.ExternalEnd;
import dev.semel.execution.ExternalRuns.RunHandle;
import dev.semel.key.RecordId;
import dev.semel.operator.StatusFacts;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** {@code /api/v1/operations/{name}}: runs whose handler is the client. */
final class OperationsResource {
    static final Duration SHORTEST_LEASE = Duration.ofSeconds(1);
    static final Duration LONGEST_LEASE = Duration.ofHours(1);
    private static final Duration USUAL_LEASE = Duration.ofSeconds(30);

    private final Semel semel;
    private final ExternalRuns runs;
    private final WaitingRequests waiting;

    OperationsResource(Semel semel, ExternalRuns runs, WaitingRequests waiting) {
        this.semel = semel;
        this.runs = runs;
        this.waiting = waiting;
    }

    ApiAnswer begin(ApiRequest request, String name) throws ApiProblem {
        JsonBody body = request.body();
        String key = body.key();
        Json payload = Json.of(body.value("payload"));
        Duration lease = lease(body);
        Duration wait = body.duration("wait", Duration.ZERO, request.settings().longestWait());
        boolean repeatable = Boolean.TRUE.equals(body.bool("repeatable"));
        BeginTerms terms = new BeginTerms(lease, request.repetitionId(body, "begin_id"));
        body.demandNoOther();
        Operation.Leased<Json, Json> operation = request.settings().operation(name, repeatable);
        Call<Json> call =
                Call.of(request.caller().tenant(), Key.of(key), payload).withOrigin(request.origin());
        ExternalBegin<Json> begun =
                waiting.call(wait, patience -> runs.begin(operation, call.withPatience(patience), terms));
        if (begun instanceof ExternalBegin.RunGranted<Json> granted) {
            return ApiAnswer.ok("granted")
                    .with("record", granted.run().record().hex())
                    .with("fence", Long.toString(granted.run().fence()))
                    .with("attempt", granted.attempt())
                    .with("downstream_key", granted.downstreamKey())
                    .with("lease_until", granted.leaseUntil().toString())
                    .with("correlation_id", granted.correlationId());
        }
        Answer<Json> answer = ((ExternalBegin.RunAnswered<Json>) begun).answer();
        if (answer instanceof Answer.Replayed<Json> replayed) {
            return ApiAnswer.ok("replayed")
                    .with("result", replayed.result())
                    .with("correlation_id", replayed.correlationId())
                    .asReplay();
        }
        throw answer.fold(AnswerProblems.INSTANCE);
    }

    ApiAnswer renew(ApiRequest request, String name) throws ApiProblem {
        JsonBody body = request.body();
        RunHandle run = handle(request, body);
        Duration lease = lease(body);
        body.demandNoOther();
        Instant until = runs.renew(request.settings().operation(name, false), run, lease);
        if (until == null) {
            throw AnswerProblems.leaseLost();
        }
        return ApiAnswer.ok("renewed").with("lease_until", until.toString());
    }

    ApiAnswer finish(ApiRequest request, String name) throws ApiProblem {
        JsonBody body = request.body();
        RunHandle run = handle(request, body);
        Json result = Json.of(body.value("result"));
        body.demandNoOther();
        return ended(runs.finish(request.settings().operation(name, false), run, result));
    }

    ApiAnswer fail(ApiRequest request, String name) throws ApiProblem {
        JsonBody body = request.body();
        RunHandle run = handle(request, body);
        Failure failure = failure(body);
        Boolean retryable = body.bool("retryable");
        body.demandNoOther();
        return ended(runs.fail(request.settings().operation(name, false), run, failure, retryable));
    }

    private static ApiAnswer ended(ExternalEnd<Json> end) throws ApiProblem {
        if (end instanceof ExternalEnd.EndRecorded) {
            return ApiAnswer.ok("recorded");
        }
        if (end instanceof ExternalEnd.EndedOtherwise<Json> otherwise) {
            return ApiAnswer.ok("ended_before").with("result", otherwise.result());
        }
        if (end instanceof ExternalEnd.FailureRecorded<Json> failed) {
            return failed(failed.answer());
        }
        throw AnswerProblems.leaseLost();
    }

    private static ApiAnswer failed(Answer<Json> answer) {
        if (answer instanceof Answer.RetryLater<Json> later) {
            return ApiAnswer.ok("retry_later")
                    .with("retry_after_ms", later.in().toMillis())
                    .with("reason", later.notice().reason());
        }
        return answer.fold(
                result -> ApiAnswer.ok("recorded"),
                notice -> ApiAnswer.ok(answer instanceof Answer.Unknown ? "unknown" : "failed")
                        .with("reason", notice.reason()));
    }

    ApiAnswer find(ApiRequest request, String name) throws ApiProblem {
        Operation.Leased<Json, Json> operation = request.settings().operation(name, false);
        String key = request.http().getParameter("key");
        String record = request.http().getParameter("record");
        if (key == null && record == null) {
            throw new ApiProblem(
                    ApiCode.KEY_REQUIRED,
                    "Name the call by the query parameter key or record: ?key=... or ?record=...");
        }
        Optional<CallStatus> found = key != null
                ? semel.status(operation, request.caller().tenant(), Key.of(JsonBody.demandKey(key)))
                : semel.status(request.caller().tenant(), record)
                        .filter(status -> status.operation().equals(name));
        return status(found);
    }

    static ApiAnswer status(Optional<CallStatus> found) throws ApiProblem {
        if (found.isEmpty()) {
            throw new ApiProblem(ApiCode.NOT_FOUND, "This tenant has no such record, or its record has expired.");
        }
        Map<String, Object> facts = StatusFacts.of(found.get());
        facts.remove("tenant");
        facts.put("record", facts.remove("id"));
        return ApiAnswer.ok().withAll(facts);
    }

    static RunHandle handle(ApiRequest request, JsonBody body) throws ApiProblem {
        return new RunHandle(request.caller().tenant(), RecordId.ofHex(body.record()), body.fence("fence"));
    }

    static Duration lease(JsonBody body) throws ApiProblem {
        @Nullable Duration lease = body.duration("lease", SHORTEST_LEASE, LONGEST_LEASE);
        return lease == null ? USUAL_LEASE : lease;
    }

    /** The category, reason and Retry-After that a client tells. */
    static Failure failure(JsonBody body) throws ApiProblem {
        String code = body.text("category");
        Optional<Failure.Category> category =
                code == null ? Optional.of(Failure.Category.UNKNOWN) : Failure.Category.ofCode(code);
        if (category.isEmpty()) {
            throw JsonBody.invalid("category", "is not one that Semel knows, such as network, timeout or validation");
        }
        String reason = body.text("reason");
        Duration retryAfter = body.duration("retry_after", Duration.ZERO, Duration.ofDays(1));
        Failure failure = Failure.of(category.get(), reason == null ? "" : reason);
        return retryAfter == null ? failure : failure.withRetryAfter(retryAfter);
    }
}
