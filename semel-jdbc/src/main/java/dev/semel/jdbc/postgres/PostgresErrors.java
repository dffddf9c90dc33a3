package dev.semel.jdbc.postgres;

import dev.semel.SemelException;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The meaning of SQLStates for the ledger. */
final class PostgresErrors {
    static final String NO_PRIVILEGE = "42501";

    static final String NOT_UNIQUE = "23505";

    static final String LOCK_NOT_AVAILABLE = "55P03";

    private static final int DEEPEST = 20;

    private PostgresErrors() {}

    /** A deadlock or a serialization failure: the transaction may succeed when it is run again. */
    static boolean mustBeRetried(SQLException e) {
        String state = state(e);
        return state.equals("40001") || state.equals("40P01");
    }

    /** The transaction is not at READ COMMITTED, and cannot be brought there any more. */
    static boolean otherIsolation(SQLException e) {
        return state(e).equals("25001");
    }

    /** The transaction had failed before, by a statement of the handler's whose error it did not pass on. */
    static boolean failedBefore(SQLException e) {
        return state(e).equals("25P02");
    }

    /** The transaction has no such savepoint, and so is another one than it was set in; or there is none. */
    static boolean savepointGone(SQLException e) {
        return state(e).equals("3B001") || state(e).equals("25P01");
    }

    /** The server ran out of a resource or was shut down: not caused by the data to be committed. */
    static boolean serverUnable(SQLException e) {
        String state = state(e);
        return state.startsWith("53") || state.startsWith("57");
    }

    /** The server is another one than the epoch was raised for, or was started again ({@link PostgresSql#HIGH}). */
    static boolean otherServer(SQLException e) {
        return state(e).equals("22012");
    }

    /**
     * The server refuses the data itself, and would again: it cannot be encoded or is out of range (22), breaks a constraint
     * (23, 44), or is too large for an index or a row (54000).
     */
    static boolean badData(SQLException e) {
        String state = state(e);
        boolean data = state.startsWith("22") || state.startsWith("23") || state.startsWith("44");
        return (data || state.equals("54000")) && !otherServer(e);
    }

    /** Says only the SQLState: the driver's text, which is the cause's, may quote what somebody sent. */
    static SemelException.DataRefused dataRefused(String what, SQLException e) {
        return new SemelException.DataRefused(
                "the store rejected the data of " + what + " (SQLState " + state(e)
                        + "); nothing was written for it. Repeating it is rejected again: correct the data.",
                e);
    }

    /** The connection is gone, so that the fate of what was sent is open. */
    static boolean connectionLost(SQLException e) {
        String state = state(e);
        return state.startsWith("08") || state.startsWith("57P") || state.startsWith("XX") || state.startsWith("58");
    }

    /** Another transaction holds the lock, and did not let go of it in time. */
    static boolean locked(SQLException e) {
        return state(e).equals("55P03");
    }

    /** The driver's own exception, unwrapped. */
    static @Nullable SQLException in(Throwable thrown) {
        Throwable cause = thrown;
        for (int depth = 0; cause != null && depth < DEEPEST; depth++) {
            if (cause instanceof SQLException sql && sql.getSQLState() != null) {
                return sql;
            }
            cause = cause.getCause();
        }
        return null;
    }

    static String advice(SQLException e) {
        String state = state(e);
        return switch (state) {
            case "53100" -> "The server's disk is full: make room and repeat the call.";
            case "53200" ->
                "The server is out of memory or locks: use smaller batches or raise max_locks_per_transaction.";
            case "53300" -> "The server has no connections left: use a smaller pool or raise max_connections.";
            case "25006" -> "The server is read-only: connect to the primary.";
            case NO_PRIVILEGE -> "Grant the role its privileges on the semel_ tables and sequences.";
            case "42P01", "42703" -> "The schema is not Semel's: check the search_path (currentSchema) and install it.";
            case "55P03" -> "Another transaction holds a lock on it and has not ended: repeat the call later.";
            case "57014" -> "It exceeded statement_timeout: repeat the call, or raise the time-out.";
            case "40001", "40P01" -> "It conflicted with other transactions each time: repeat the call.";
            default -> "See the server's log; repeat the call when the cause is fixed.";
        };
    }

    /** For messages; the driver's text carries no secrets. */
    static String brief(SQLException e) {
        String text = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
        return "SQLState " + state(e) + ", " + text;
    }

    static String state(SQLException e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql && sql.getSQLState() != null) {
                return sql.getSQLState();
            }
        }
        return "";
    }
}
