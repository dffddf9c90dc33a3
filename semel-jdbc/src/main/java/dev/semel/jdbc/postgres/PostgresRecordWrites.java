package dev.semel.jdbc.postgres;

import dev.semel.SemelException;
import dev.semel.jdbc.shared.Rows;
import dev.semel.key.RecordId;
import dev.semel.store.RecordWrite;
import dev.semel.store.Status;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** What direct atomic calls leave, in one statement: the records, their events, and the number of the transaction. */
final class PostgresRecordWrites {
    /** The fence is drawn once for the record and its event: either both are written or neither is. */
    private static final String WRITE = PostgresSql.COMMON + String.format(Locale.ROOT, """
            , w AS MATERIALIZED (
                SELECT i.*, c.high | nextval('semel_fence') AS fence
                FROM c, unnest(?::int[], ?::bytea[], ?::text[], ?::text[], ?::bytea[], ?::bytea[], ?::text[], ?::text[],
                    ?::bytea[], ?::int[], ?::int[], ?::bigint[], ?::bigint[], ?::bytea[], ?::bytea[]%%s)
                    AS i(n, id, tenant, operation, key, fingerprint, correlation, origin, parent, state, attempt, delay, keep,
                        result, failure%%s))
            , u AS (
                INSERT INTO semel_record AS r (id, tenant, operation, key, fingerprint, correlation, origin, parent, state,
                    fence, attempt, at, created, keep, result, failure)
                SELECT i.id, i.tenant, i.operation, i.key, i.fingerprint, i.correlation, i.origin, i.parent, i.state,
                    i.fence, i.attempt, %s, CASE WHEN i.parent IS NOT NULL THEN c.now END, nullif(i.keep, 0), i.result, i.failure
                FROM c, w AS i
                %%s RETURNING r.id, r.fence, r.xmax = 0 AS made)
            """, PostgresSql.AT);

    /** "At" in the past and neither QUEUED, IN_PROGRESS nor UNKNOWN is expired, or failed and due. */
    private static final String OVER_WHAT_IS_DONE = """
            ON CONFLICT (id) DO UPDATE SET fingerprint = excluded.fingerprint, correlation = excluded.correlation,
                    origin = excluded.origin, parent = excluded.parent, state = excluded.state, fence = excluded.fence,
                    attempt = excluded.attempt, at = excluded.at, created = excluded.created, keep = excluded.keep,
                    owner = NULL, payload = NULL, result = excluded.result, failure = excluded.failure,
                    turn = NULL, place = NULL, lane = NULL, lane_key = NULL, deadline = NULL
                WHERE r.at <= (SELECT now FROM c) AND r.state IN (2, 3, 4, 6, 7)
            """;

    /** A plain insert leaves out the speculative one's second log record and second look at the index. */
    private static final WriteStatements ABSENT = WriteStatements.of("");

    private static final WriteStatements GUARDED = WriteStatements.of(OVER_WHAT_IS_DONE);

    /** A statement without events, and with them. */
    private record WriteStatements(String silent, String audited) {
        private static final String RESULT = " SELECT u.id, u.fence, u.made, pg_current_xact_id()::text FROM u";

        static WriteStatements of(String conflict) {
            return new WriteStatements(
                    PostgresSameTransaction.bounded(String.format(Locale.ROOT, WRITE, "", "", conflict) + RESULT),
                    PostgresSameTransaction.bounded(String.format(
                                    Locale.ROOT, WRITE, PostgresSql.EVENT_ARRAYS, PostgresSql.EVENT_NAMES, conflict)
                            + ", a AS (" + PostgresSql.WRITE_EVENTS + ")" + RESULT));
        }
    }

    private static final String STATUSES =
            "SELECT id, " + Rows.STATUS + " FROM semel_record WHERE id = ANY(?::bytea[])";

    record WritesResult(String xid, List<PostgresTx.Evidence> evidence) {}

    private final Connection connection;
    private final @Nullable Long now;
    private final @Nullable String number;

    /** @param number which the transaction must be, see {@link PostgresSameTransaction}; null when that is not known */
    PostgresRecordWrites(Connection connection, @Nullable Long now, @Nullable String number) {
        this.connection = connection;
        this.now = now;
        this.number = number;
    }

    /** Inserts records that were absent when they were locked; one that exists now fails the transaction. */
    WritesResult insertAbsent(List<RecordWrite> batch) throws SQLException {
        try {
            return PostgresUniformBatch.areAlike(batch)
                    ? PostgresUniformBatch.write(connection, now, number, sorted(batch))
                    : write(ABSENT, batch);
        } catch (SQLException e) {
            throw told(e, batch.get(0));
        }
    }

