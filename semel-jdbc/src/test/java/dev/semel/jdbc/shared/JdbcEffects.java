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
import java.util.concurrent.Callable;

/** Effects as rows of a table beside the ledger's; a row for each time. */
public final class JdbcEffects implements Effects {
    private final Callable<Connection> connections;

    public JdbcEffects(Callable<Connection> connections) throws Exception {
        this.connections = connections;
        try (Connection connection = connections.call();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE IF NOT EXISTS applied (name TEXT NOT NULL)");
        }
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
    public long count(String name) throws Exception {
        try (Connection connection = connections.call();
                PreparedStatement select = connection.prepareStatement("SELECT count(*) FROM applied WHERE name = ?")) {
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
