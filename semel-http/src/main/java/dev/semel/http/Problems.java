package dev.semel.http;

import dev.semel.Answer;
import dev.semel.http.shared.ProblemDocument;
import dev.semel.http.shared.RequestIds;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes problems as {@code application/problem+json}. A problem names the fault and the next step. It contains nothing of the
 * request, of the first response, or of other callers.
 *
 * @param ietf the documentation URL of the profile draft-ietf-httpapi-idempotency-key-header; null outside that profile
 * @param resource where a caller finds the status of its request; null when that is not served
 */
record Problems(
        @Nullable URI ietf,
        Hooks.@Nullable StatusLink link,
        @Nullable StatusResource resource) {
    private static final int UNPROCESSABLE = 422;

    /**
     * One problem.
     *
     * @param about the record that it is about; null when there is none, or it is not known
     */
    record Problem(
            ProblemCode code,
            String detail,
            Set<Answer.Next> next,
            @Nullable Duration retryAfter,
            @Nullable AboutRecord about) {
        static Problem of(ProblemCode code, String detail, Answer.Next... next) {
            return new Problem(code, detail, Set.of(next), null, null);
        }

        Problem retryAfter(Duration value) {
            return new Problem(code, detail, next, value, about);
        }

        Problem about(@Nullable AboutRecord record) {
            return new Problem(code, detail, next, retryAfter, record);
        }
    }

    /**
     * The record of a request.
     *
     * @param version of the API
     * @param visible whether others see the record while the request runs
     * @param cancellable whether the status resource lets this caller cancel it
     */
    record AboutRecord(String id, @Nullable String version, boolean visible, boolean cancellable) {}

    void write(HttpServletRequest request, HttpServletResponse response, RequestIds ids, Problem problem)
            throws IOException {
        ProblemCode code = problem.code;
        ProblemDocument document = ProblemDocument.of(
                        type(code), code.title(), status(code), problem.detail, code.code())
                .with("correlation_id", ids.correlation())
                .withNext(actions(problem));
        if (problem.retryAfter != null) {
            response.setHeader("Retry-After", Long.toString(seconds(problem.retryAfter)));
        }
        String status = statusLink(request, ids, problem);
        if (status != null) {
            document.with("status_link", status);
            response.addHeader("Link", "<" + status + ">; rel=\"status\"");
        }
        if (ietf != null) {
            response.addHeader("Link", "<" + ietf + ">; rel=\"describedby\"; type=\"text/html\"");
        }
        document.send(response);
    }

    int status(ProblemCode code) {
        return code == ProblemCode.PAYLOAD_MISMATCH && ietf != null ? UNPROCESSABLE : code.status();
    }

    String type(ProblemCode code) {
        return ietf == null ? "urn:semel:problem:" + code.code() : ietf + "#" + code.code();
    }

    private Set<Answer.Next> actions(Problem problem) {
        Set<Answer.Next> next = EnumSet.noneOf(Answer.Next.class);
        next.addAll(problem.next);
        if (isServed(problem)) {
            next.add(Answer.Next.CHECK_STATUS);
            if (problem.code == ProblemCode.RETRY_LATER && Objects.requireNonNull(problem.about).cancellable) {
                next.add(Answer.Next.CANCEL);
            }
        }
        return next;
    }

    /** Whether the status resource has the record that the problem is about. */
    private boolean isServed(Problem problem) {
        if (resource == null || problem.about == null) {
            return false;
        }
        return switch (problem.code) {
            case OUTCOME_UNKNOWN, RETRY_LATER -> true;
            case IN_PROGRESS -> problem.about.visible;
            default -> false;
        };
    }

    /** By default the path of the request: a retry with the same key returns the outcome. */
    private @Nullable String statusLink(HttpServletRequest request, RequestIds ids, Problem problem) {
        if (isServed(problem)) {
            AboutRecord about = Objects.requireNonNull(problem.about);
            return Objects.requireNonNull(resource).link(request, about.id, about.version);
        }
        if (problem.code != ProblemCode.OUTCOME_UNKNOWN) {
            return null;
        }
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
        ProblemDocument.blank(status).with("correlation_id", ids.correlation()).send(response);
    }

    /** Whole seconds, rounded up, at least one. */
    static long seconds(Duration wait) {
        return ProblemDocument.seconds(wait);
    }
}
