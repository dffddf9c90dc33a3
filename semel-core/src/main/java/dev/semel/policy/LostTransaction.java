package dev.semel.policy;

import java.sql.SQLException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Recognises a transaction that lost against another one and can only be run anew as a whole. */
public final class LostTransaction {
    /** A serialization failure, and a deadlock. */
    private static final Set<String> STATES = Set.of("40001", "40P01");

    private static final int DEEPEST = 20;

    private LostTransaction() {}

    /** The SQLState by which the database said so, under whatever it was wrapped in; nothing when it did not. */
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
