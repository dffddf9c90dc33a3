package dev.semel.http.ingress;

/** Why a webhook was not accepted: the {@code code} of a problem. The codes are public and stable. */
public enum IngressCode {
    DISABLED("ingress.disabled", 503, "This webhook endpoint is switched off"),
    METHOD_NOT_ALLOWED("ingress.method_not_allowed", 405, "Webhooks are sent by POST"),
    ENCODING_UNSUPPORTED("ingress.encoding_unsupported", 415, "Compressed webhooks are not supported"),
    TOO_LARGE("request.too_large", 413, "The request body is too large"),
    BODY_INCOMPLETE("request.body_incomplete", 400, "The request body is incomplete"),
    SIGNATURE_INVALID("ingress.signature_invalid", 401, "The signature is missing or invalid"),
    TIMESTAMP_REJECTED("ingress.timestamp_rejected", 401, "The signed timestamp is too old or in the future"),
    EVENT_INVALID("ingress.event_invalid", 400, "The event cannot be identified or stored"),
    STORE_UNAVAILABLE("ingress.store_unavailable", 503, "The ledger is unavailable; send the webhook again");

    private final String code;
    private final int status;
    private final String title;

    IngressCode(String code, int status, String title) {
        this.code = code;
        this.status = status;
        this.title = title;
    }

    /** As in the {@code code} of a problem: {@code ingress.signature_invalid}. */
    public String code() {
        return code;
    }

    /** The HTTP status. */
    public int status() {
        return status;
    }

    /** As in the {@code title} of a problem. */
    public String title() {
        return title;
    }
}
