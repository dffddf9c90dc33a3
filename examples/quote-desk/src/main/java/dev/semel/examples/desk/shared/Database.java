package dev.semel.examples.desk.shared;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteDataSource;

/** The desk's own tables, in the file of the ledger. Writes go through Semel's transactions; reads have connections of their own. */
public final class Database {
    private final SQLiteDataSource source;

    /** Opens the file; {@link #install} creates its tables. */
    public Database(Path file) {
        SQLiteConfig config = new SQLiteConfig();
        config.setBusyTimeout(10_000);
        source = new SQLiteDataSource(config);
        source.setUrl("jdbc:sqlite:" + file);
    }

    /** For {@code Semel.settings}: ledger and quotes are in one file, so that they commit together. */
    public SQLiteDataSource source() {
        return source;
    }

    /** Creates the tables where they are missing. */
    public void install() {
        try (InputStream schema = Objects.requireNonNull(Database.class.getResourceAsStream("/quote-desk.sql"));
                Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            for (String each : new String(schema.readAllBytes(), StandardCharsets.UTF_8).split(";\\s*\n")) {
                if (!each.isBlank()) {
                    statement.execute(each);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (SQLException e) {
            throw new IllegalStateException("The tables of the quote desk could not be created.", e);
        }
    }

    /** What a row becomes. */
    @FunctionalInterface
    public interface RowReader<T> {
        /** Reads the current row. */
        T read(ResultSet row) throws SQLException;
    }

    /** The first row of a query, on a connection of its own. */
    public <T> Optional<T> first(String sql, RowReader<T> reader, Object... values) throws SQLException {
        return all(sql, reader, values).stream().findFirst();
    }

    /** All rows of a query, on a connection of its own. */
    public <T> List<T> all(String sql, RowReader<T> reader, Object... values) throws SQLException {
        try (Connection connection = source.getConnection()) {
            return all(connection, sql, reader, values);
        }
    }

    /** All rows of a query inside a transaction. */
    public static <T> List<T> all(Connection connection, String sql, RowReader<T> reader, Object... values)
            throws SQLException {
        List<T> rows = new ArrayList<>();
        try (PreparedStatement statement = prepared(connection, sql, values);
                ResultSet found = statement.executeQuery()) {
            while (found.next()) {
                rows.add(reader.read(found));
            }
        }
        return rows;
    }

    /** Writes inside a transaction; returns how many rows were changed. */
    public static int write(Connection connection, String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = prepared(connection, sql, values)) {
            return statement.executeUpdate();
        }
    }

    private static PreparedStatement prepared(Connection connection, String sql, Object... values) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        for (int i = 0; i < values.length; i++) {
            statement.setObject(i + 1, values[i]);
        }
        return statement;
    }
}
