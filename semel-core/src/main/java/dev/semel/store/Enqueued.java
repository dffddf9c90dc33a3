package dev.semel.store;

import dev.semel.SemelException;

/** The answer to an {@link Arrival}. */
public sealed interface Enqueued {
    /** The record is made. */
    record Made() implements Enqueued {}

    /** The record was there, and stays as it is. */
    record Existing(Row row) implements Enqueued {}

    /**
     * The store failed before it came to this one; others of the same batch may have been made. The same arrival may
     * be given again.
     *
     * @param why unavailable when nothing was written for it; unknown when something may have been written; data
     *     refused when it would be refused again
     */
    record EnqueueFailed(SemelException why) implements Enqueued {}
}
