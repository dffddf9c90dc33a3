package dev.semel.worker;

/** The outcome of a claim. */
enum ClaimOutcome {
    /** There may be more: claim again when there is room. */
    MORE,
    /** Nothing more is due at the moment. */
    NOTHING,
    /** No room: results must be written first. */
    FULL
}
