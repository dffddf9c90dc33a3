package dev.semel.server.api;

import dev.semel.console.rest.RequestBody;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.NullNode;

/** A response that is not a problem: a JSON object. */
final class ApiAnswer {
    private static final JsonMapper JSON = JsonMapper.shared();

    private final int status;
    private final Map<String, Object> members = new LinkedHashMap<>();
    private boolean replayed;

    private ApiAnswer(int status) {
        this.status = status;
    }

    static ApiAnswer ok() {
        return new ApiAnswer(HttpServletResponse.SC_OK);
    }

    /** 200, with what came of it in one word. */
    static ApiAnswer ok(String outcome) {
        return ok().with("outcome", outcome);
    }

    static ApiAnswer accepted(String outcome) {
        return new ApiAnswer(HttpServletResponse.SC_ACCEPTED).with("outcome", outcome);
    }

    ApiAnswer with(String name, Object value) {
        members.put(name, value);
        return this;
    }

    ApiAnswer with(String name, @Nullable Json value) {
        return with(name, value == null ? NullNode.getInstance() : (Object) value.value());
    }

    ApiAnswer withAll(Map<String, Object> more) {
        members.putAll(more);
        return this;
    }

    ApiAnswer asReplay() {
        replayed = true;
        return this;
    }

    void write(HttpServletResponse response) throws IOException {
        byte[] bytes = bytes();
        response.setStatus(status);
        response.setContentType(RequestBody.JSON);
        response.setHeader("Cache-Control", "no-store");
        response.setHeader("X-Content-Type-Options", "nosniff");
        if (replayed) {
            response.setHeader("Idempotency-Replayed", "true");
        }
        response.setContentLength(bytes.length);
        response.getOutputStream().write(bytes);
    }

    byte[] bytes() {
        return JSON.writeValueAsBytes(members);
    }
}
