package dev.semel.jdbc.postgres;

import dev.semel.jdbc.shared.Rows;
import dev.semel.store.Arrival;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One message and its event in one statement, without the arrays and joins of a batch, which cost more than the insert itself.
 *
 * <p>The statement has two forms. One answers whether the message was stored. The other has no answer that must be read, so that
 * it can be sent together with COMMIT: it fails when the message is there already with another fingerprint
 * ({@link #isSentBefore}).
 */
final class PostgresMessageInsert {
    /** How many kinds of statements there are, see {@link #kind}. */
    static final int KINDS = 4;

    /** One parameter, the time. As for a grant, the server must be the one that the epoch was raised for. */
    private static final String ANY_TRANSACTION = String.format(
            Locale.ROOT,
            "WITH c AS MATERIALIZED (SELECT %s AS now, %s AS high, pg_current_xact_id()::text::bigint + m.tx_base AS tx FROM %s)",
            PostgresSql.NOW,
            PostgresSql.HIGH,
            PostgresSql.META);

    /** Two parameters: the time, and the number of the transaction for the audit, which the lookup of a record has read. */
    private static final String KNOWN_TRANSACTION =
            "WITH c AS MATERIALIZED (SELECT " + PostgresSql.NOW + " AS now, ?::bigint AS tx)";

    private static final String MESSAGE = """
            , d AS MATERIALIZED (
                SELECT c.now, c.tx, greatest(c.now + least(?::bigint, 9223372036854775807 - c.now), ?::bigint) AS at FROM c)
            , q AS (
                INSERT INTO semel_record (id, tenant, operation, key, fingerprint, correlation, parent, payload, origin, deadline,
                    place, state, fence, attempt, at, created, turn%1$s)
                SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, nullif(?::bigint, 9223372036854775807), nextval('semel_place'), 0, 0, 0, d.at,
                    d.now, %2$s FROM d
                ON CONFLICT (id) DO NOTHING RETURNING id)
            """;

    private static final String FREE = String.format(Locale.ROOT, MESSAGE, "", "0");
    private static final String IN_LANE = String.format(
            Locale.ROOT, MESSAGE, ", lane, lane_key", "CASE WHEN d.at <= d.now THEN 3 ELSE 4 END, ?::bigint, ?");

    private static final String EVENT = """
            , a AS (
                INSERT INTO semel_audit (tx, at, fence, attempt, type, tenant, operation, record, fingerprint, correlation, policy,
                    body)
                SELECT d.tx, d.now, 0, 0, ?::smallint, ?, ?, ?, ?, ?, ?, ? FROM d, q)
            """;

    /** A row if it was stored. */
    private static final String ANSWER = " SELECT pg_current_xact_id()::text FROM q";

    /** Two parameters, id and fingerprint. The logarithm of 1 exists, that of 0 does not. */
    private static final String DEMAND = String.format(Locale.ROOT, """
             SELECT ln((EXISTS (SELECT FROM q)
                OR EXISTS (SELECT FROM d AS c, semel_record AS r WHERE r.id = ? AND r.fingerprint = ? AND %s))::int::float8)
            """, PostgresSql.KEPT);

    private static final List<String> BY_KIND = List.of(FREE, FREE + EVENT, IN_LANE, IN_LANE + EVENT);

    private PostgresMessageInsert() {}

    /** Messages of one kind are stored by the same statement. */
    static int kind(Arrival message) {
        return (message.lane() == null ? 0 : 2) + (message.event() == null ? 0 : 1);
    }

    /** The statement that demands that the message is new, or there with the same fingerprint. */
    static String demanding(int kind, boolean knownTransaction) {
        return (knownTransaction ? KNOWN_TRANSACTION : ANY_TRANSACTION) + BY_KIND.get(kind) + DEMAND;
    }

    /** @param tx the number of the transaction for the audit, where the statement is for a known one */
    static void bindDemanding(PostgresBinder binder, @Nullable Long now, @Nullable Long tx, Arrival message)
            throws SQLException {
        binder.number(now);
        if (tx != null) {
            binder.number(tx.longValue());
        }
        bind(binder, message);
        binder.bytes(message.id().bytes()).bytes(message.header().fingerprint().bytes());
    }

    /** Whether the statement found the message with another fingerprint. */
    static boolean isSentBefore(SQLException e) {
        return PostgresErrors.state(e).equals("2201E");
    }

    /**
     * Stores the message if it is absent.
     *
     * @param own whether the transaction is the ledger's own
     * @return the transaction; null when the message is there already
     */
    static @Nullable String insert(Connection connection, @Nullable Long now, boolean own, Arrival message)
            throws SQLException {
        String sql = ANY_TRANSACTION + BY_KIND.get(kind(message)) + ANSWER;
        try (PreparedStatement statement = connection.prepareStatement(PostgresEnqueue.bounded(sql, own))) {
            PostgresBinder binder = new PostgresBinder(statement).number(now);
            bind(binder, message);
            try (ResultSet stored = PostgresLedger.second(statement)) {
                return stored.next() ? stored.getString(1) : null;
            }
        }
    }

    private static void bind(PostgresBinder binder, Arrival message) throws SQLException {
        binder.number(message.times().delayMillis()).number(message.times().start());
        bindRecord(binder, message);
        if (message.event() != null) {
            PostgresEvents.bind(binder, message.event());
        }
    }

    /** The columns of the record up to those that a lane needs, as all statements for single messages have them. */
    static void bindRecord(PostgresBinder binder, Arrival message) throws SQLException {
        binder.bytes(message.id().bytes())
                .text(message.header().tenant())
                .text(message.header().operation())
                .bytes(Rows.key(message.header().key()))
                .bytes(message.header().fingerprint().bytes())
                .text(message.header().correlationId())
                .bytes(Rows.bytes(message.header().parent()))
                .bytes(message.payload())
                .text(message.header().origin())
                .number(message.times().deadline());
        if (message.lane() != null) {
            binder.number(message.lane().number()).text(message.lane().key());
        }
    }
}
