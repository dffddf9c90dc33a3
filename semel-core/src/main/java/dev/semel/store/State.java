package dev.semel.store;

/** Where a record stands. The codes are stored: never renumber them. */
public enum State {
    /** Accepted, not started. */
    QUEUED(0, false),
    /** Granted: fence, lease, attempt. */
    IN_PROGRESS(1, false),
    /** Done; the result snapshot is stored. */
    COMPLETED(2, true),
    /** Failed, and will be tried again when due. */
    FAILED_RETRYABLE(3, false),
    /** Failed, and will not be tried again by itself. */
    FAILED_TERMINAL(4, true),
    /** May or may not have taken effect: needs a reconciler or a person. */
    UNKNOWN(5, false),
    /** Decided under SHADOW and not acted on. */
    SHADOWED(6, true),
    /** Closed by an operator. */
    DISCARDED(7, true);

    private final int code;
    private final boolean finished;

    State(int code, boolean finished) {
        this.code = code;
        this.finished = finished;
    }

    /** As stored. It never changes. */
    public int code() {
        return code;
    }

    /** Whether its {@code at} is the end of its retention, after which the record counts as absent. */
    public boolean finished() {
        return finished;
    }

    /**
     * The state that is stored by this code.
     *
     * @throws IllegalArgumentException when there is none
     */
    public static State of(int code) {
        for (State state : values()) {
            if (state.code == code) {
                return state;
            }
        }
        throw new IllegalArgumentException(
                "No state has the code " + code + ": the row is damaged or the schema is newer.");
    }
}
