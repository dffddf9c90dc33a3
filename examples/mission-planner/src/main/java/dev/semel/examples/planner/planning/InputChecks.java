package dev.semel.examples.planner.planning;

import org.jspecify.annotations.Nullable;

/** Validates the input of a client. */
final class InputChecks {
    private static final int LONGEST = 200;

    private InputChecks() {}

    static String text(String field, @Nullable String value) {
        if (value == null || value.isBlank() || value.length() > LONGEST) {
            throw Refusal.invalid(
                    "request.invalid",
                    "The field " + field + " needs 1 to " + LONGEST + " characters, not only spaces.");
        }
        return value.strip();
    }

    /** A change needs the version that the client has read. */
    static long version(@Nullable Long value) {
        if (value == null) {
            throw Refusal.invalid(
                    "request.invalid", "The version is missing: read the resource, and send its version.");
        }
        return value;
    }

    static <T> T present(String field, @Nullable T value) {
        if (value == null) {
            throw Refusal.invalid("request.invalid", "The field " + field + " is missing.");
        }
        return value;
    }

    static int limit(int value) {
        if (value < 1 || value > 1000) {
            throw Refusal.invalid("request.invalid", "A page has 1 to 1000 entries.");
        }
        return value;
    }
}
