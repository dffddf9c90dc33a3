package dev.semel.server.api;

import dev.semel.Channel;
import dev.semel.console.rest.ApiCode;
import dev.semel.console.rest.ApiProblem;
import dev.semel.console.rest.JsonBody;
import dev.semel.execution.ExternalRuns.RunHandle;
import dev.semel.key.RecordId;
import dev.semel.worker.ExternalClaims;
import dev.semel.worker.ExternalClaims.ClaimTerms;
import dev.semel.worker.ExternalClaims.ExternalMessage;
import dev.semel.worker.ExternalClaims.MessageEnd;
import dev.semel.worker.ExternalClaims.MessageFailure;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.NullNode;

/** {@code /api/v1/channels/{name}/claim} and what follows it: messages whose handlers are clients. */
final class WorkResource {
    /** Of one claim, and of one request that ends or renews messages. */
    static final int MOST_MESSAGES = 100;

    private static final int USUAL_MESSAGES = 10;
    private static final Duration AFTER_NO_WAIT = Duration.ofSeconds(1);
    private static final String LOST =
            "No message with this record is held under this fence; nothing was recorded. Its lease may have expired, and another"
                    + " worker may have it, or it was handed back with a message before it in its lane.";

    private final ExternalClaims claims;
    private final WaitingRequests waiting;

    WorkResource(ExternalClaims claims, WaitingRequests waiting) {
        this.claims = claims;
        this.waiting = waiting;
    }

    ApiAnswer claim(ApiRequest request, String name) throws ApiProblem {
        JsonBody body = request.body();
        Channel.Leased<Json> channel = request.settings().channel(name);
        int most = body.number("max", USUAL_MESSAGES, 1, MOST_MESSAGES);
        Duration lease = OperationsResource.lease(body);
        Duration wait = body.duration("wait", Duration.ZERO, request.settings().longestWait());
        String claimId = request.repetitionId(body, "claim_id");
        body.demandNoOther();
        Duration[] waited = {Duration.ZERO};
        List<ExternalMessage<Json>> granted = waiting.call(wait, patience -> {
            waited[0] = patience;
            return claims.claim(channel, request.caller().tenant(), new ClaimTerms(most, lease, patience, claimId));
        });
        ApiAnswer answer = ApiAnswer.ok()
                .with("messages", granted.stream().map(WorkResource::shown).toList());
        boolean refusedToWait = granted.isEmpty() && wait != null && !wait.isZero() && waited[0].isZero();
        return refusedToWait ? answer.with("retry_after_ms", AFTER_NO_WAIT.toMillis()) : answer;
    }

    private static Map<String, Object> shown(ExternalMessage<Json> message) {
        Map<String, Object> fields = named(message.run());
        fields.put("key", message.key());
        Json payload = message.payload();
        fields.put("payload", payload == null ? NullNode.getInstance() : payload.value());
        if (message.lane() != null) {
            fields.put("lane", message.lane());
        }
        fields.put("attempt", message.attempt());
        fields.put("downstream_key", message.downstreamKey());
        fields.put("lease_until", message.leaseUntil().toString());
        fields.put("correlation_id", message.correlationId());
        return fields;
    }

