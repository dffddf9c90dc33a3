package dev.semel.store;

import org.jspecify.annotations.Nullable;

/** The answer to a {@link Move}. */
public sealed interface Moved {
    /** Written now. */
    record Applied() implements Moved {}

    /** Had been written by the same move before: the record is in that state under that fence (or removed). */
    record Same() implements Moved {}

    /** Nothing was written. The record stands so, or is absent. */
    record Refused(@Nullable Status current) implements Moved {}
}
