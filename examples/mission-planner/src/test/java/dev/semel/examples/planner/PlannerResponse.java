package dev.semel.examples.planner;

import java.net.http.HttpHeaders;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** An answer. */
record PlannerResponse(int status, HttpHeaders headers, byte[] body) {
    static PlannerResponse of(HttpResponse<byte[]> response) {
        return new PlannerResponse(response.statusCode(), response.headers(), response.body());
    }

    String header(String name) {
        return headers.firstValue(name).orElse("");
    }

    JsonNode json() {
        return JsonMapper.shared().readTree(body);
    }

    String text(String field) {
        return json().path(field).asString("");
    }

    long number(String field) {
        return json().path(field).asLong(-1);
    }

    boolean isReplay() {
        return header("Idempotency-Replayed").equals("true");
    }

    boolean is(int expected, String code) {
        return status == expected && text("code").equals(code);
    }

    @Override
    public String toString() {
        return status + " " + headers.map() + " " + new String(body, StandardCharsets.UTF_8);
    }
}
