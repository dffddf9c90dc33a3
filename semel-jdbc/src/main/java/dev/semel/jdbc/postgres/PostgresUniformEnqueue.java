package dev.semel.jdbc.postgres;

import dev.semel.jdbc.shared.Rows;
import dev.semel.key.RecordId;
import dev.semel.store.Arrival;
import dev.semel.store.AuditEntry;
import dev.semel.store.Header;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A batch of messages of one channel and tenant, all due at the same time, like nearly every batch of arrivals. As in {@link PostgresUniformBatch}, common values are sent once, and an event takes the values of
 * its record from there.
 */
final class PostgresUniformEnqueue {
    /** Places are drawn in the order given, rows are written in the order of ids. */
    private static final String INSERT = PostgresSql.COMMON + """
            , i AS MATERIALIZED (
                SELECT i.*, nextval('semel_place') AS place
                FROM unnest(?::bytea[], ?::bytea[], ?::bytea[], ?::text[], ?::bytea[]%1$s)
                    AS i(id, key, fingerprint, correlation, payload%2$s))
            , d AS MATERIALIZED (
                SELECT c.now, c.tx_base, greatest(c.now + least(?::bigint, 9223372036854775807 - c.now), ?::bigint) AS at FROM c)
            , q AS (
                INSERT INTO semel_record (id, tenant, operation, key, fingerprint, correlation, parent, state, fence, attempt,
                    at, created, payload, origin, turn, place, deadline%2$s)
                SELECT i.id, ?, ?, i.key, i.fingerprint, i.correlation, ?::bytea, 0, 0, 0, d.at, d.now, i.payload, ?,
                    %3$s, i.place, nullif(?::bigint, 9223372036854775807)%4$s
                FROM d, i ORDER BY i.id
                ON CONFLICT (id) DO NOTHING
                RETURNING id, fingerprint, correlation, place)
            """;

    private static final String EVENTS = """
            , a AS (
                INSERT INTO semel_audit (tx, at, fence, attempt, type, tenant, operation, record, fingerprint, correlation,
                    policy, body)
                SELECT pg_current_xact_id()::text::bigint + d.tx_base, d.now, 0, 0, ?::smallint, ?, ?, q.id, q.fingerprint,
                    q.correlation, ?, ?
                FROM d, q ORDER BY q.place)
            """;

    private static final String RESULT = " SELECT q.id, pg_current_xact_id()::text FROM q";

    private static final String FREE = String.format(Locale.ROOT, INSERT, "", "", "0", "");
    private static final String IN_LANES = String.format(
            Locale.ROOT,
            INSERT,
            ", ?::bigint[], ?::text[]",
            ", lane, lane_key",
            "CASE WHEN i.lane_key IS NULL THEN 0 WHEN d.at <= d.now THEN 3 ELSE 4 END",
            ", CASE WHEN i.lane_key IS NOT NULL THEN i.lane END, i.lane_key");

    private static final String FREE_SILENT = FREE + RESULT;
    private static final String FREE_AUDITED = FREE + EVENTS + RESULT;
    private static final String IN_LANES_SILENT = IN_LANES + RESULT;
    private static final String IN_LANES_AUDITED = IN_LANES + EVENTS + RESULT;

    private PostgresUniformEnqueue() {}

    static boolean areAlike(List<Arrival> batch) {
        Arrival first = batch.get(0);
        return batch.stream().allMatch(arrival -> alike(first, arrival));
    }

    private static boolean alike(Arrival first, Arrival other) {
        return first.times().equals(other.times())
                && first.header().tenant().equals(other.header().tenant())
                && first.header().operation().equals(other.header().operation())
                && Objects.equals(first.header().parent(), other.header().parent())
                && Objects.equals(first.header().origin(), other.header().origin())
                && alike(first.event(), other.event(), other);
    }

    private static boolean alike(@Nullable AuditEntry first, @Nullable AuditEntry other, Arrival of) {
        if (first == null || other == null) {
            return first == other;
        }
        AuditEntry.Subject subject = other.subject();
        Header header = of.header();
        return first.type() == other.type()
                && Objects.equals(first.policy(), other.policy())
                && Objects.equals(first.body(), other.body())
                && subject.tenant().equals(header.tenant())
                && header.operation().equals(subject.operation())
                && header.correlationId().equals(subject.correlationId())
                && of.id().equals(subject.record())
                && Arrays.equals(header.fingerprint().bytes(), subject.fingerprint());
    }

    /**
     * Makes what is absent.
     *
     * @param own whether the transaction is the ledger's own
     * @param batch alike
     * @param made told the id of each that was made
     * @return the transaction; null when nothing was made
     */
    static @Nullable String insert(
            Connection connection, @Nullable Long now, boolean own, List<Arrival> batch, Consumer<RecordId> made)
            throws SQLException {
        boolean lanes = batch.stream().anyMatch(arrival -> arrival.lane() != null);
        AuditEntry event = batch.get(0).event();
        String sql =
                lanes ? event == null ? IN_LANES_SILENT : IN_LANES_AUDITED : event == null ? FREE_SILENT : FREE_AUDITED;
        try (PreparedStatement statement = connection.prepareStatement(PostgresEnqueue.bounded(sql, own))) {
            bind(new PostgresBinder(statement).number(now), batch, lanes, event);
            String xid = null;
            try (ResultSet written = PostgresLedger.second(statement)) {
                while (written.next()) {
                    made.accept(Rows.id(written, 1));
                    xid = written.getString(2);
                }
            }
            return xid;
        }
    }

    private static void bind(PostgresBinder binder, List<Arrival> batch, boolean lanes, @Nullable AuditEntry event)
            throws SQLException {
        Arrival first = batch.get(0);
        binder.bytes(batch, a -> a.id().bytes())
                .bytes(batch, a -> Rows.key(a.header().key()))
                .bytes(batch, a -> a.header().fingerprint().bytes())
                .texts(batch, a -> a.header().correlationId())
                .bytes(batch, Arrival::payload);
        if (lanes) {
            binder.longs(batch, a -> a.lane() == null ? 0 : a.lane().number())
                    .texts(batch, a -> a.lane() == null ? null : a.lane().key());
        }
        binder.number(first.times().delayMillis())
                .number(first.times().start())
                .text(first.header().tenant())
                .text(first.header().operation())
                .bytes(Rows.bytes(first.header().parent()))
                .text(first.header().origin())
                .number(first.times().deadline());
        if (event != null) {
            PostgresEvents.bindShared(binder, event);
        }
    }
}
