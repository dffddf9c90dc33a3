package dev.semel.jdbc.fault;

import dev.semel.testkit.history.Event;
import dev.semel.testkit.history.Event.Grant;
import dev.semel.testkit.history.Event.Reception;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import org.jspecify.annotations.Nullable;

/**
 * The outside world: receivers that many processes deliver to. Deliveries are kept in order. A failed connection is
 * opened again for the next delivery.
 */
final class ReceiverDatabase implements AutoCloseable {
    private static final String SEEN = """
            INSERT INTO seen (record, fence, deliveries) VALUES (?, ?, 1)
            ON CONFLICT (record) DO UPDATE SET fence = excluded.fence, deliveries = seen.deliveries + 1
            WHERE excluded.fence >= seen.fence
            RETURNING deliveries""";

    private final RunDatabases place;
    private @Nullable Connection connection;

    ReceiverDatabase(RunDatabases place) throws SQLException {
        this.place = place;
        connected();
    }

    /** @param place in its lane, if it has one */
    record Delivery(String record, String payload, Grant grant, Event.@Nullable Place place) {}

    /** Applies a record once, recognises it when it comes again, and refuses a fence lower than one it has seen. */
    Reception receive(Delivery delivery) throws SQLException {
        return write(connection -> {
            Reception reception =
                    seen(connection, delivery.record(), delivery.grant().fence());
            keep(connection, delivery, reception);
            return reception;
        });
    }

    /** Checks nothing, and applies every delivery. */
    Reception receiveBlindly(Delivery delivery) throws SQLException {
        return write(connection -> {
            keep(connection, delivery, Reception.APPLIED);
            return Reception.APPLIED;
        });
    }

    /** Writes down in somebody's transaction what took effect in it. */
    static void applied(Connection transaction, Delivery delivery) throws SQLException {
        keep(transaction, delivery, Reception.APPLIED);
    }

    private static void keep(Connection connection, Delivery delivery, Reception reception) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO received (record, payload, fence, attempt, reception, lane, number)"
                        + " VALUES (?, ?, ?, ?, ?, ?, ?)")) {
            insert.setString(1, delivery.record());
            insert.setString(2, delivery.payload());
            insert.setLong(3, delivery.grant().fence());
            insert.setInt(4, delivery.grant().attempt());
            insert.setString(5, reception.name());
            if (delivery.place() == null) {
                insert.setNull(6, Types.VARCHAR);
                insert.setNull(7, Types.BIGINT);
            } else {
                insert.setString(6, delivery.place().lane());
                insert.setLong(7, delivery.place().number());
            }
            insert.executeUpdate();
        }
    }

    /** Prints it, as a printer does that cannot know what it printed before. */
    void print(WorkKind.Item item) throws SQLException {
        write(connection -> {
            try (PreparedStatement insert =
                    connection.prepareStatement("INSERT INTO printed (record, payload) VALUES (?, ?)")) {
                insert.setString(1, item.record());
                insert.setString(2, item.payload());
                return insert.executeUpdate();
            }
        });
    }

    @FunctionalInterface
    private interface Writing<T> {
        T on(Connection connection) throws SQLException;
    }

    private synchronized <T> T write(Writing<T> writing) throws SQLException {
        Connection current = connected();
        try {
            T written = writing.on(current);
            current.commit();
            return written;
        } catch (SQLException | RuntimeException | Error e) {
            connection = null;
            current.abort(Runnable::run);
            throw e;
        }
    }

    private synchronized Connection connected() throws SQLException {
        if (connection == null) {
            Connection made = place.connectOutside();
            made.setAutoCommit(false);
            connection = made;
        }
        return connection;
    }

    private static Reception seen(Connection connection, String record, long fence) throws SQLException {
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
    public synchronized void close() throws SQLException {
        if (connection != null) {
            Connection ended = connection;
            connection = null;
            ended.close();
        }
    }
}
