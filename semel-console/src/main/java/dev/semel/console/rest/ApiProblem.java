package dev.semel.console.rest;

import dev.semel.Answer;
import dev.semel.http.shared.ProblemDocument;
import dev.semel.http.shared.RequestIds;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A request that is answered with a problem. The detail contains nothing of another tenant. */
public final class ApiProblem extends Exception {
    private static final long serialVersionUID = 1;

    private final transient ProblemKind code;
    private final transient Map<String, String> members = new LinkedHashMap<>();
    private transient List<String> faults = List.of();
    private transient Set<Answer.Next> next = Set.of();
    private transient @Nullable Duration retryAfter;
    private @Nullable String allow;

    /** @param detail what, which one, why, what next; without secrets and raw keys */
    public ApiProblem(ProblemKind code, String detail) {
        super(detail, null, false, false);
        this.code = code;
    }

    /** One more member. */
    public ApiProblem with(String name, String value) {
        members.put(name, value);
        return this;
    }

    /** All that is wrong, one sentence each. */
    public ApiProblem withFaults(List<String> all) {
        faults = List.copyOf(all);
        return this;
    }

    /** What the client may do now. */
    public ApiProblem withNext(Set<Answer.Next> steps) {
        next = steps;
        return this;
    }

    /** Sets Retry-After. */
    public ApiProblem retryAfter(Duration wait) {
        retryAfter = wait;
        return this;
    }

    /** Sets Allow. */
    public ApiProblem allowing(String methods) {
        allow = methods;
        return this;
    }

    public ProblemKind code() {
        return code;
    }

    public String detail() {
        return String.valueOf(getMessage());
    }

    /** Writes it as the whole response. */
    public void write(HttpServletResponse response, RequestIds ids) throws IOException {
        ProblemDocument document = ProblemDocument.of(
                        "urn:semel:problem:" + code.code(), code.title(), code.status(), detail(), code.code())
                .with("correlation_id", ids.correlation())
                .withNext(next);
        members.forEach(document::with);
        if (!faults.isEmpty()) {
            document.withList("faults", faults);
        }
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
