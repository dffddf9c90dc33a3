package dev.semel.jdbc.postgres;

import dev.semel.SemelException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * Changes of modes. A grant holds the lock of the modes shared, a change holds it alone: once a change is committed, no
 * grant of the modes before it can be.
 *
 * <p>A grant takes milliseconds, unless its owner is paused in the middle of it. A change does not wait for such an owner:
 * it tries the lock for short times, so that new grants need not queue up behind it, and in the end has the server end the
 * sessions that hold the lock and are idle. Their grants are rolled back, and their owners find out when they wake up.
 */
final class PostgresModesLock {
    private static final int TURN_MILLIS = 200;

    /** After so many tries idle sessions that hold the lock are ended. */
    private static final int PATIENT_TURNS = 5;

    private static final int TURNS = 25;

    private static final String ALONE = "SET LOCAL lock_timeout = " + TURN_MILLIS + "; SELECT pg_advisory_xact_lock("
            + PostgresSql.MODES_LOCK + "); SET LOCAL lock_timeout = 1000";

    /** A lock of one number is shown as its two halves. Idle for longer than the ledger ever leaves a grant open. */
    private static final String END_IDLE_HOLDERS = """
            SELECT l.pid, pg_terminate_backend(l.pid) FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
            WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
                AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
                AND a.state LIKE 'idle in transaction%' AND a.state_change < clock_timestamp() - interval '1 s'"""
            + " AND l.classid::bigint = " + (PostgresSql.MODES_LOCK >>> 32)
            + " AND l.objid::bigint = " + (PostgresSql.MODES_LOCK & 0xFFFF_FFFFL);

    private final PostgresSessions sessions;

    PostgresModesLock(PostgresSessions sessions) {
        this.sessions = sessions;
    }

    /** @throws SemelException.Locked when sessions that hold the lock could not be ended; nothing was changed */
    <T> T alone(String what, PostgresSessions.Body<T> body) {
        for (int turn = 1; ; turn++) {
            try {
                return sessions.transaction(what, connection -> {
                    try (Statement statement = connection.createStatement()) {
                        statement.execute(ALONE);
                    }
                    return body.run(connection);
                });
            } catch (SemelException.Locked e) {
                if (turn == TURNS) {
                    throw e;
                }
                if (turn >= PATIENT_TURNS) {
                    endIdleHolders(e);
                }
            }
        }
    }

    private void endIdleHolders(SemelException.Locked because) {
        try {
            sessions.anyhow("ending idle sessions that hold the lock of the modes", PostgresModesLock::end);
        } catch (SemelException e) {
            because.addSuppressed(e);
        }
    }

    private static List<Integer> end(Connection connection) throws SQLException {
        List<Integer> ended = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(END_IDLE_HOLDERS)) {
            while (found.next()) {
                ended.add(found.getInt(1));
            }
        }
        return ended;
    }
}
