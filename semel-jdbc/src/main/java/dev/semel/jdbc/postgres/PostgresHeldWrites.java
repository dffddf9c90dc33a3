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
import org.postgresql.core.BaseConnection;

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

    /** Held behind the bound for waits, which stays. */
    private static final String SAVEPOINT = "SAVEPOINT semel_messages";

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

    /** How the messages are stored. */
    private enum Form {
        /** Nearly all are new. */
        PLAIN,
        /** One of them was there already: behind the first form, which is undone. */
        DEMANDING
    }

    /**
     * Sends all of it, and holds nothing any more. If a message is there already, what was sent is undone up to the first message and sent
     * once more in the other form, in a second round trip.
     *
     * @param number which the transaction must be where no record knows it, see {@link PostgresSameTransaction}
     */
    void send(Connection connection, @Nullable Long now, @Nullable String number, boolean commit) throws SQLException {
        FirstWrite record = first;
        List<Arrival> sent = List.copyOf(messages);
        first = null;
        messages.clear();
        HeldBatch plain = new HeldBatch(record, sent, Form.PLAIN, commit);
        if (sent.isEmpty()) {
            send(connection, plain, now, number);
            return;
        }
        // Asked for now, because a pool closes its own connection upon some errors.
        BaseConnection driver = connection.unwrap(BaseConnection.class);
        try {
            send(connection, plain, now, number);
        } catch (SQLException e) {
            demandSentBefore(e, driver);
            try {
                send(connection, new HeldBatch(record, sent, Form.DEMANDING, commit), now, number);
            } catch (SQLException second) {
                second.addSuppressed(e);
                throw second;
            }
        }
    }

    /**
     * @throws SQLException the same, if it means something else
     * @throws PostgresTx.SentBefore when the driver has gone back to a savepoint of its own (autosave), and ours is gone
     */
    private static void demandSentBefore(SQLException e, BaseConnection driver) throws SQLException {
        if (!PostgresErrors.state(e).equals(PostgresErrors.NOT_UNIQUE)) {
            throw e;
        }
        switch (driver.getTransactionState()) {
            case FAILED -> {}
            case OPEN -> throw new PostgresTx.SentBefore(e);
            case IDLE -> throw e;
        }
    }

    private static void send(Connection connection, HeldBatch batch, @Nullable Long now, @Nullable String number)
            throws SQLException {
        FirstWrite record = batch.record;
        Long tx = record == null ? null : record.insert.tx();
        try (PreparedStatement statement = connection.prepareStatement(batch.sql())) {
            PostgresBinder binder = new PostgresBinder(statement);
            if (batch.form == Form.PLAIN) {
                binder.text(record == null ? number : record.insert.xid());
            }
            for (Arrival message : batch.messages) {
                if (batch.form == Form.PLAIN) {
                    PostgresPlainMessage.bind(binder, now, tx, message);
                } else {
                    PostgresMessageInsert.bindDemanding(binder, now, tx, message);
                }
            }
            if (record != null) {
                record.insert.bind(binder, now, record.write);
            }
            statement.execute();
        }
    }

    private record HeldBatch(@Nullable FirstWrite record, List<Arrival> messages, Form form, boolean commit) {
        String sql() {
            long shape = (commit ? 1 : 0)
                    + (record == null ? 0 : record.write.event() == null ? 2 : 4)
                    + (form == Form.PLAIN ? 0 : 8);
            long places = 16;
            for (Arrival message : messages) {
                shape += places * (1 + PostgresMessageInsert.kind(message));
                places *= 1 + PostgresMessageInsert.KINDS;
            }
            return STATEMENTS.computeIfAbsent(shape, key -> compose());
        }

        private String compose() {
            List<String> statements = new ArrayList<>();
            if (!messages.isEmpty()) {
                statements.add(form == Form.PLAIN ? SAVEPOINT : "ROLLBACK TO " + SAVEPOINT);
            }
            for (Arrival message : messages) {
                int kind = PostgresMessageInsert.kind(message);
                statements.add(
                        form == Form.PLAIN
                                ? PostgresPlainMessage.sql(kind, record != null)
                                : PostgresMessageInsert.demanding(kind, record != null));
            }
            if (record != null) {
                statements.add(PostgresFirstInsert.sql(record.write));
            }
            String sql = String.join("; ", statements) + PostgresSql.WAIT_AS_BEFORE + (commit ? COMMIT : "");
            return form == Form.PLAIN ? PostgresSameTransaction.AND_WAIT + sql : sql;
        }
    }
}
