package dev.semel.conformance;

/** The problems that the contract names and the suite provokes: the code in the problem's JSON, and the status. */
enum ExpectedProblem {
    KEY_REQUIRED("idempotency.key_required", 400),
    KEY_INVALID("idempotency.key_invalid", 400),
    PAYLOAD_MISMATCH("idempotency.payload_mismatch", 409),
    IN_PROGRESS("idempotency.in_progress", 409),
    TOO_LARGE("request.too_large", 413);

    private final String code;
    private final int status;

    ExpectedProblem(String code, int status) {
        this.code = code;
        this.status = status;
    }

    String code() {
        return code;
    }

    int status() {
        return status;
    }
}
