package dev.semel.jdbc.postgres;

import dev.semel.SemelException;
import dev.semel.time.TimeSource;
import dev.semel.time.Uninterrupted;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Hands out connections and runs the ledger's own transactions on them, always at READ COMMITTED. A thread holds one at a
 * time, so a pool cannot deadlock on itself.
 *
 * <p>The level of an application's connections is not known. Setting it costs each transaction a round trip, so READ
 * COMMITTED is assumed, and statements that depend on it check it in passing ({@link PostgresSql#IS_READ_COMMITTED}). The
 * first that fails is run again with the level set; from then on every transaction sets it.
 */
final class PostgresSessions {
    /** How often a transaction is tried that fails with a deadlock or a serialization failure. */
    static final int TRIES = 5;

    /** How long a part of a batch that is taken apart waits for a lock. */
    private static final int HASTY_MILLIS = 20;

    private final DataSource source;
    private final String name;
    private final boolean readCommitted;
    private final PostgresClock clock;
    private final PostgresInstaller installer;
    private volatile boolean otherIsolation;
    private volatile boolean otherServer;
    private volatile @Nullable String idleBound;

    /** @param readCommitted whether every connection of the source already is */
    PostgresSessions(
            DataSource source,
            String name,
            boolean readCommitted,
            @Nullable TimeSource time,
            PostgresInstaller installer) {
        this.installer = installer;
        this.source = source;
        this.name = name;
        this.readCommitted = readCommitted;
        this.clock = new PostgresClock(time);
    }

    @FunctionalInterface
    interface Body<T> {
        T run(Connection connection) throws SQLException;
    }

    String name() {
        return name;
    }

    /** The store's time for a statement; null for the server's clock. */
    @Nullable
    Long now() {
        return clock.now();
    }

    /** A body of one round trip, which is its own transaction. */
    <T> T once(String what, Body<T> body) {
        return readCommitted ? repeated(what, true, body) : transaction(what, body);
    }

    /** The same for a body of one statement that does the same at any isolation level. */
    <T> T anyhow(String what, Body<T> body) {
        return repeated(what, true, body);
    }

    /** The same for a body whose statements check the isolation level. */
    <T> T checked(String what, Body<T> body) {
        if (!otherIsolation) {
            try {
                return repeated(what, true, body);
            } catch (OtherIsolation e) {
                otherIsolation = true;
            }
        }
        return transaction(what, body);
    }

    /** A statement found the isolation level to be another one. */
    private static final class OtherIsolation extends RuntimeException {
        private static final long serialVersionUID = 1;

        OtherIsolation() {
            super(null, null, false, false);
        }
    }

    /** The isolation level of a transaction that has just begun, as far as known. */
    enum Level {
        READ_COMMITTED,
        /** It is to be checked. */
        ASSUMED,
        /** It is to be set. */
        ANOTHER
    }

    Level level() {
        return readCommitted ? Level.READ_COMMITTED : otherIsolation ? Level.ANOTHER : Level.ASSUMED;
    }

    /** A check found another isolation level. */
    void foundOtherIsolation() {
        otherIsolation = true;
    }

    void lookForPooler(Connection connection) {
        try {
            idleBound = PostgresPooler.isBetween(connection) ? PostgresPooler.IDLE_BOUND : null;
            ready(connection);
        } catch (SQLException e) {
            throw failure("the first query", e);
        }
    }

    /** @param idleMillis after which the server ends a session that sits in a transaction and does nothing */
    void foundPooler(long idleMillis) {
        idleBound = PostgresPooler.idleBound(idleMillis);
    }

    /** Whether a pooler may give each transaction another session of the server, see {@link PostgresPooler}. */
    boolean isPooled() {
        return idleBound != null;
    }

    /**
     * The settings that the first statement of a transaction must make, as an expression; empty where the session has
     * them.
     */
    @Nullable
    String idleBound() {
        return idleBound;
    }

    /** To be called with each connection before it is used. No round trip. */
    void ready(Connection connection) throws SQLException {
        if (isPooled()) {
            PostgresPooler.keepNothingPrepared(connection);
        }
    }

    /** A grant found that the server was replaced or restarted: the epoch is raised before the next connection is used. */
    void foundOtherServer() {
        otherServer = true;
    }

    /** For callers whose connections do not come from here. Must not be called while the thread holds a connection. */
    void raiseEpochIfNeeded() {
        if (otherServer) {
            giveBack(take());
        }
    }

    private void raiseEpoch(Connection connection) {
        try {
            otherServer = false;
            installer.prepareFurther(connection);
        } catch (SemelException.Misconfigured e) {
            otherServer = true;
            // A standby before its promotion, say: it may serve a moment later.
            throw new SemelException.StoreUnavailable(
                    name + ": the server behind the connection was replaced and is not ready yet; nothing was run. "
                            + e.getMessage(),
                    e);
        } catch (RuntimeException | Error e) {
            otherServer = true;
            throw e;
        }
    }

    /** A body of several statements in one transaction. */
    <T> T transaction(String what, Body<T> body) {
        return repeated(what, false, connection -> {
            connection.setAutoCommit(false);
            readCommitted(connection);
            T value = body.run(connection);
            connection.commit();
            return value;
        });
    }

    /**
     * The same for a part of a batch that is taken apart.
     *
     * @param hasty whether the batch has waited for a lock in vain
     * @throws SemelException.Locked when a lock could not be obtained in time, which is short for a hasty one; nothing was
     *     written
     */
    <T> T transaction(String what, boolean hasty, Body<T> body) {
        if (!hasty) {
            return transaction(what, body);
        }
        return transaction(what, connection -> {
            try (Statement statement = connection.createStatement()) {
                statement.execute("SET LOCAL " + PostgresSql.LOCK_WAIT + " = '" + HASTY_MILLIS + "'");
            }
            return body.run(connection);
        });
    }

    private <T> T repeated(String what, boolean autoCommit, Body<T> body) {
        return Uninterrupted.once(() -> tried(what, autoCommit, body));
    }

    /** After a lost connection it is unknown whether the call took effect: every call here can be repeated. */
    private <T> T tried(String what, boolean autoCommit, Body<T> body) {
        for (int attempt = 1; ; attempt++) {
            Connection connection = take();
            try {
                connection.setAutoCommit(autoCommit);
                return attempt(connection, autoCommit, body);
            } catch (SQLException e) {
                if (autoCommit && !readCommitted && PostgresErrors.otherIsolation(e)) {
                    throw new OtherIsolation();
                }
                if (PostgresErrors.otherServer(e)) {
                    foundOtherServer();
                }
                if (!PostgresErrors.mustBeRetried(e) && !PostgresErrors.otherServer(e) || attempt == TRIES) {
                    throw failure(what, e);
                }
            } finally {
                giveBack(connection);
            }
        }
    }

    private static <T> T attempt(Connection connection, boolean autoCommit, Body<T> body) throws SQLException {
        try {
            return body.run(connection);
        } catch (SQLException | RuntimeException e) {
            if (!autoCommit) {
                rollback(connection, e);
            }
            throw e;
        } catch (Error e) {
            drop(connection);
            throw e;
        }
    }

    /**
     * For a connection whose driver may have stopped in the middle of a message: its next user would read the rest as its
     * own answer.
     */
    static void drop(Connection connection) {
        try {
            connection.abort(Runnable::run);
            connection.createStatement().close();
        } catch (SQLException e) {
            // By this error a pool learns that the connection is broken.
        }
    }

    /** A connection in autocommit, or in its owner's default. */
    Connection take() {
        try {
            Connection connection = Uninterrupted.repeating(source::getConnection);
            return Uninterrupted.once(() -> looked(connection));
        } catch (SQLException e) {
            throw new SemelException.StoreUnavailable(
                    name + ": could not obtain a connection (" + PostgresErrors.brief(e)
                            + "); nothing was run. Repeat the call later; check that the server is up and the pool large enough.",
                    e);
        }
    }

    private Connection looked(Connection connection) throws SQLException {
        boolean usable = false;
        try {
            ready(connection);
            if (otherServer) {
                raiseEpoch(connection);
            }
            clock.lookIfDue(connection);
            usable = true;
            return connection;
        } catch (Error e) {
            drop(connection);
            throw e;
        } finally {
            if (!usable) {
                giveBack(connection);
            }
        }
    }

    /** The first statement of a transaction, unless every connection is at that level. */
    void readCommitted(Connection connection) throws SQLException {
        if (!readCommitted) {
            String bound = idleBound;
            try (Statement statement = connection.createStatement()) {
                statement.execute(
                        "SET TRANSACTION ISOLATION LEVEL READ COMMITTED" + (bound == null ? "" : "; SELECT " + bound));
            }
        }
    }

    static void rollback(Connection connection, @Nullable Throwable because) {
        try {
            Uninterrupted.once(() -> {
                connection.rollback();
                return true;
            });
        } catch (SQLException e) {
            // The server rolls back by itself when the connection is gone; the first error says more than this one.
            if (because != null && because != e) {
                because.addSuppressed(e);
            }
        }
    }

    /** The commit stands, even if the connection fails afterwards. */
    static void giveBack(Connection connection) {
        try {
            Uninterrupted.once(() -> {
                connection.close();
                return true;
            });
        } catch (SQLException e) {
            // The pool drops a connection that cannot be closed.
        }
    }

    SemelException failure(String what, SQLException e) {
        if (PostgresErrors.locked(e)) {
            return new SemelException.Locked(
                    name + ": " + what + " timed out waiting for a lock (" + PostgresErrors.brief(e)
                            + "); nothing was written. Another transaction holds the record and has not ended: repeat the"
                            + " call later; pg_blocking_pids and pg_stat_activity tell who holds it.",
                    e);
        }
        if (PostgresErrors.badData(e)) {
            return PostgresErrors.dataRefused(what, e);
        }
        return PostgresErrors.connectionLost(e)
                ? new SemelException.OutcomeUnknown(
                        name + ": the connection was lost during " + what + " (" + PostgresErrors.brief(e)
                                + "); it may or may not have been written. Repeat the call to learn the outcome.",
                        e)
                : new SemelException.StoreUnavailable(
                        name + ": " + what + " failed (" + PostgresErrors.brief(e) + "); nothing was written. "
                                + PostgresErrors.advice(e),
                        e);
    }
}
