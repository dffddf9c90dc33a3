package dev.semel.conformance;

import java.net.http.HttpResponse;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** A response of the service. */
record ProbeResponse(HttpResponse<byte[]> response) {
    private static final String REPLAYED = "Idempotency-Replayed";

    int status() {
        return response.statusCode();
    }

    byte[] body() {
        return response.body();
    }

    boolean isSuccess() {
        return status() >= 200 && status() < 300;
    }

    boolean isReplay() {
        return "true".equals(header(REPLAYED));
    }

    /** A success that is not a replay. */
    boolean isFirst() {
        return isSuccess() && header(REPLAYED) == null;
    }

    @Nullable
    String header(String name) {
        return response.headers().firstValue(name).orElse(null);
    }

    List<String> headers(String name) {
        return response.headers().allValues(name);
    }

    boolean says(ProbeResponse other) {
        return status() == other.status() && Arrays.equals(body(), other.body());
    }

    /** A member of the problem, as text. */
    @Nullable
    String problem(String member) {
        String type = header("Content-Type");
        JsonNode node = type != null && type.startsWith("application/problem+json") ? Json.read(body()) : null;
        JsonNode value = node == null ? null : node.get(member);
        return value == null || value.isNull() ? null : value.asString();
    }

    boolean isProblem(int status, String code) {
        return status() == status && code.equals(problem("code"));
    }

    /** Status, code and replay flag, for a message. */
    String told() {
        String code = problem("code");
        return status() + (code == null ? "" : " " + code) + (isReplay() ? ", replayed" : "");
    }
}
