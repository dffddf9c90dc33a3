package dev.semel.store;

import dev.semel.Failure;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * What people look for among the records of a state; what is absent does not limit.
 *
 * @param lane the key of a lane
 * @param attempts those that were tried at least so often
 * @param dueUntil those whose {@code at - keepMillis} is not after this; {@link Status#NEVER} for all
 * @param failurePart those whose stored failure has these characters in it, as it is stored; see {@link #inFailure}
 */
public record RecordSearch(
        RecordFilter records,
        @Nullable String lane,
        int attempts,
        long dueUntil,
        @Nullable String failurePart) {
    private static final String LETTERS = "[A-Za-z0-9_.$]+";

    /** By the filter alone. */
    public static RecordSearch of(RecordFilter records) {
        return new RecordSearch(records, null, 0, Status.NEVER, null);
    }

    /** The same search among failures that have this in them. */
    public RecordSearch withFailurePart(@Nullable String part) {
        return new RecordSearch(records, lane, attempts, dueUntil, part);
    }

    /**
     * Characters that every stored failure of a category has in it, or every one whose exception has this name or ends with it. Others may
     * have them too: whoever uses them looks again. Absent where there are none.
     */
    public static @Nullable String inFailure(Failure.@Nullable Category category, @Nullable String exception) {
        if (category != null && category != Failure.Category.UNKNOWN) {
            return "\"category\":\"" + category.code() + "\"";
        }
        return exception != null && exception.matches(LETTERS) ? exception + "\"" : null;
    }

    /** Whether a record passes, for stores that search in memory. Says nothing about its state. */
    public boolean matches(Row row) {
        Status status = row.status();
        Line line = row.line();
        return records.matches(row)
                && !row.isStep()
                && status.attempts() >= attempts
                && (dueUntil == Status.NEVER || status.at() - status.keepMillis() <= dueUntil)
                && (lane == null
                        || line != null
                                && line.lane() != null
                                && line.lane().key().equals(lane))
                && (failurePart == null || isIn(row.failure(), failurePart));
    }

    private static boolean isIn(byte @Nullable [] failure, String part) {
        return failure != null && new String(failure, StandardCharsets.UTF_8).contains(part);
    }
}