    private static Map<String, Object> named(RunHandle run) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("record", run.record().hex());
        fields.put("fence", Long.toString(run.fence()));
        return fields;
    }

    ApiAnswer finish(ApiRequest request, String name) throws ApiProblem {
        return ended(
                runs(request, request.body()),
                claims::finish,
                request.settings().channel(name));
    }

    ApiAnswer release(ApiRequest request, String name) throws ApiProblem {
        return ended(
                runs(request, request.body()),
                claims::release,
                request.settings().channel(name));
    }

    ApiAnswer renew(ApiRequest request, String name) throws ApiProblem {
        JsonBody body = request.body();
        Channel.Leased<Json> channel = request.settings().channel(name);
        Duration lease = OperationsResource.lease(body);
        List<RunHandle> runs = runs(request, body);
        List<@Nullable Instant> ends = claims.renew(channel, runs, lease);
        List<Map<String, Object>> answers = new ArrayList<>();
        for (int i = 0; i < runs.size(); i++) {
            Instant until = ends.get(i);
            Map<String, Object> answer = of(runs.get(i));
            if (until == null) {
                reject(answer, ApiCode.LEASE_LOST, LOST);
            } else {
                answer.put("outcome", "renewed");
                answer.put("lease_until", until.toString());
            }
            answers.add(answer);
        }
        return ApiAnswer.ok().with("messages", answers);
    }

    private static List<RunHandle> runs(ApiRequest request, JsonBody body) throws ApiProblem {
        List<RunHandle> runs = new ArrayList<>();
        for (JsonBody message : body.objects("messages", MOST_MESSAGES)) {
            runs.add(handle(request, message));
            message.demandNoOther();
        }
        body.demandNoOther();
        return runs;
    }

    private static RunHandle handle(ApiRequest request, JsonBody message) throws ApiProblem {
        return new RunHandle(request.caller().tenant(), RecordId.ofHex(message.record()), message.fence("fence"));
    }

    ApiAnswer fail(ApiRequest request, String name) throws ApiProblem {
        JsonBody body = request.body();
        Channel.Leased<Json> channel = request.settings().channel(name);
        List<MessageFailure> failures = new ArrayList<>();
        for (JsonBody message : body.objects("messages", MOST_MESSAGES)) {
            failures.add(new MessageFailure(
                    handle(request, message), OperationsResource.failure(message), message.bool("retryable")));
            message.demandNoOther();
        }
        body.demandNoOther();
        List<RunHandle> runs = failures.stream().map(MessageFailure::run).toList();
        return answered(runs, claims.fail(channel, failures));
    }

    /** Ends messages in one way. */
    @FunctionalInterface
    private interface Ending {
        List<MessageEnd> end(Channel.Leased<?> channel, List<RunHandle> runs);
    }

    private static ApiAnswer ended(List<RunHandle> runs, Ending ending, Channel.Leased<Json> channel) {
        return answered(runs, ending.end(channel, runs));
    }

    private static ApiAnswer answered(List<RunHandle> runs, List<MessageEnd> ends) {
        List<Map<String, Object>> answers = new ArrayList<>();
        for (int i = 0; i < runs.size(); i++) {
            Map<String, Object> answer = of(runs.get(i));
            show(ends.get(i), answer);
            answers.add(answer);
        }
        return ApiAnswer.ok().with("messages", answers);
    }

    private static Map<String, Object> of(RunHandle run) {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("record", run.record().hex());
        return answer;
    }

    private static void show(MessageEnd end, Map<String, Object> answer) {
        if (end instanceof MessageEnd.MessageDone) {
            answer.put("outcome", "recorded");
        } else if (end instanceof MessageEnd.MessageRetried later) {
            answer.put("outcome", "retry_later");
            answer.put("retry_after_ms", later.in().toMillis());
            answer.put("reason", later.reason());
        } else if (end instanceof MessageEnd.FailedForGood failed) {
            answer.put("outcome", "failed");
            answer.put("reason", failed.reason());
        } else if (end instanceof MessageEnd.MessageUnknown unknown) {
            answer.put("outcome", "unknown");
            answer.put("reason", unknown.reason());
        } else if (end instanceof MessageEnd.HandedBack) {
            answer.put("outcome", "handed_back");
        } else if (end instanceof MessageEnd.WaitsForLane) {
            reject(
                    answer,
                    ApiCode.LANE_WAITING,
                    "A message before it in its lane has not ended; nothing was recorded, and it is still held. End the messages of"
                            + " a lane in their order.");
        } else if (end instanceof MessageEnd.MessageLocked) {
            reject(
                    answer,
                    ApiCode.STORE_UNAVAILABLE,
                    "Its record is locked by another transaction; nothing was recorded. Repeat the same request.");
        } else {
            reject(answer, ApiCode.LEASE_LOST, LOST);
        }
    }

    private static void reject(Map<String, Object> answer, ApiCode code, String detail) {
        answer.put("outcome", "rejected");
        answer.put("code", code.code());
        answer.put("detail", detail);
    }
}
