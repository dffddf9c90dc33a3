package dev.semel.http;

import dev.semel.Answer;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Writes problems as {@code application/problem+json}. A problem names the fault and the next step. It contains nothing of the
 * request, of the first response, or of other callers.
 *
 * @param ietf the documentation URL of the profile draft-ietf-httpapi-idempotency-key-header; null outside that profile
 */
record Problems(@Nullable URI ietf, Hooks.@Nullable StatusLink link) {
    private static final JsonMapper JSON = JsonMapper.shared();
    private static final int UNPROCESSABLE = 422;

    /** One problem. */
    record Problem(
            ProblemCode code,
            String detail,
            Set<Answer.Next> next,
            @Nullable Duration retryAfter) {
        static Problem of(ProblemCode code, String detail, Answer.Next... next) {
            return new Problem(code, detail, Set.of(next), null);
        }

        Problem retryAfter(Duration value) {
            return new Problem(code, detail, next, value);
        }
    }

    void write(HttpServletRequest request, HttpServletResponse response, RequestIds ids, Problem problem)
            throws IOException {
        ProblemCode code = problem.code;
        int status = status(code);
        ObjectNode body = JSON.createObjectNode();
        body.put("type", type(code));
        body.put("title", code.title());
        body.put("status", status);
        body.put("detail", problem.detail);
        body.put("code", code.code());
        body.put("correlation_id", ids.correlation());
        if (!problem.next.isEmpty()) {
            ArrayNode next = body.putArray("next");
            problem.next.stream().sorted().forEach(each -> next.add(each.name().toLowerCase(Locale.ROOT)));
        }
        if (problem.retryAfter != null) {
            response.setHeader("Retry-After", Long.toString(seconds(problem.retryAfter)));
        }
        if (code == ProblemCode.OUTCOME_UNKNOWN) {
            String where = status(request, ids);
            body.put("status_link", where);
            response.addHeader("Link", "<" + where + ">; rel=\"status\"");
        }
        if (ietf != null) {
            response.addHeader("Link", "<" + ietf + ">; rel=\"describedby\"; type=\"text/html\"");
        }
        send(response, status, JSON.writeValueAsBytes(body));
    }

    int status(ProblemCode code) {
        return code == ProblemCode.PAYLOAD_MISMATCH && ietf != null ? UNPROCESSABLE : code.status();
    }

    String type(ProblemCode code) {
        return ietf == null ? "urn:semel:problem:" + code.code() : ietf + "#" + code.code();
    }

    /** By default the path of the request: a retry with the same key returns the outcome. */
    private String status(HttpServletRequest request, RequestIds ids) {
        if (link != null) {
            return link.of(request, ids.correlation()).toString();
        }
        try {
            return URI.create(request.getRequestURI()).toString();
        } catch (IllegalArgumentException e) {
            return "/";
        }
    }

    /**
     * The body of {@code sendError} when the application writes none itself. Without the handler's message, which may not be meant
     * for the caller; {@link Hooks.Errors} can include it.
     */
    static void error(HttpServletResponse response, RequestIds ids, int status) throws IOException {
        ObjectNode body = JSON.createObjectNode();
        body.put("type", "about:blank");
        body.put("status", status);
        body.put("correlation_id", ids.correlation());
        send(response, status, JSON.writeValueAsBytes(body));
    }

    private static void send(HttpServletResponse response, int status, byte[] body) throws IOException {
        response.setStatus(status);
        response.setContentType("application/problem+json");
        response.setHeader("Cache-Control", "no-store");
        response.setContentLength(body.length);
        try {
            response.getOutputStream().write(body);
        } catch (IllegalStateException e) {
            // The writer of the response is already in use.
            response.getWriter().write(new String(body, StandardCharsets.UTF_8));
        }
    }

    /** Whole seconds, rounded up, at least one. */
    static long seconds(Duration wait) {
        return Math.max(1, wait.plusMillis(999).toSeconds());
    }
}
