package dev.semel.jdbc.fault;

import dev.semel.testkit.history.Event.Reception;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** The outside world: receivers that many processes deliver to. What they received is kept in order. */
final class Outside implements AutoCloseable {
    private static final String SEEN = """
            INSERT INTO seen (record, fence, deliveries) VALUES (?, ?, 1)
            ON CONFLICT (record) DO UPDATE SET fence = excluded.fence, deliveries = seen.deliveries + 1
            WHERE excluded.fence >= seen.fence
            RETURNING deliveries""";

    private final Connection connection;

    Outside(Place place) throws SQLException {
        connection = place.connectOutside();
    }

    /** Applies a record once, recognises it when it comes again, and refuses a fence lower than one it has seen. */
    synchronized Reception notice(Work.Item item, long fence, int attempt) throws SQLException {
        connection.setAutoCommit(false);
        try {
            Reception reception = seen(item.record(), fence);
            try (PreparedStatement insert = connection.prepareStatement(
                    "INSERT INTO received (record, fence, attempt, payload, reception) VALUES (?, ?, ?, ?, ?)")) {
                insert.setString(1, item.record());
                insert.setLong(2, fence);
                insert.setInt(3, attempt);
                insert.setString(4, item.payload());
                insert.setString(5, reception.name());
                insert.executeUpdate();
            }
            connection.commit();
            return reception;
        } catch (SQLException e) {
            connection.rollback();
            throw e;
        }
    }

    /** Checks nothing. */
    synchronized void print(Work.Item item) throws SQLException {
        connection.setAutoCommit(true);
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO printed (record, payload) VALUES (?, ?)")) {
            insert.setString(1, item.record());
            insert.setString(2, item.payload());
            insert.executeUpdate();
        }
    }

    private Reception seen(String record, long fence) throws SQLException {
        try (PreparedStatement upsert = connection.prepareStatement(SEEN)) {
            upsert.setString(1, record);
            upsert.setLong(2, fence);
            try (ResultSet found = upsert.executeQuery()) {
                if (!found.next()) {
                    return Reception.REFUSED;
                }
                return found.getInt(1) == 1 ? Reception.APPLIED : Reception.REPEATED;
            }
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
