package dev.semel.cli;

/** The answer that a caller of the demo gets. */
enum DemoAnswer {
    EXECUTED,
    REPLAYED,
    IN_PROGRESS,
    /** No result, or the store failed: the caller retries. */
    NOT_NOW;

    /** Whether the payment is confirmed. */
    boolean acknowledges() {
        return this == EXECUTED || this == REPLAYED;
    }
}
