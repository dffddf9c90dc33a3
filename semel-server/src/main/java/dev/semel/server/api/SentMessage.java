package dev.semel.server.api;

import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Sent;
import dev.semel.console.rest.ApiCode;
import dev.semel.console.rest.ApiProblem;
import dev.semel.console.rest.JsonBody;
import dev.semel.key.Identity;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** A message as a client sends it. */
record SentMessage(Message<Json> message) {
    private static final int LONGEST_LANE = 255;

    static SentMessage read(JsonBody body, ApiRequest request, String correlationId) throws ApiProblem {
        String key = body.key();
        JsonNode payload = body.value("payload");
        String lane = body.text("lane");
        if (lane != null && (lane.isEmpty() || lane.length() > LONGEST_LANE || lane.indexOf('\0') >= 0)) {
            throw JsonBody.invalid("lane", "must have 1 to " + LONGEST_LANE + " characters, none of them NUL");
        }
        if (lane != null && payload.isNull()) {
            throw JsonBody.invalid("lane", "needs a payload that is not null");
        }
        Duration delay = body.duration("delay", Duration.ZERO, Duration.ofDays(365));
        Instant deadline = body.instant("deadline");
        @Nullable Json value = payload.isNull() ? null : new Json(payload, lane);
        Message<Json> message = Message.of(request.caller().tenant(), Key.of(key), value)
                .withOrigin(request.origin().withCorrelationId(correlationId));
        if (delay != null) {
            message = message.withDelay(delay);
        }
        return new SentMessage(deadline == null ? message : message.withDeadline(deadline));
    }

    ApiAnswer accepted(MessageTarget target, Sent sent) throws ApiProblem {
        if (sent instanceof Sent.Accepted accepted) {
            String record = Identity.of(message.tenant(), target.operation().name(), message.key())
                    .id()
                    .hex();
            return ApiAnswer.accepted(accepted.first() ? "accepted" : "duplicate")
                    .with("record", record)
                    .with("correlation_id", accepted.correlationId());
        }
        if (sent instanceof Sent.Conflict conflict) {
            throw new ApiProblem(ApiCode.PAYLOAD_MISMATCH, conflict.notice().reason())
                    .withNext(conflict.notice().next());
        }
        throw new ApiProblem(ApiCode.INVALID, ((Sent.Rejected) sent).notice().reason());
    }
}
