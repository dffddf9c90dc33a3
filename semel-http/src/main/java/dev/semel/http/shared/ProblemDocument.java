package dev.semel.http.shared;

import dev.semel.Answer;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** A response of type {@code application/problem+json}. */
public final class ProblemDocument {
    private static final JsonMapper JSON = JsonMapper.shared();

    private final int status;
    private final ObjectNode body = JSON.createObjectNode();

    private ProblemDocument(int status) {
        this.status = status;
    }

    /** A problem of Semel's own. The detail must contain nothing of the request. */
    public static ProblemDocument of(String type, String title, int status, String detail, String code) {
        ProblemDocument document = new ProblemDocument(status);
        document.body.put("type", type);
        document.body.put("title", title);
        document.body.put("status", status);
        document.body.put("detail", detail);
        document.body.put("code", code);
        return document;
    }

    /** A status without a code: that of a handler of the application. */
    public static ProblemDocument blank(int status) {
        ProblemDocument document = new ProblemDocument(status);
        document.body.put("type", "about:blank");
        document.body.put("status", status);
        return document;
    }

    /** One more member. */
    public ProblemDocument with(String name, String value) {
        body.put(name, value);
        return this;
    }

    /** One more member, a list of texts. */
    public ProblemDocument withList(String name, List<String> values) {
        ArrayNode list = body.putArray(name);
        values.forEach(list::add);
        return this;
    }

    /** What the client may do now; no member where there is nothing. */
    public ProblemDocument withNext(Set<Answer.Next> steps) {
        if (!steps.isEmpty()) {
            ArrayNode next = body.putArray("next");
            steps.stream().sorted().forEach(each -> next.add(each.name().toLowerCase(Locale.ROOT)));
        }
        return this;
    }

    /** Writes it as the whole response. */
    public void send(HttpServletResponse response) throws IOException {
        byte[] bytes = JSON.writeValueAsBytes(body);
        response.setStatus(status);
        response.setContentType("application/problem+json");
        response.setHeader("Cache-Control", "no-store");
        response.setContentLength(bytes.length);
        try {
            response.getOutputStream().write(bytes);
        } catch (IllegalStateException e) {
            // The writer of the response is already in use.
            response.getWriter().write(new String(bytes, StandardCharsets.UTF_8));
        }
    }

    /** The value of Retry-After: whole seconds, rounded up, at least one. */
    public static long seconds(Duration wait) {
        return Math.max(1, wait.plusMillis(999).toSeconds());
    }
}
