package dev.semel.testkit.history;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A receiver that checks keys and fences. It applies a record once, counts repeated deliveries, rejects a fence lower
 * than one it has seen, and writes everything into a history. Thread-safe.
 */
public interface FencedReceiver {
    /**
     * Receives a delivery.
     *
     * @throws SQLException when its storage cannot be reached: nothing was received
     */
    Event.Reception deliver(Delivery delivery) throws SQLException;

    /**
     * @param record the downstream key
     * @param place in its lane, if it has one
     */
    record Delivery(String record, long fence, int attempt, byte @Nullable [] payload, Event.@Nullable Place place) {
        public static Delivery of(String record, long fence, int attempt, byte @Nullable [] payload) {
            return new Delivery(record, fence, attempt, payload, null);
        }

        private Event event(Event.Stamp stamp, Event.Reception reception) {
            return new Event.Delivered(
                    stamp, record, new Event.Grant(fence, attempt), History.hash(payload), reception, place);
        }
    }

    /** A receiver that keeps its state in memory. */
    static FencedReceiver inMemory(History history) {
        Map<String, Long> fences = new HashMap<>();
        return delivery -> {
            synchronized (fences) {
                Long seen = fences.get(delivery.record());
                Event.Reception reception;
                if (seen != null && delivery.fence() < seen) {
                    reception = Event.Reception.REFUSED;
                } else {
                    fences.put(delivery.record(), delivery.fence());
                    reception = seen == null ? Event.Reception.APPLIED : Event.Reception.REPEATED;
                }
                history.append(stamp -> delivery.event(stamp, reception));
                return reception;
            }
        };
    }

    /**
     * A receiver that keeps its state in a table {@code semel_sink} of a PostgreSQL or SQLite database, created if
     * absent, with one statement per delivery. Only one process at a time may write its history.
     */
    static FencedReceiver inTable(DataSource database, History history) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("create table if not exists semel_sink"
                    + " (record varchar(500) primary key, fence bigint not null, deliveries integer not null)");
        }
        Object order = new Object();
        return delivery -> {
            synchronized (order) {
                Event.Reception reception = upsert(database, delivery);
                history.append(stamp -> delivery.event(stamp, reception));
                return reception;
            }
        };
    }

    private static Event.Reception upsert(DataSource database, Delivery delivery) throws SQLException {
        String sql = """
                insert into semel_sink (record, fence, deliveries) values (?, ?, 1)
                on conflict (record) do update set fence = excluded.fence, deliveries = semel_sink.deliveries + 1
                where excluded.fence >= semel_sink.fence
                returning deliveries
                """;
        try (Connection connection = database.getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, delivery.record());
            statement.setLong(2, delivery.fence());
            try (ResultSet result = statement.executeQuery()) {
                if (!result.next()) {
                    return Event.Reception.REFUSED;
                }
                return result.getInt(1) == 1 ? Event.Reception.APPLIED : Event.Reception.REPEATED;
            }
        }
    }
}
