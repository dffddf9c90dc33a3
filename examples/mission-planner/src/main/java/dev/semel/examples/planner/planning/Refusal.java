package dev.semel.examples.planner.planning;

/** A rejected request; nothing was changed. */
final class Refusal extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int status;
    private final String code;

    private Refusal(int status, String code, String detail) {
        super(detail);
        this.status = status;
        this.code = code;
    }

    static Refusal invalid(String code, String detail) {
        return new Refusal(400, code, detail);
    }

    /** Also for a resource of another organisation, so that its existence is not revealed. */
    static Refusal notFound(String kind) {
        return new Refusal(404, kind + ".not_found", "There is no such " + kind + ".");
    }

    static Refusal conflict(String code, String detail) {
        return new Refusal(409, code, detail);
    }

    int status() {
        return status;
    }

    String code() {
        return code;
    }
}
