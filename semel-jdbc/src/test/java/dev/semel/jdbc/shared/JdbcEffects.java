package dev.semel.jdbc.shared;

import dev.semel.Semel;
import dev.semel.testkit.engine.Effects;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HexFormat;

/**
 * Effects as rows of a table beside the ledger's; a row for each time. They are counted on one connection, because a server may
 * take longer to make one than to count.
 */
public final class JdbcEffects implements Effects, AutoCloseable {
    private final Connection counting;

    public JdbcEffects(Connection counting) throws SQLException {
        this.counting = counting;
        try (Statement statement = counting.createStatement()) {
            statement.execute("CREATE TABLE IF NOT EXISTS applied (name TEXT NOT NULL)");
        }
    }

    @Override
    public void close() throws SQLException {
        counting.close();
    }

    @Override
    public void apply(Semel.Transaction tx, String name) throws SQLException {
        insert(tx.connection(), name);
    }

    public static void insert(Connection connection, String name) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO applied (name) VALUES (?)")) {
            insert.setString(1, hex(name));
            insert.executeUpdate();
        }
    }

    @Override
    public synchronized long count(String name) throws SQLException {
        try (PreparedStatement select = counting.prepareStatement("SELECT count(*) FROM applied WHERE name = ?")) {
            select.setString(1, hex(name));
            try (ResultSet found = select.executeQuery()) {
                found.next();
                return found.getLong(1);
            }
        }
    }

    /** PostgreSQL's text cannot hold every key. */
    private static String hex(String name) {
        return HexFormat.of().formatHex(name.getBytes(StandardCharsets.UTF_8));
    }
}
