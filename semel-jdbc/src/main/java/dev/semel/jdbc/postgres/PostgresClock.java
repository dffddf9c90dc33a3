package dev.semel.jdbc.postgres;

import dev.semel.time.StoreClock;
import dev.semel.time.TimeSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The time of a ledger in a database, which all nodes share. Every statement is given it. About once a second a
 * thread that takes a connection compares it with the server's clock, on that connection: one round trip, and a
 * second one if the mark is to be written. Nobody else waits for it: until the answer is there, and whenever the
 * comparison fails, the node continues by its monotonic clock.
 */
final class PostgresClock {
    /** The mark is written about this often, however many nodes there are: a younger one is left alone. */
    private static final long YOUNG_MILLIS = 500;

    private static final String READ = "SELECT " + PostgresSql.NOW + ", mark, ahead FROM semel_clock WHERE single";

    /** Only if nobody has changed it since it was read, and without waiting for a node that was paused while it wrote. */
    private static final String WRITE = """
            UPDATE semel_clock SET mark = ?, ahead = ? WHERE single = (SELECT single FROM semel_clock
                WHERE single AND mark = ? AND ahead = ? FOR UPDATE SKIP LOCKED)""";

    private final @Nullable TimeSource given;
    private final StoreClock clock;
    private final ReentrantLock looking = new ReentrantLock();

    /** @param given in place of the server's clock, and of the node's; for tests */
    PostgresClock(@Nullable TimeSource given) {
        this.given = given;
        this.clock = new StoreClock(given == null ? TimeSource.system() : given);
    }

    /** The time for a statement; null for the server's clock, as long as nothing else is known. */
    @Nullable
    Long now() {
        return clock.known() || given != null ? clock.millis() : null;
    }

    /** Compares the clocks, if it is time to. The connection is in no transaction, and is given back as it was. */
    void lookIfDue(Connection connection) {
        if (!clock.due()) {
            return;
        }
        if (clock.known()) {
            if (looking.tryLock()) {
                lookAndUnlock(connection);
            }
        } else {
            looking.lock();
            lookAndUnlock(connection);
        }
    }

    private void lookAndUnlock(Connection connection) {
        try {
            if (clock.due()) {
                boolean autoCommit = connection.getAutoCommit();
                connection.setAutoCommit(true);
                look(connection);
                connection.setAutoCommit(autoCommit);
            }
        } catch (SQLException e) {
            // Ignored here: the caller that asked for the connection meets the same error and reports it.
            return;
        } finally {
            looking.unlock();
        }
    }

    private void look(Connection connection) throws SQLException {
        StoreClock.StoredTime kept;
        long wall;
        long before = clock.nanos();
        try (PreparedStatement statement = connection.prepareStatement(READ)) {
            new PostgresBinder(statement).number(given == null ? null : given.millis());
            try (ResultSet found = statement.executeQuery()) {
                if (!found.next()) {
                    return;
                }
                wall = found.getLong(1);
                kept = new StoreClock.StoredTime(found.getLong(2), found.getLong(3));
            }
        }
        StoreClock.StoredTime next = clock.look(kept, wall, before);
        if (next.ahead() != kept.ahead() || next.mark() - kept.mark() >= YOUNG_MILLIS) {
            write(connection, kept, next);
        }
    }

    private static void write(Connection connection, StoreClock.StoredTime old, StoreClock.StoredTime next)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(WRITE)) {
            new PostgresBinder(statement)
                    .number(next.mark())
                    .number(next.ahead())
                    .number(old.mark())
                    .number(old.ahead());
            statement.executeUpdate();
        }
    }
}
