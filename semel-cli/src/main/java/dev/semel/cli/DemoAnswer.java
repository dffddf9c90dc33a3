package dev.semel.cli;

/** What a caller of the demonstration is told. */
enum DemoAnswer {
    EXECUTED,
    REPLAYED,
    IN_PROGRESS,
    /** Anything else that is no result, and a store that did not answer: the caller asks again. */
    NOT_NOW;

    /** The caller may tell its customer that the payment is made. */
    boolean acknowledges() {
        return this == EXECUTED || this == REPLAYED;
    }
}
