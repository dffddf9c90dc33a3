package dev.semel.policy;

import java.sql.SQLException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Recognises a transaction that lost a conflict with another one and must be retried as a whole. */
public final class LostTransaction {
    /** A serialization failure, and a deadlock. */
    private static final Set<String> STATES = Set.of("40001", "40P01");

    private static final int DEEPEST = 20;

    private LostTransaction() {}

    /** The SQLState of the conflict, also if the exception is wrapped; null when there was none. */
    public static @Nullable String state(Throwable thrown) {
        Throwable cause = thrown;
        for (int depth = 0; cause != null && depth < DEEPEST; depth++) {
            if (cause instanceof SQLException sql) {
                String state = sql.getSQLState();
                if (state != null && STATES.contains(state)) {
                    return state;
                }
            }
            cause = cause.getCause();
        }
        return null;
    }
}
