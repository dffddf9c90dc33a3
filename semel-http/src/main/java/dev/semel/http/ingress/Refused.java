package dev.semel.http.ingress;

/** A webhook is not accepted. The reason is fixed text for the log, without anything of the request. */
final class Refused extends Exception {
    private static final long serialVersionUID = 1;

    private final IngressCode code;
    private final String reason;

    Refused(IngressCode code, String reason) {
        super(code.code() + ": " + reason, null, false, false);
        this.code = code;
        this.reason = reason;
    }

    static Refused signature(String reason) {
        return new Refused(IngressCode.SIGNATURE_INVALID, reason);
    }

    static Refused event(String reason) {
        return new Refused(IngressCode.EVENT_INVALID, reason);
    }

    IngressCode code() {
        return code;
    }

    String reason() {
        return reason;
    }
}
