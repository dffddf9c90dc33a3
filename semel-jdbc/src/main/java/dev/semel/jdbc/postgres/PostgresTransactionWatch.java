package dev.semel.jdbc.postgres;

import dev.semel.jdbc.shared.SqlRules;
import dev.semel.jdbc.shared.TransactionWatch;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/** The server says with every answer whether a transaction is open, so to look costs no round trip. */
final class PostgresTransactionWatch implements TransactionWatch {
    /** Hears what a handler leaves on the session. */
    @FunctionalInterface
    interface SessionChanges {
        void by(String what) throws SQLException;
    }

    private final Connection connection;
    private final SessionChanges changes;
    private final Runnable beforeSavepoint;
    private @Nullable BaseConnection driver;
    private boolean sought;
    private boolean begun;

    PostgresTransactionWatch(Connection connection, SessionChanges changes, Runnable beforeSavepoint) {
        this.connection = connection;
        this.changes = changes;
        this.beforeSavepoint = beforeSavepoint;
    }

    @Override
    public SqlRules rules() {
        return PostgresSqlRules.RULES;
    }

    @Override
    public void sessionChanges(String by) throws SQLException {
        changes.by(by);
    }

    @Override
    public void beforeSavepoint() {
        beforeSavepoint.run();
    }

    /** The driver begins a transaction with its first statement; a call that sent nothing changes nothing. */
    @Override
    public boolean isOpen(boolean failed, boolean batch) throws SQLException {
        if (!sought) {
            sought = true;
            driver = connection.unwrap(PGConnection.class) instanceof BaseConnection base ? base : null;
        }
        if (driver == null || driver.isClosed()) {
            return true;
        }
        boolean idle = driver.getTransactionState() == TransactionState.IDLE;
        boolean sentNothing = (failed || batch) && !begun;
        begun |= !idle;
        return !idle || sentNothing;
    }
}
