package dev.semel.store;

/** The answer to an {@link Arrival}. */
public sealed interface Enqueued {
    /** The record is made. */
    record Made() implements Enqueued {}

    /** The record was there, and stays as it is. */
    record Existing(Row row) implements Enqueued {}
}
