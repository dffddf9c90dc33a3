package dev.semel.console.rest;

/** Why a request to the API was not carried out. The codes are public and stable; most are those of the Idempotency-Key filter. */
public enum ApiCode implements ProblemKind {
    UNAUTHENTICATED("request.unauthenticated", 401, "The request is not authenticated"),
    ACCESS_DENIED("access.denied", 403, "The token does not allow this"),
    RATE_LIMITED("request.rate_limited", 429, "Too many requests"),
    PATH_NOT_FOUND("request.path_not_found", 404, "There is no such resource"),
    METHOD_NOT_ALLOWED("request.method_not_allowed", 405, "The resource does not support this method"),
    TYPE_UNSUPPORTED("request.type_unsupported", 415, "The type of the request body is not supported"),
    TOO_LARGE("request.too_large", 413, "The request body is too large"),
    BODY_INCOMPLETE("request.body_incomplete", 400, "The request body is incomplete"),
    BODY_MALFORMED("request.body_malformed", 400, "The request body cannot be read"),
    INVALID("request.invalid", 400, "The request is invalid"),
    KEY_REQUIRED("idempotency.key_required", 400, "This request needs a key"),
    KEY_INVALID("idempotency.key_invalid", 400, "The key is not valid"),
    NOT_FOUND("idempotency.not_found", 404, "There is no such record"),
    PAYLOAD_MISMATCH("idempotency.payload_mismatch", 409, "The key was used for another payload"),
    IN_PROGRESS("idempotency.in_progress", 409, "The same call is being processed"),
    OUTCOME_UNKNOWN("idempotency.outcome_unknown", 409, "The outcome of the call is unknown"),
    DISCARDED("idempotency.discarded", 410, "The call failed permanently or was discarded"),
    RETRY_LATER("idempotency.retry_later", 503, "The call failed; retry later"),
    STORE_UNAVAILABLE("idempotency.store_unavailable", 503, "The ledger is unavailable"),
    LEASE_LOST("lease.lost", 409, "The run is not held under this fence"),
    LANE_WAITING("lane.waiting", 409, "A message before it in its lane has not ended"),
    HALTED("operation.halted", 503, "This operation is switched off"),
    SHADOWED("operation.shadowed", 409, "This operation is in SHADOW: the call was recorded and is not to be run"),
    BREAKER_OPEN("operation.breaker_open", 503, "The circuit breaker of this operation is open");

    private final String code;
    private final int status;
    private final String title;

    ApiCode(String code, int status, String title) {
        this.code = code;
        this.status = status;
        this.title = title;
    }

    @Override
    public String code() {
        return code;
    }

    @Override
    public int status() {
        return status;
    }

    @Override
    public String title() {
        return title;
    }
}
