package dev.semel.jdbc.postgres;

import dev.semel.store.Arrival;
import dev.semel.store.RecordWrite;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The last writes of a transaction, held back to be sent together with COMMIT in one round trip: the record of a first call, and
 * the messages that were sent. None of them has an answer that must be read. After an error the server skips the statements behind
 * it, so nothing is committed then. The record comes last: a message under the record's own key fails, and is not taken for a
 * duplicate.
 */
final class PostgresHeldWrites {
    /** More messages are stored as a batch, in a round trip of their own. */
    static final int MOST_MESSAGES = 8;

    private static final String COMMIT = "; COMMIT";

    /** By what they consist of. */
    private static final Map<Long, String> STATEMENTS = new ConcurrentHashMap<>();

    private final List<Arrival> messages = new ArrayList<>();
    private @Nullable FirstWrite first;

    private record FirstWrite(PostgresFirstInsert insert, RecordWrite write) {}

    boolean isEmpty() {
        return first == null && messages.isEmpty();
    }

    /** The record that is held back, if there is one. */
    @Nullable
    RecordWrite record() {
        return first == null ? null : first.write;
    }

    /** For messages about a failure. */
    String description() {
        if (messages.isEmpty()) {
            return "writing a result";
        }
        return first == null ? "queueing messages" : "queueing messages and writing a result";
    }

    void hold(PostgresFirstInsert insert, RecordWrite write) {
        first = new FirstWrite(insert, write);
    }

    void hold(List<Arrival> sent) {
        messages.addAll(sent);
    }

    /**
     * Sends all of it, and holds nothing any more.
     *
     * @param number which the transaction must be where no record knows it, see {@link PostgresSameTransaction}
     */
    void send(Connection connection, @Nullable Long now, @Nullable String number, boolean commit) throws SQLException {
        FirstWrite record = first;
        List<Arrival> sent = List.copyOf(messages);
        first = null;
        messages.clear();
        try (PreparedStatement statement = connection.prepareStatement(sql(record, sent, commit))) {
            PostgresBinder binder = new PostgresBinder(statement).text(record == null ? number : record.insert.xid());
            for (Arrival message : sent) {
                PostgresMessageInsert.bindDemanding(binder, now, record == null ? null : record.insert.tx(), message);
            }
            if (record != null) {
                record.insert.bind(binder, now, record.write);
            }
            statement.execute();
        }
    }

    private static String sql(@Nullable FirstWrite record, List<Arrival> sent, boolean commit) {
        long shape = (commit ? 1 : 0) + (record == null ? 0 : record.write.event() == null ? 2 : 4);
        long places = 8;
        for (Arrival message : sent) {
            shape += places * (1 + PostgresMessageInsert.kind(message));
            places *= 1 + PostgresMessageInsert.KINDS;
        }
        return STATEMENTS.computeIfAbsent(shape, key -> compose(record, sent, commit));
    }

    private static String compose(@Nullable FirstWrite record, List<Arrival> sent, boolean commit) {
        List<String> statements = new ArrayList<>();
        for (Arrival message : sent) {
            statements.add(PostgresMessageInsert.demanding(PostgresMessageInsert.kind(message), record != null));
        }
        if (record != null) {
            statements.add(PostgresFirstInsert.sql(record.write));
        }
        String sql = String.join("; ", statements);
        return PostgresSameTransaction.bounded(sql) + (commit ? COMMIT : "");
    }
}
