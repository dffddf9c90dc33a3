package dev.semel.http;

import java.net.http.HttpHeaders;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A response as the client received it. */
public record ReceivedResponse(int status, HttpHeaders headers, byte[] body) {
    public static ReceivedResponse of(HttpResponse<byte[]> response) {
        return new ReceivedResponse(response.statusCode(), response.headers(), response.body());
    }

    public String text() {
        return new String(body, StandardCharsets.UTF_8);
    }

    public Optional<String> header(String name) {
        return headers.firstValue(name);
    }

    boolean replayed() {
        return header("Idempotency-Replayed").isPresent();
    }

    public JsonNode problem() {
        if (!header("Content-Type").orElse("").startsWith("application/problem+json")) {
            throw new AssertionError("not a problem: " + this);
        }
        return JsonMapper.shared().readTree(body);
    }

    /** The code of a problem. */
    public String code() {
        return problem().get("code").stringValue();
    }

    public long retryAfter() {
        return Long.parseLong(header("Retry-After").orElseThrow(() -> new AssertionError("no Retry-After: " + this)));
    }

    @Override
    public String toString() {
        return status + " " + headers.map() + " " + text();
    }
}
