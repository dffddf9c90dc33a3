package dev.semel.jdbc.fault;

import dev.semel.testkit.history.Event.Grant;
import dev.semel.testkit.history.Event.Reception;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Receives parcels for many processes, each once, and refuses a fence lower than one it has seen. Keeps their order. */
final class Receiver implements AutoCloseable {
    private static final String SEEN = """
            INSERT INTO seen (record, fence, deliveries) VALUES (?, ?, 1)
            ON CONFLICT (record) DO UPDATE SET fence = excluded.fence, deliveries = seen.deliveries + 1
            WHERE excluded.fence >= seen.fence
            RETURNING deliveries""";

    private final Connection connection;

    Receiver(Place place) throws SQLException {
        connection = place.connectOutside();
        connection.setAutoCommit(false);
    }

    synchronized Reception receive(String record, Parcel parcel, Grant grant) throws SQLException {
        try {
            Reception reception = seen(record, grant.fence());
            keep(connection, record, parcel, grant, reception);
            connection.commit();
            return reception;
        } catch (SQLException e) {
            connection.rollback();
            throw e;
        }
    }

    /** Writes a parcel down in somebody's transaction. */
    static void keep(Connection connection, String record, Parcel parcel, Grant grant, Reception reception)
            throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO parcels (record, payload, fence, attempt, reception, lane, number)"
                        + " VALUES (?, ?, ?, ?, ?, ?, ?)")) {
            insert.setString(1, record);
            insert.setString(2, parcel.toString());
            insert.setLong(3, grant.fence());
            insert.setInt(4, grant.attempt());
            insert.setString(5, reception.name());
            insert.setString(6, parcel.lane());
            insert.setLong(7, parcel.number());
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
