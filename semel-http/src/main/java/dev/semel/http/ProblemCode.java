package dev.semel.http;

import java.util.Arrays;
import java.util.Optional;

/** Why a request was not answered by its handler. The codes are public and stable. */
public enum ProblemCode {
    KEY_REQUIRED("idempotency.key_required", 400, "This request needs an Idempotency-Key"),
    KEY_INVALID("idempotency.key_invalid", 400, "The Idempotency-Key is not valid"),
    PAYLOAD_MISMATCH("idempotency.payload_mismatch", 409, "The Idempotency-Key was used for another request"),
    IN_PROGRESS("idempotency.in_progress", 409, "The same request is being processed"),
    OUTCOME_UNKNOWN("idempotency.outcome_unknown", 409, "The outcome of the request is unknown"),
    /** Sent in the header Idempotency-Notice of a 200 without a body, not as a problem: the request is done. */
    RESPONSE_NOT_KEPT("idempotency.response_not_kept", 200, "The request is done; its response was not stored"),
    DISCARDED("idempotency.discarded", 410, "The request failed permanently or was discarded"),
    RETRY_LATER("idempotency.retry_later", 503, "The request failed; retry later"),
    STORE_UNAVAILABLE("idempotency.store_unavailable", 503, "The ledger is unavailable; the request was not run"),
    NOT_PROTECTED("idempotency.not_protected", 500, "The request was rejected: it bypassed the idempotency filter"),
    /** Of the status resource. */
    NOT_FOUND("idempotency.not_found", 404, "There is no such request"),
    VERSION_MISMATCH("concurrency.version_mismatch", 409, "Version conflict: the resource has changed"),
    TOO_LARGE("request.too_large", 413, "The request body is too large"),
    BODY_INCOMPLETE("request.body_incomplete", 400, "The request body is incomplete"),
    BODY_MALFORMED("request.body_malformed", 400, "The request body cannot be read"),
    RATE_LIMITED("request.rate_limited", 429, "Too many requests"),
    UNAUTHENTICATED("request.unauthenticated", 401, "The request is not authenticated"),
    NO_TENANT("request.no_tenant", 403, "The tenant of the caller is unknown"),
    FORBIDDEN("request.forbidden", 403, "The caller is not authorized"),
    HALTED("operation.halted", 503, "This operation is switched off"),
    BREAKER_OPEN("operation.breaker_open", 503, "The circuit breaker of this operation is open");

    private final String code;
    private final int status;
    private final String title;

    ProblemCode(String code, int status, String title) {
        this.code = code;
        this.status = status;
        this.title = title;
    }

    /** As in the {@code code} of a problem: {@code idempotency.in_progress}. */
    public String code() {
        return code;
    }

    /** The HTTP status. The IETF profile replaces some of them. */
    public int status() {
        return status;
    }

    /** As in the {@code title} of a problem. */
    public String title() {
        return title;
    }

    /** The problem with this code; empty when there is none. */
    public static Optional<ProblemCode> ofCode(String code) {
        return Arrays.stream(values()).filter(each -> each.code.equals(code)).findFirst();
    }
}
