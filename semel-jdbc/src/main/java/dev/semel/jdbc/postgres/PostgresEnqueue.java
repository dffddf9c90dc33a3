package dev.semel.jdbc.postgres;

import dev.semel.SemelException;
import dev.semel.jdbc.shared.Rows;
import dev.semel.key.RecordId;
import dev.semel.store.Arrival;
import dev.semel.store.Enqueued;
import dev.semel.store.Row;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Makes records that wait for a worker.
 *
 * <p>One statement inserts the absent ones, with their events. Existing ones are read after it. Only an expired
 * record needs more: it is removed and made again, in one transaction.
 */
final class PostgresEnqueue {
    /** Each further round means that a record was deleted between the insert and the read. */
    private static final int ROUNDS = 50;

    /**
     * Places are drawn in the order given, rows are written in the order of ids. The full join forces a hash or a
     * sort, whatever list lengths the planner assumes.
     */
    private static final String INSERT = PostgresSql.COMMON + String.format(Locale.ROOT, """
            , i AS MATERIALIZED (
                SELECT i.*, nextval('semel_place') AS place, greatest(%s, i.start) AS at
                FROM c, unnest(?::int[], ?::bytea[], ?::text[], ?::text[], ?::bytea[], ?::bytea[], ?::text[], ?::text[], ?::bytea[],
                    ?::bytea[], ?::bigint[], ?::text[], ?::bigint[], ?::bigint[], ?::bigint[]%%s)
                    AS i(n, id, tenant, operation, key, fingerprint, correlation, origin, parent, payload, lane, lane_key, delay,
                        start, deadline%%s))
            , q AS (
                INSERT INTO semel_record (id, tenant, operation, key, fingerprint, correlation, origin, parent, state, fence,
                    attempt, at, created, payload, turn, place, lane, lane_key, deadline)
                SELECT i.id, i.tenant, i.operation, i.key, i.fingerprint, i.correlation, i.origin, i.parent, 0, 0, 0, i.at,
                    c.now, i.payload, CASE WHEN i.lane_key IS NULL THEN 0 WHEN i.at <= c.now THEN 3 ELSE 4 END, i.place,
                    CASE WHEN i.lane_key IS NOT NULL THEN i.lane END, i.lane_key,
                    nullif(i.deadline, 9223372036854775807)
                FROM c, i ORDER BY i.id
                ON CONFLICT (id) DO NOTHING
                RETURNING id, true AS made)
            , w AS (
                SELECT i.n, 0::bigint AS fence, 0 AS attempt%%s FROM i FULL JOIN q ON q.id = i.id
                WHERE coalesce(q.made, false))
            """, PostgresSql.AT);

    private static final String RESULT = " SELECT w.n, pg_current_xact_id()::text FROM w";
    private static final String SILENT = String.format(Locale.ROOT, INSERT, "", "", "") + RESULT;
    private static final String AUDITED = String.format(
                    Locale.ROOT, INSERT, PostgresSql.EVENT_ARRAYS, PostgresSql.EVENT_NAMES, PostgresSql.EVENT_NAMES)
            + ", a AS (" + PostgresSql.WRITE_EVENTS + ")" + RESULT;

    private static final String READ =
            "SELECT " + PostgresSql.NOW + ", " + Rows.WITH_LINE + " FROM " + PostgresSql.EACH_BY_ID;

    private static final String LOCK = "SELECT " + PostgresSql.NOW + ", " + Rows.WITH_LINE
            + " FROM semel_record WHERE id = ANY(?::bytea[]) ORDER BY id FOR UPDATE";

    private static final String DELETE = "DELETE FROM semel_record WHERE id = ANY(?::bytea[])";

    private final Connection connection;
    private final @Nullable Long now;
    private final boolean own;
    private @Nullable String xid;

    /** @param own whether the transaction is the ledger's own, and not a handler's or a caller's */
    PostgresEnqueue(Connection connection, @Nullable Long now, boolean own) {
        this.connection = connection;
        this.now = now;
        this.own = own;
    }

    /** The statement with a bound on its wait for those who insert the same records: to be read as the second one. */
    static String bounded(String sql, boolean own) {
        return own
                ? "SELECT " + PostgresSql.BOUNDED_WAIT + "; " + sql
                : PostgresSql.WAIT_IN_TRANSACTION + sql + PostgresSql.WAIT_AS_BEFORE;
    }

