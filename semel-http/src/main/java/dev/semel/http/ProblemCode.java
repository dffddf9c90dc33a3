package dev.semel.http;

import java.util.Arrays;
import java.util.Optional;

/** Why a request was not answered by its handler. The codes are public and stable. */
public enum ProblemCode {
    KEY_REQUIRED("idempotency.key_required", 400, "This request needs an Idempotency-Key"),
    KEY_INVALID("idempotency.key_invalid", 400, "The Idempotency-Key is not valid"),
    PAYLOAD_MISMATCH("idempotency.payload_mismatch", 409, "The Idempotency-Key was used for another request"),
    IN_PROGRESS("idempotency.in_progress", 409, "The same request is being processed"),
    OUTCOME_UNKNOWN("idempotency.outcome_unknown", 409, "Whether the request took effect is not known"),
    /** AnswerToProblem in a header of a 200 without a body, not as a problem: the request is done. */
    RESPONSE_NOT_KEPT("idempotency.response_not_kept", 200, "The request is done; its answer was not kept"),
    DISCARDED("idempotency.discarded", 410, "The request was closed"),
    RETRY_LATER("idempotency.retry_later", 503, "The request failed and may be repeated later"),
    STORE_UNAVAILABLE("idempotency.store_unavailable", 503, "The request was not run"),
    NOT_PROTECTED(
            "idempotency.not_protected", 500, "The request was not run: nothing would keep it from running twice"),
    VERSION_MISMATCH("concurrency.version_mismatch", 409, "The resource was changed meanwhile"),
    TOO_LARGE("request.too_large", 413, "The request body is too large"),
    BODY_INCOMPLETE("request.body_incomplete", 400, "The request body ended early"),
    BODY_MALFORMED("request.body_malformed", 400, "The request body cannot be read"),
    RATE_LIMITED("request.rate_limited", 429, "Too many requests"),
    UNAUTHENTICATED("request.unauthenticated", 401, "The request needs authentication"),
    NO_TENANT("request.no_tenant", 403, "The caller belongs to no tenant"),
    FORBIDDEN("request.forbidden", 403, "The caller may not do this"),
    HALTED("operation.halted", 503, "This kind of request is switched off"),
    BREAKER_OPEN("operation.breaker_open", 503, "This kind of request is paused");

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

    /** The status, unless a profile says otherwise. */
    public int status() {
        return status;
    }

    String title() {
        return title;
    }

    public static Optional<ProblemCode> ofCode(String code) {
        return Arrays.stream(values()).filter(each -> each.code.equals(code)).findFirst();
    }
}
