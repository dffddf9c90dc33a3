package dev.semel.jdbc.postgres;

import dev.semel.store.Arrival;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A message and its event as plain inserts, which have no answer and fail when the message is there already. They take the server less than
 * half the time of the statement of {@link PostgresMessageInsert}, most of which goes into setting up its parts, and nearly every
 * message is new. The other statement follows behind them where one is not ({@link PostgresHeldWrites}).
 */
final class PostgresPlainMessage {
    /** The columns and values of a message; d has the time, and the time at which the message is due. */
    private static final String RECORD = """
            INSERT INTO semel_record (id, tenant, operation, key, fingerprint, correlation, parent, payload, origin, deadline,
                place, state, attempt, at, created, fence, turn%s)
            SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, nullif(?::bigint, 9223372036854775807),
                nextval('semel_place'), 0, 0, d.at, d.now, %s, %s
            FROM (SELECT c.*, greatest(c.now + least(?::bigint, 9223372036854775807 - c.now), ?::bigint) AS at
                FROM (SELECT %s OFFSET 0) AS c OFFSET 0) AS d
            """;

    private static final String IN_LANE = "CASE WHEN d.at <= d.now THEN 3 ELSE 4 END, ?::bigint, ?";

    private static final String EVENT = """
            ; INSERT INTO semel_audit (tx, at, fence, attempt, type, tenant, operation, record, fingerprint, correlation, policy,
                body)
            SELECT %s, %s, 0, 0, ?::smallint, ?, ?, ?, ?, ?, ?, ? %s
            """;

    /** Where the lookup of a record has read the number of the transaction for the audit: a parameter of the event. */
    private static final List<String> KNOWN_TRANSACTION = byKind(
            "0", PostgresSql.NOW + " AS now", String.format(Locale.ROOT, EVENT, "?::bigint", PostgresSql.NOW, ""));

    /**
     * As for a grant, the server must be the one that the epoch was raised for. The fence is 0 here as well; it is made of the epoch's bits,
     * because the server does not compute what nothing uses.
     */
    private static final List<String> ANY_TRANSACTION = byKind(
            "d.high & 0",
            PostgresSql.NOW + " AS now, " + PostgresSql.HIGH + " AS high FROM " + PostgresSql.META,
            String.format(
                    Locale.ROOT,
                    EVENT,
                    "pg_current_xact_id()::text::bigint + m.tx_base",
                    PostgresSql.NOW,
                    "FROM " + PostgresSql.META));

    private PostgresPlainMessage() {}

    /** In the order of {@link PostgresMessageInsert#kind}. */
    private static List<String> byKind(String fence, String time, String event) {
        String free = String.format(Locale.ROOT, RECORD, "", fence, "0", time);
        String inLane = String.format(Locale.ROOT, RECORD, ", lane, lane_key", fence, IN_LANE, time);
        return List.of(free, free + event, inLane, inLane + event);
    }

    static String sql(int kind, boolean knownTransaction) {
        return (knownTransaction ? KNOWN_TRANSACTION : ANY_TRANSACTION).get(kind);
    }

    /** @param tx the number of the transaction for the audit, where the statement is for a known one */
    static void bind(PostgresBinder binder, @Nullable Long now, @Nullable Long tx, Arrival message)
            throws SQLException {
        PostgresMessageInsert.bindRecord(binder, message);
        binder.number(message.times().delayMillis())
                .number(message.times().start())
                .number(now);
        if (message.event() != null) {
            if (tx != null) {
                binder.number(tx.longValue());
            }
            binder.number(now);
            PostgresEvents.bind(binder, message.event());
        }
    }
}
