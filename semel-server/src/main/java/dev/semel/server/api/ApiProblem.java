package dev.semel.server.api;

import dev.semel.Answer;
import dev.semel.http.shared.ProblemDocument;
import dev.semel.http.shared.RequestIds;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A request that is answered with a problem. The detail contains nothing of another tenant. */
final class ApiProblem extends Exception {
    private static final long serialVersionUID = 1;

    private final ApiCode code;
    private final transient Map<String, String> members = new LinkedHashMap<>();
    private transient Set<Answer.Next> next = Set.of();
    private transient @Nullable Duration retryAfter;
    private @Nullable String allow;

    ApiProblem(ApiCode code, String detail) {
        super(detail, null, false, false);
        this.code = code;
    }

    ApiProblem with(String name, String value) {
        members.put(name, value);
        return this;
    }

    ApiProblem withNext(Set<Answer.Next> steps) {
        next = steps;
        return this;
    }

    ApiProblem retryAfter(Duration wait) {
        retryAfter = wait;
        return this;
    }

    ApiProblem allowing(String methods) {
        allow = methods;
        return this;
    }

    ApiCode code() {
        return code;
    }

    String detail() {
        return String.valueOf(getMessage());
    }

    void write(HttpServletResponse response, RequestIds ids) throws IOException {
        ProblemDocument document = ProblemDocument.of(
                        "urn:semel:problem:" + code.code(), code.title(), code.status(), detail(), code.code())
                .with("correlation_id", ids.correlation())
                .withNext(next);
        members.forEach(document::with);
        if (retryAfter != null) {
            response.setHeader("Retry-After", Long.toString(ProblemDocument.seconds(retryAfter)));
        }
        if (code == ApiCode.UNAUTHENTICATED) {
            response.setHeader("WWW-Authenticate", "Bearer");
        }
        if (allow != null) {
            response.setHeader("Allow", allow);
        }
        document.send(response);
    }
}
