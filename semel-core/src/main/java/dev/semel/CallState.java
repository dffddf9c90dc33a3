package dev.semel;

/** Where a call or a message stands. The names are public and stable. */
public enum CallState {
    /** Accepted and not started. */
    QUEUED,
    /** A run is under way, or was interrupted and not yet taken over. */
    IN_PROGRESS,
    /** Done; the result is stored. */
    COMPLETED,
    /** Failed, and will be tried again. */
    FAILED_RETRYABLE,
    /** Failed, and will not be tried again by itself. */
    FAILED_TERMINAL,
    /** May or may not have taken effect: a reconciler or a person decides. */
    UNKNOWN,
    /** Decided in SHADOW and not acted on. */
    SHADOWED,
    /** Cancelled, or closed by an operator. */
    DISCARDED
}