    /** What an error of an insert means: the record has come into being meanwhile, or else itself. */
    static SQLException told(SQLException e, RecordWrite write) {
        if (PostgresErrors.state(e).equals(PostgresErrors.NOT_UNIQUE)) {
            throw lost(write, null);
        }
        return e;
    }

    /** Writes records that are absent, expired, or failed and due. */
    WritesResult write(List<RecordWrite> batch) throws SQLException {
        return write(GUARDED, batch);
    }

    private WritesResult write(WriteStatements sql, List<RecordWrite> batch) throws SQLException {
        List<RecordWrite> writes = sorted(batch);
        PostgresEvents events = PostgresEvents.of(writes, RecordWrite::event);
        List<PostgresTx.Evidence> evidence = new ArrayList<>();
        List<RecordId> replaced = new ArrayList<>();
        String xid = "";
        Map<RecordId, RecordWrite> byId = new HashMap<>();
        writes.forEach(write -> byId.put(write.id(), write));
        try (PreparedStatement statement = connection.prepareStatement(events.isEmpty() ? sql.silent : sql.audited)) {
            PostgresBinder binder = new PostgresBinder(statement).text(number).number(now);
            bind(binder, writes);
            if (!events.isEmpty()) {
                events.bind(binder);
            }
            try (ResultSet written = PostgresLedger.second(statement)) {
                while (written.next()) {
                    RecordWrite write = byId.get(Rows.id(written, 1));
                    evidence.add(new PostgresTx.Evidence(
                            write.id(), written.getLong(2), write.state().code()));
                    if (!written.getBoolean(3)) {
                        replaced.add(write.id());
                    }
                    xid = written.getString(4);
                }
            }
        }
        if (evidence.size() != writes.size()) {
            throw lost(writes, evidence);
        }
        PostgresGrants.deleteSteps(connection, replaced);
        return new WritesResult(xid, evidence);
    }

    private static List<RecordWrite> sorted(List<RecordWrite> batch) {
        return batch.stream().sorted(Comparator.comparing(RecordWrite::id)).toList();
    }

    private static void bind(PostgresBinder binder, List<RecordWrite> writes) throws SQLException {
        List<Integer> places = IntStream.range(0, writes.size()).boxed().toList();
        binder.ints(places, place -> place)
                .bytes(writes, l -> l.id().bytes())
                .texts(writes, l -> l.header().tenant())
                .texts(writes, l -> l.header().operation())
                .bytes(writes, l -> Rows.key(l.header().key()))
                .bytes(writes, l -> l.header().fingerprint().bytes())
                .texts(writes, l -> l.header().correlationId())
                .texts(writes, l -> l.header().origin())
                .bytes(writes, l -> Rows.bytes(l.header().parent()))
                .ints(writes, l -> l.state().code())
                .ints(writes, l -> l.times().attempt())
                .longs(writes, l -> l.times().delayMillis())
                .longs(writes, l -> l.times().keepMillis())
                .bytes(writes, l -> l.outcome().result())
                .bytes(writes, l -> l.outcome().failure());
    }

    private SemelException.LeaseLost lost(List<RecordWrite> writes, List<PostgresTx.Evidence> evidence)
            throws SQLException {
        Map<RecordId, Status> found = new HashMap<>();
        try (PreparedStatement statement = connection.prepareStatement(STATUSES)) {
            new PostgresBinder(statement).bytes(writes, l -> l.id().bytes());
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    found.put(Rows.id(rows, 1), Rows.status(rows, 2));
                }
            }
        }
        List<RecordId> written = evidence.stream().map(PostgresTx.Evidence::id).toList();
        RecordWrite refused = writes.stream()
                .filter(l -> !written.contains(l.id()))
                .findFirst()
                .orElseThrow();
        return lost(refused, found.get(refused.id()));
    }

    private static SemelException.LeaseLost lost(RecordWrite refused, @Nullable Status status) {
        return new SemelException.LeaseLost(
                refused.header().operation() + "/" + refused.id() + " (tenant "
                        + refused.header().tenant() + "): another run left it "
                        + (status == null ? "in progress" : status.state() + " under fence " + status.fence())
                        + "; nothing was committed; repeat the call to get its answer.",
                status == null ? 0 : status.fence());
    }
}
