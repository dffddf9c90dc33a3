package dev.semel.server.gateway;

import dev.semel.http.shared.ProblemDocument;
import dev.semel.http.shared.RequestIds;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.UUID;

/** What the gateway answers itself. */
enum GatewayProblem {
    BAD_PATH(
            "gateway.bad_path",
            400,
            "Bad path",
            "The path or query of the request is ambiguous or not valid. Nothing was run."),
    BODY_NOT_ALLOWED(
            "gateway.body_not_allowed", 400, "Body not allowed", "A request of this method cannot have a body here."),
    METHOD_NOT_ALLOWED(
            "gateway.method_not_allowed",
            405,
            "Method not allowed",
            "The gateway passes on GET, HEAD, OPTIONS, POST, PUT, PATCH and DELETE."),
    LENGTH_REQUIRED(
            "gateway.length_required",
            411,
            "Length required",
            "A request without an idempotency key needs a Content-Length. Nothing was run."),
    UPGRADE_REFUSED(
            "gateway.upgrade_refused",
            501,
            "Upgrade rejected",
            "The gateway does not pass on this upgrade. Connect to the API directly."),
    STREAM_REFUSED(
            "gateway.stream_refused", 502, "Stream rejected", "The API answers with a stream, which is not passed on."),
    UNREACHABLE(
            "gateway.upstream_unreachable",
            502,
            "API unreachable",
            "No connection to the API. Nothing was sent to it; retry with the same key."),
    NO_ANSWER(
            "gateway.upstream_failed",
            502,
            "No answer",
            "The API did not answer, or its answer broke off. The request may have taken effect; retry with the same key only."),
    TIMED_OUT(
            "gateway.upstream_timed_out",
            504,
            "Timed out",
            "The API did not answer in time. The request may have taken effect; retry with the same key only."),
    BUSY(
            "gateway.busy",
            503,
            "Too many requests at once",
            "The gateway has too many requests under way. Nothing was run; retry."),
    TOO_LARGE(
            "request.too_large",
            413,
            "Request too large",
            "The body of the request is over the limit. Nothing was run."),
    UNAUTHENTICATED(
            "request.unauthenticated",
            401,
            "Unauthenticated",
            "Rejected: the request is not authenticated. Nothing was run."),
    FORBIDDEN("request.forbidden", 403, "Forbidden", "Rejected: the token does not allow this. Nothing was run."),
    RATE_LIMITED(
            "request.rate_limited",
            429,
            "Too many failed attempts",
            "Rejected: too many requests without a valid token. Retry after the time in Retry-After.");

    private final String code;
    private final int status;
    private final String title;
    private final String detail;

    GatewayProblem(String code, int status, String title, String detail) {
        this.code = code;
        this.status = status;
        this.title = title;
        this.detail = detail;
    }

    /** Writes it as the whole response. */
    void send(HttpServletRequest request, HttpServletResponse response) throws IOException {
        RequestIds ids = RequestIds.of(request, () -> UUID.randomUUID().toString());
        ids.show(response);
        ProblemDocument.of("urn:semel:problem:" + code, title, status, detail, code)
                .with("correlation_id", ids.correlation())
                .send(response);
    }
}
