package dev.semel.execution;

import dev.semel.Failure;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Failures as they are stored. */
final class Failures {
    private static final JsonMapper JSON = JsonMapper.shared();

    private Failures() {}

    static byte[] encode(Failure failure) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("category", failure.category().code());
        fields.put("reason", failure.reason());
        if (failure.exception() != null) {
            fields.put("exception", failure.exception());
        }
        if (failure.retryAfter() != null) {
            fields.put("retry_after_ms", failure.retryAfter().toMillis());
        }
        return JSON.writeValueAsBytes(fields);
    }

    static Failure decode(byte[] stored) {
        JsonNode fields = JSON.readTree(new String(stored, StandardCharsets.UTF_8));
        return new Failure(
                Failure.Category.valueOf(fields.get("category").stringValue().toUpperCase(Locale.ROOT)),
                fields.get("reason").stringValue(),
                fields.has("exception") ? fields.get("exception").stringValue() : null,
                fields.has("retry_after_ms")
                        ? Duration.ofMillis(fields.get("retry_after_ms").longValue())
                        : null);
    }
}
