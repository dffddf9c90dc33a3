package dev.semel.jdbc.sqlite;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A connection and the statements that were prepared on it. Used by one thread at a time. */
final class SqliteSession implements AutoCloseable {
    /** Sets the parameters of a statement. */
    @FunctionalInterface
    interface Binder {
        void bind(PreparedStatement statement) throws SQLException;
    }

    /** Reads the row that a result set stands on. */
    @FunctionalInterface
    interface Reader<T> {
        T read(ResultSet row) throws SQLException;
    }

    static final Binder NOTHING = statement -> {};

    private final Connection connection;
    private final Map<String, PreparedStatement> statements = new HashMap<>();
    private boolean failed;

    SqliteSession(Connection connection) {
        this.connection = connection;
    }

    Connection connection() {
        return connection;
    }

    /** For tests: the statements that were run. */
    Set<String> texts() {
        return Set.copyOf(statements.keySet());
    }

    /** Whether a statement has failed in a way after which SQLite may roll the transaction back by itself. */
    boolean failed() {
        return failed;
    }

    void forgetFailure() {
        failed = false;
    }

    void execute(String sql) throws SQLException {
        with(sql, NOTHING, PreparedStatement::execute);
    }

    int update(String sql, Binder binder) throws SQLException {
        return with(sql, binder, PreparedStatement::executeUpdate);
    }

    <T> Optional<T> first(String sql, Binder binder, Reader<T> reader) throws SQLException {
        return with(sql, binder, statement -> {
            try (ResultSet found = statement.executeQuery()) {
                return found.next() ? Optional.of(reader.read(found)) : Optional.empty();
            }
        });
    }

    <T> List<T> all(String sql, Binder binder, Reader<T> reader) throws SQLException {
        return with(sql, binder, statement -> {
            List<T> all = new ArrayList<>();
            try (ResultSet found = statement.executeQuery()) {
                while (found.next()) {
                    all.add(reader.read(found));
                }
            }
            return all;
        });
    }

    /** Reads the rows one by one, and keeps none. */
    void each(String sql, Binder binder, RowConsumer reader) throws SQLException {
        with(sql, binder, statement -> {
            try (ResultSet found = statement.executeQuery()) {
                while (found.next()) {
                    reader.read(found);
                }
            }
            return true;
        });
    }

    /** Is told each row. */
    @FunctionalInterface
    interface RowConsumer {
        void read(ResultSet row) throws SQLException;
    }

    private interface Use<T> {
        T on(PreparedStatement statement) throws SQLException;
    }

    private <T> T with(String sql, Binder binder, Use<T> use) throws SQLException {
        PreparedStatement statement = statements.get(sql);
        if (statement == null) {
            statement = connection.prepareStatement(sql);
            statements.put(sql, statement);
        }
        try {
            binder.bind(statement);
            return use.on(statement);
        } catch (SQLException e) {
            failed |= SqliteErrors.mayRollBack(e);
            // The driver may have closed a statement that failed.
            statements.remove(sql);
            statement.close();
            throw e;
        }
    }

    /** Closes the statements, not the connection, which belongs to somebody else. */
    void forget() throws SQLException {
        for (PreparedStatement statement : statements.values()) {
            statement.close();
        }
        statements.clear();
    }

    @Override
    public void close() throws SQLException {
        try {
            forget();
        } finally {
            connection.close();
        }
    }
}
