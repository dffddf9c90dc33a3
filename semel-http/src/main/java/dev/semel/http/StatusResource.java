package dev.semel.http;

import dev.semel.Answer.Next;
import dev.semel.CallStatus;
import dev.semel.Cancellation;
import dev.semel.Cancellation.Cancelled;
import dev.semel.SemelException;
import dev.semel.http.Problems.Problem;
import dev.semel.operator.CallStatuses;
import dev.semel.operator.Operator;
import dev.semel.operator.StatusFacts;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Responds with the status of a request to the caller who sent it: {@code GET path/{record id}}, and where it is switched on
 * {@code POST path/{record id}/cancel}. A record of another tenant, principal or kind is as unknown as one that never was.
 *
 * @param path without a slash at its end
 */
record StatusResource(Operator operator, String path, boolean cancels) {
    private static final Logger LOG = LoggerFactory.getLogger(StatusResource.class);
    private static final JsonMapper JSON = JsonMapper.shared();
    private static final int LARGEST_BODY = 16_384;
    private static final Pattern BELOW = Pattern.compile("/([0-9a-f]{64})(/cancel)?");
    private static final String VERSION = "version";

    /** Whether a request is for this resource or below it. */
    boolean serves(HttpServletRequest request) {
        String asked = within(request);
        return asked.equals(path) || asked.startsWith(path + "/");
    }

    private static String within(HttpServletRequest request) {
        return request.getRequestURI().substring(request.getContextPath().length());
    }

    /** Where the status of a record is found. The API version is part of the scope, so the link carries it. */
    String link(HttpServletRequest request, String recordId, @Nullable String version) {
        String query = version == null ? "" : "?" + VERSION + "=" + URLEncoder.encode(version, StandardCharsets.UTF_8);
        return request.getContextPath() + path + "/" + recordId + query;
    }

    /** @return a problem to respond with; null when the response is written */
    @Nullable
    Problem respond(HttpServletRequest request, HttpServletResponse response, KeyScope scope) throws IOException {
        Matcher below = BELOW.matcher(within(request).substring(path.length()));
        boolean cancel = below.matches() && below.group(2) != null;
        if (!below.matches() || cancel && !mayCancel(scope)) {
            return notFound();
        }
        if (!(cancel ? List.of("POST") : List.of("GET", "HEAD")).contains(request.getMethod())) {
            response.setHeader("Allow", cancel ? "POST" : "GET, HEAD");
            response.setStatus(HttpServletResponse.SC_METHOD_NOT_ALLOWED);
            return null;
        }
        try {
            String version = request.getParameter(VERSION);
            CallStatuses own = operator.calls()
                    .forClient((operation, key) -> RequestToCall.isMadeIn(scope, version, operation, key));
            String id = below.group(1);
            return cancel
                    ? cancel(request, response, scope, by -> own.cancel(scope.tenant(), id, by))
                    : show(response, own.find(scope.tenant(), id), mayCancel(scope));
        } catch (SemelException.Invalid e) {
            return Problem.of(
                    ProblemCode.BODY_MALFORMED, "Rejected: the reason is missing, too long or cannot be stored.");
        } catch (SemelException e) {
            LOG.warn("{}: the status could not be read or changed: the ledger failed; the client may retry.", path, e);
            return AnswerToProblem.storeUnavailable();
        }
    }

    /** Callers without a principal share their keys, so one of them must not cancel what another one asked for. */
    boolean mayCancel(KeyScope scope) {
        return cancels && scope.principal().isPresent();
    }

    private @Nullable Problem show(HttpServletResponse response, Optional<CallStatus> status, boolean mayCancel)
            throws IOException {
        if (status.isEmpty()) {
            return notFound();
        }
        Map<String, Object> facts = StatusFacts.of(status.get());
        if (!mayCancel) {
            facts.put(
                    "next",
                    StatusFacts.words(status.get().next()).stream()
                            .filter(each -> !each.equals("cancel"))
                            .toList());
        }
        write(response, HttpServletResponse.SC_OK, facts);
        return null;
    }

    private static @Nullable Problem cancel(
            HttpServletRequest request,
            HttpServletResponse response,
            KeyScope scope,
            Function<Cancellation, Cancelled> cancelling)
            throws IOException {
        String reason = reason(request);
        if (reason == null) {
            return Problem.of(
                    ProblemCode.BODY_MALFORMED,
                    "Rejected: send a JSON object with the text \"reason\", as application/json. Nothing was cancelled.");
        }
        Cancelled cancelled = cancelling.apply(Cancellation.by(RequestToCall.actor(scope), reason));
        if (cancelled instanceof Cancelled.NotFound) {
            return notFound();
        }
        boolean closed = !(cancelled instanceof Cancelled.NotPossible);
        write(
                response,
                closed ? HttpServletResponse.SC_OK : HttpServletResponse.SC_CONFLICT,
                StatusFacts.of(cancelled));
        return null;
    }

    /** Null when there is none. Only JSON, which no HTML form of another site can send. */
    private static @Nullable String reason(HttpServletRequest request) throws IOException {
        String type = request.getContentType();
        if (type == null || !type.split(";", 2)[0].strip().equalsIgnoreCase("application/json")) {
            return null;
        }
        byte[] body = request.getInputStream().readNBytes(LARGEST_BODY + 1);
        if (body.length > LARGEST_BODY) {
            return null;
        }
        try {
            JsonNode reason = JSON.readTree(body).path("reason");
            return reason.isString() ? reason.stringValue() : null;
        } catch (JacksonException e) {
            return null;
        }
    }

    private static Problem notFound() {
        return Problem.of(
                ProblemCode.NOT_FOUND,
                "No request of this caller has this id, or its record has expired.",
                Next.CONTACT);
    }

    private static void write(HttpServletResponse response, int status, Map<String, Object> facts) throws IOException {
        byte[] body = JSON.writeValueAsBytes(facts);
        response.setStatus(status);
        response.setContentType("application/json");
        response.setHeader("Cache-Control", "no-store");
        response.setHeader("X-Content-Type-Options", "nosniff");
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }
}