    /** The whole of it in one transaction. */
    List<Enqueued> run(List<Arrival> batch) throws SQLException {
        Map<RecordId, Enqueued> answers = new HashMap<>();
        for (int round = 0; round < ROUNDS; round++) {
            List<Arrival> open =
                    batch.stream().filter(a -> !answers.containsKey(a.id())).toList();
            insert(open, answers);
            List<Row> expired = look(open, answers);
            if (!expired.isEmpty()) {
                remove(expired);
            }
            if (answers.size() == batch.size()) {
                return batch.stream()
                        .map(arrival -> Objects.requireNonNull(answers.get(arrival.id())))
                        .toList();
            }
        }
        throw new SemelException.StoreUnavailable(
                "Other transactions kept deleting records of the same keys while messages were queued;"
                        + " nothing was written. Repeat the call.");
    }

    /** Makes what is absent. */
    void insert(List<Arrival> batch, Map<RecordId, Enqueued> answers) throws SQLException {
        if (batch.isEmpty()) {
            return;
        }
        if (batch.size() == 1) {
            String made = PostgresMessageInsert.insert(connection, now, own, batch.get(0));
            if (made != null) {
                answers.put(batch.get(0).id(), new Enqueued.Made());
                xid = made;
            }
            return;
        }
        if (PostgresUniformEnqueue.areAlike(batch)) {
            String made = PostgresUniformEnqueue.insert(
                    connection, now, own, batch, id -> answers.put(id, new Enqueued.Made()));
            xid = made == null ? xid : made;
            return;
        }
        PostgresEvents events = PostgresEvents.of(batch, Arrival::event);
        try (PreparedStatement statement =
                connection.prepareStatement(bounded(events.isEmpty() ? SILENT : AUDITED, own))) {
            PostgresBinder binder = new PostgresBinder(statement).number(now);
            bind(binder, batch);
            if (!events.isEmpty()) {
                events.bind(binder);
            }
            try (ResultSet made = PostgresLedger.second(statement)) {
                while (made.next()) {
                    answers.put(batch.get(made.getInt(1)).id(), new Enqueued.Made());
                    xid = made.getString(2);
                }
            }
        }
    }

    private static void bind(PostgresBinder binder, List<Arrival> batch) throws SQLException {
        List<Integer> places = IntStream.range(0, batch.size()).boxed().toList();
        binder.ints(places, place -> place)
                .bytes(batch, a -> a.id().bytes())
                .texts(batch, a -> a.header().tenant())
                .texts(batch, a -> a.header().operation())
                .bytes(batch, a -> Rows.key(a.header().key()))
                .bytes(batch, a -> a.header().fingerprint().bytes())
                .texts(batch, a -> a.header().correlationId())
                .texts(batch, a -> a.header().origin())
                .bytes(batch, a -> Rows.bytes(a.header().parent()))
                .bytes(batch, Arrival::payload)
                .longs(batch, a -> a.lane() == null ? 0 : a.lane().number())
                .texts(batch, a -> a.lane() == null ? null : a.lane().key())
                .longs(batch, a -> a.times().delayMillis())
                .longs(batch, a -> a.times().start())
                .longs(batch, a -> a.times().deadline());
    }

    /** Answers from existing rows; returns the expired ones. */
    List<Row> look(List<Arrival> batch, Map<RecordId, Enqueued> answers) throws SQLException {
        List<RecordId> open = batch.stream()
                .map(Arrival::id)
                .filter(id -> !answers.containsKey(id))
                .toList();
        return open.isEmpty() ? List.of() : read(READ, open, answers);
    }

    private List<Row> read(String sql, List<RecordId> ids, Map<RecordId, Enqueued> live) throws SQLException {
        List<Row> expired = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            new PostgresBinder(statement).number(now).bytes(ids, RecordId::bytes);
            try (ResultSet found = statement.executeQuery()) {
                while (found.next()) {
                    Row row = Rows.withLine(found, 2);
                    if (row.expired(found.getLong(1))) {
                        expired.add(row);
                    } else {
                        live.put(row.id(), new Enqueued.Existing(row));
                    }
                }
            }
        }
        return expired;
    }

    /** Locked and judged once more. */
    private void remove(List<Row> expired) throws SQLException {
        List<RecordId> ids = expired.stream().map(Row::id).sorted().toList();
        List<RecordId> gone =
                read(LOCK, ids, new HashMap<>()).stream().map(Row::id).toList();
        PostgresGrants.deleteSteps(connection, gone);
        try (PreparedStatement statement = connection.prepareStatement(DELETE)) {
            new PostgresBinder(statement).bytes(gone, RecordId::bytes);
            statement.executeUpdate();
        }
    }

    /** The transaction in which something was made; null when nothing was. */
    @Nullable
    String xid() {
        return xid;
    }
}
