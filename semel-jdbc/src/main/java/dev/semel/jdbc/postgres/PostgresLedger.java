package dev.semel.jdbc.postgres;

import dev.semel.SemelException;
import dev.semel.jdbc.shared.BatchParts;
import dev.semel.jdbc.shared.CensusRows;
import dev.semel.jdbc.shared.NotAllMoved;
import dev.semel.jdbc.shared.Rows;
import dev.semel.key.RecordId;
import dev.semel.store.AuditEntry;
import dev.semel.store.CompletedMessage;
import dev.semel.store.FoundRecords;
import dev.semel.store.Ledger;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.OutsideGrant;
import dev.semel.store.RecordFilter;
import dev.semel.store.Renewal;
import dev.semel.store.Reservation;
import dev.semel.store.Reserved;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.StateCensus;
import dev.semel.store.StateCount;
import dev.semel.store.Status;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

final class PostgresLedger implements Ledger {
    private static final String INDEXED = "SELECT " + PostgresSql.BY_INDEX + "; ";

    /**
     * A renewal serves all runs of a node: it waits for a locked row only a moment, and then renews each run
     * separately.
     */
    private static final String RENEW = "SELECT " + PostgresSql.BY_INDEX + ", set_config('lock_timeout', '100', true); "
            + PostgresSql.COMMON + String.format(Locale.ROOT, """
            UPDATE semel_record r SET at = %s
            FROM c, unnest(?::int[], ?::bytea[], ?::bigint[], ?::bigint[]) AS i(n, id, fence, delay)
            WHERE r.id = i.id AND r.fence = i.fence AND r.state = 1
            RETURNING i.n""", PostgresSql.AT);

    private static final String FIND = "SELECT " + PostgresSql.NOW + ", " + PostgresSql.BY_INDEX + "; SELECT "
            + Rows.WITH_LINE + " FROM semel_record WHERE id = ANY(?::bytea[])";

    private static final String FIND_SMALL = "SELECT " + PostgresSql.NOW + ", " + PostgresSql.BY_INDEX + "; SELECT "
            + Rows.withoutLargePayload("", "octet_length", "?::int")
            + " FROM semel_record WHERE id = ANY(?::bytea[])";

    private static final String STEPS = INDEXED + "SELECT " + Rows.WITH_LINE
            + " FROM semel_record WHERE parent = ? AND place IS NULL ORDER BY created, fence";

    /**
     * The time is a subquery because only then is it read once, and can bound the scan of the index. The state is part of the
     * text, because the index is chosen by it before parameters are known.
     */
    private static final String OVERDUE = INDEXED + "SELECT " + Rows.WITH_LINE
            + " FROM semel_record WHERE state = %s AND at <= (SELECT " + PostgresSql.NOW
            + ") AND (at, id) > (?, ?) AND operation = ANY(?::text[]) AND (parent IS NULL OR place IS NOT NULL)"
            + " ORDER BY at, id LIMIT ?";

    /** By the index of states: few are in progress at a time. */
    private static final String OVERDUE_OUTSIDE = INDEXED + "SELECT "
            + Rows.withoutLargePayload("", "octet_length", "0")
            + " FROM semel_record WHERE state = 1 AND at <= (SELECT " + PostgresSql.NOW
            + ") AND (at, id) > (?, ?) AND owner < 0 AND (owner >= " + OutsideGrant.FIRST_NOT_REPEATABLE
            + " OR at <= (SELECT " + PostgresSql.NOW
            + ") - ?) AND parent IS NULL AND place IS NULL ORDER BY at, id LIMIT ?";

    /**
     * By place on disk, and each row is checked again as it is deleted: one that was renewed meanwhile has moved.
     * Locked rows are left for the next time.
     */
    private static final String PURGE = INDEXED + String.format(Locale.ROOT, """
            WITH c AS MATERIALIZED (SELECT %s AS now)
            , x AS MATERIALIZED (
                SELECT f.ctid FROM c, LATERAL (
                    SELECT r.ctid FROM semel_record r
                    WHERE r.state = 2 AND r.at <= c.now ORDER BY r.at LIMIT ? FOR UPDATE SKIP LOCKED) f
                UNION ALL
                SELECT f.ctid FROM c, (VALUES (4), (6), (7)) AS s(state), LATERAL (
                    SELECT r.ctid FROM semel_record r
                    WHERE r.state = s.state AND r.state <> 2 AND r.at <= c.now
                        AND (r.turn IS NULL OR r.turn NOT IN (1, 2)) ORDER BY r.at LIMIT ? FOR UPDATE SKIP LOCKED) f
                UNION ALL
                SELECT f.ctid FROM c, LATERAL (
                    SELECT r.ctid FROM semel_record r
                    WHERE r.state = 3 AND r.at <= c.now AND r.at <= c.now - r.keep
                        AND (r.turn IS NULL OR r.turn NOT IN (1, 2)) ORDER BY r.at LIMIT ? FOR UPDATE SKIP LOCKED) f)
            , d AS (
                DELETE FROM semel_record r USING c
                WHERE r.ctid = ANY(ARRAY(SELECT x.ctid FROM x LIMIT ?))
                    AND (r.state IN (2, 4, 6, 7) AND r.at <= c.now OR r.state = 3 AND r.at <= c.now - r.keep)
                    AND (r.turn IS NULL OR r.turn NOT IN (1, 2))
                RETURNING r.id, r.tenant)
            , s AS (DELETE FROM semel_record r USING d WHERE r.parent = d.id AND r.place IS NULL)
            SELECT tenant, count(*) FROM d GROUP BY tenant""", PostgresSql.NOW);

    private static final String LIST = INDEXED + "SELECT " + Rows.WITH_LINE
            + " FROM semel_record WHERE state = %s AND (at, id) < (?, ?) AND fence <= ? AND (parent IS NULL OR place IS NOT"
            + " NULL)%s ORDER BY at DESC, id DESC LIMIT ?";

    private static final String TALLY = "SELECT count(*), coalesce(min(t.at - coalesce(t.keep, 0)), " + Status.NEVER
            + "), " + PostgresSql.NOW + " FROM (SELECT at, keep FROM semel_record WHERE state = %s AND fence <= ? AND"
            + " (parent IS NULL OR place IS NOT NULL)%s ORDER BY at LIMIT ?) AS t";

    /** The number of those looked at does not depend on the tenant, so that the cost is bounded. */
    static final String CENSUS = """
            SELECT x.*, c.now FROM (SELECT %2$s AS now) AS c LEFT JOIN (
                SELECT t.operation, count(*), count(t.place), count(*) FILTER (WHERE t.turn = 1), min(t.at),
                    min(t.at - coalesce(t.keep, 0)), t.counted FROM (
                    SELECT operation, place, turn, at, keep,
                        (coalesce(?::text, tenant) = tenant) AND (parent IS NULL OR place IS NOT NULL) AS counted
                    FROM semel_record WHERE state = %1$s AND at <= ? ORDER BY at LIMIT ?) AS t
                GROUP BY t.counted, t.operation) AS x ON true
            ORDER BY x.operation""";

    private static final String COMPLETED =
            "SELECT id, place, fence, coalesce(octet_length(payload), 0) FROM semel_record"
                    + " WHERE state = 2 AND fence <= ?%s AND place > ? ORDER BY place LIMIT ?";

    private static final String RANGE =
            "SELECT true; SELECT " + Rows.WITH_LINE + " FROM semel_record WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ?";

    private static final String BY_CORRELATION = INDEXED + "SELECT " + Rows.WITH_LINE
            + " FROM semel_record WHERE correlation = ? AND tenant = ? AND " + Rows.NO_STEP
            + " ORDER BY place IS NOT NULL, coalesce(place, fence), id LIMIT ?";

    private static final String SENT_BY = INDEXED + "SELECT " + Rows.WITH_LINE
            + " FROM semel_record WHERE parent = ? AND place IS NOT NULL ORDER BY place LIMIT ?";

    private static final String MOVE = "a move";

    private final PostgresSessions sessions;

    PostgresLedger(PostgresSessions sessions) {
        this.sessions = sessions;
    }

    @Override
    public List<Reserved> reserve(long modesVersion, List<Reservation> batch) {
        return batch.isEmpty() ? List.of() : new PostgresReserve(sessions, modesVersion, batch).run();
    }

    @Override
    public List<Moved> move(List<Move> batch) {
        if (batch.isEmpty()) {
            return List.of();
        }
        try {
            return sessions.checked(MOVE, c -> moved(c, batch));
        } catch (SemelException.Locked | SemelException.DataRefused e) {
            return inParts(batch, e);
        }
    }

    @Override
    public Moved moveTogether(List<Move> batch) {
        if (batch.isEmpty()) {
            return new Moved.Same();
        }
        try {
            return NotAllMoved.answer(() -> sessions.transaction(MOVE, c -> NotAllMoved.demandAll(moved(c, batch))));
        } catch (SemelException.Locked e) {
            return new Moved.Locked();
        }
    }

    private List<Moved> inParts(List<Move> batch, SemelException why) {
        Map<RecordId, Moved> answers = new HashMap<>();
        BatchParts.each(
                batch,
                why,
                (part, hasty) -> {
                    List<Moved> moved = sessions.transaction(MOVE, hasty, c -> moved(c, part));
                    IntStream.range(0, part.size())
                            .forEach(i -> answers.put(part.get(i).id(), moved.get(i)));
                },
                (move, e) -> answers.put(move.id(), BatchParts.notMoved(move, e)));
        return batch.stream().map(move -> answers.get(move.id())).toList();
    }

    private List<Moved> moved(Connection connection, List<Move> batch) throws SQLException {
        return PostgresMoves.alone(connection, sessions.now()).apply(batch).moved();
    }

    @Override
    public List<Boolean> renew(List<Renewal> batch) {
        if (batch.isEmpty()) {
            return List.of();
        }
        List<Integer> places = IntStream.range(0, batch.size())
                .boxed()
                .sorted(Comparator.comparing(place -> batch.get(place).id()))
                .toList();
        Boolean[] held = new Boolean[batch.size()];
        sessions.once("a renewal", connection -> {
            Arrays.fill(held, false);
            try (PreparedStatement statement = connection.prepareStatement(RENEW)) {
                new PostgresBinder(statement)
                        .number(sessions.now())
                        .ints(places, place -> place)
                        .bytes(places, place -> batch.get(place).id().bytes())
                        .longs(places, place -> batch.get(place).fence())
                        .longs(places, place -> batch.get(place).leaseMillis());
                try (ResultSet renewed = second(statement)) {
                    while (renewed.next()) {
                        held[renewed.getInt(1)] = true;
                    }
                }
            }
            return held;
        });
        return List.of(held);
    }

    @Override
    public FoundRecords find(Collection<RecordId> ids) {
        return find(
                FIND,
                binder -> binder.number(sessions.now()).bytes(List.copyOf(ids), RecordId::bytes),
                found -> Rows.withLine(found, 1));
    }

    @Override
    public FoundRecords find(Collection<RecordId> ids, int inline) {
        return find(
                FIND_SMALL,
                binder -> binder.number(sessions.now()).number((long) inline).bytes(List.copyOf(ids), RecordId::bytes),
                found -> Rows.claimed(found, 1));
    }

    private FoundRecords find(String sql, PostgresBinder.Binding binding, PostgresQueue.RowReader reader) {
        return sessions.once("a lookup", connection -> {
            Map<RecordId, Row> rows = new HashMap<>();
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                binding.bind(new PostgresBinder(statement));
                statement.execute();
                long now = only(statement.getResultSet());
                statement.getMoreResults();
                try (ResultSet found = statement.getResultSet()) {
                    while (found.next()) {
                        Row row = reader.read(found);
                        rows.put(row.id(), row);
                    }
                }
                return new FoundRecords(rows, now);
            }
        });
    }

    private static long only(ResultSet single) throws SQLException {
        try (single) {
            single.next();
            return single.getLong(1);
        }
    }

    @Override
    public List<Row> steps(RecordId parent) {
        return rows("a lookup of steps", STEPS, binder -> binder.bytes(parent.bytes()));
    }

    @Override
    public List<Row> overdue(State state, Collection<String> operations, RecordFilter.Cursor behind, int limit) {
        return operations.isEmpty()
                ? List.of()
                : rows(
                        "a search",
                        String.format(Locale.ROOT, OVERDUE, state.code()),
                        binder -> binder.number(sessions.now())
                                .number(behind.at())
                                .bytes(behind.id().bytes())
                                .texts(List.copyOf(operations), operation -> operation)
                                .number((long) limit));
    }

    @Override
    public List<Row> overdueOutside(long patienceMillis, RecordFilter.Cursor behind, int limit) {
        return rows(
                "a search",
                OVERDUE_OUTSIDE,
                binder -> binder.number(sessions.now())
                        .number(behind.at())
                        .bytes(behind.id().bytes())
                        .number(sessions.now())
                        .number(patienceMillis)
                        .number((long) limit),
                found -> Rows.claimed(found, 1));
    }

    @Override
    public List<Row> list(State state, RecordFilter filter, RecordFilter.Cursor behind, int limit) {
        return rows("listing records", String.format(Locale.ROOT, LIST, state.code(), where(filter)), binder -> {
            binder.number(behind.at()).bytes(behind.id().bytes());
            bind(filter, binder).number((long) limit);
        });
    }

    private static String where(RecordFilter filter) {
        return (filter.tenant() == null ? "" : " AND tenant = ?")
                + (filter.operation() == null ? "" : " AND operation = ?")
                + (filter.queued() ? " AND place IS NOT NULL" : "");
    }

    private static PostgresBinder bind(RecordFilter filter, PostgresBinder binder) throws SQLException {
        binder.number(filter.fence());
        if (filter.tenant() != null) {
            binder.text(filter.tenant());
        }
        if (filter.operation() != null) {
            binder.text(filter.operation());
        }
        return binder;
    }

    @Override
    public StateCount tally(State state, RecordFilter filter, int most) {
        String sql = String.format(Locale.ROOT, TALLY, state.code(), where(filter));
        return sessions.once("counting records", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                bind(filter, new PostgresBinder(statement).number(sessions.now()))
                        .number((long) most);
                try (ResultSet found = statement.executeQuery()) {
                    found.next();
                    return new StateCount(found.getLong(1), found.getLong(2), found.getLong(3));
                }
            }
        });
    }

    @Override
    public StateCensus census(State state, @Nullable String tenant, long until, int most) {
        String sql = INDEXED + String.format(Locale.ROOT, CENSUS, state.code(), PostgresSql.NOW);
        return sessions.once("counting records by operation", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                new PostgresBinder(statement)
                        .number(sessions.now())
                        .text(tenant)
                        .number(until)
                        .number(most + 1L);
                CensusRows rows = new CensusRows();
                long now = 0;
                try (ResultSet found = second(statement)) {
                    while (found.next()) {
                        rows.add(found);
                        now = found.getLong(8);
                    }
                }
                return rows.census(most, now);
            }
        });
    }

    @Override
    public List<CompletedMessage> completedMessages(RecordFilter filter, long behind, int limit) {
        String sql = String.format(Locale.ROOT, COMPLETED, where(filter));
        return sessions.once("listing completed messages", connection -> {
            List<CompletedMessage> messages = new ArrayList<>();
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                bind(filter, new PostgresBinder(statement)).number(behind).number((long) limit);
                try (ResultSet found = statement.executeQuery()) {
                    while (found.next()) {
                        messages.add(new CompletedMessage(
                                Rows.id(found, 1), found.getLong(2), found.getLong(3), found.getInt(4)));
                    }
                }
            }
            return messages;
        });
    }

    @Override
    public List<Row> range(RecordId first, RecordId last, int limit) {
        return rows(
                "a lookup",
                RANGE,
                binder -> binder.bytes(first.bytes()).bytes(last.bytes()).number((long) limit));
    }

    @Override
    public List<Row> findByCorrelation(String tenant, String correlationId, int limit) {
        return rows(
                "a lookup by correlation id",
                BY_CORRELATION,
                binder -> binder.text(correlationId).text(tenant).number((long) limit));
    }

    @Override
    public List<Row> sentBy(RecordId record, int limit) {
        return rows(
                "a lookup of messages",
                SENT_BY,
                binder -> binder.bytes(record.bytes()).number((long) limit));
    }

    @Override
    public Map<String, Integer> purge(int limit, Function<Map<String, Integer>, List<AuditEntry>> events) {
        return sessions.transaction("a purge", connection -> {
            Map<String, Integer> removed = delete(connection, limit);
            if (!removed.isEmpty()) {
                PostgresEvents.write(connection, sessions.now(), events.apply(removed));
            }
            return removed;
        });
    }

    private Map<String, Integer> delete(Connection connection, long limit) throws SQLException {
        Map<String, Integer> removed = new TreeMap<>();
        try (PreparedStatement statement = connection.prepareStatement(PURGE)) {
            new PostgresBinder(statement)
                    .number(sessions.now())
                    .number(limit)
                    .number(limit)
                    .number(limit)
                    .number(limit);
            try (ResultSet counted = second(statement)) {
                while (counted.next()) {
                    removed.put(counted.getString(1), counted.getInt(2));
                }
            }
        }
        return removed;
    }

    private List<Row> rows(String what, String sql, PostgresBinder.Binding binding) {
        return rows(what, sql, binding, found -> Rows.withLine(found, 1));
    }

    private List<Row> rows(String what, String sql, PostgresBinder.Binding binding, PostgresQueue.RowReader reader) {
        return sessions.once(what, connection -> {
            List<Row> rows = new ArrayList<>();
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                binding.bind(new PostgresBinder(statement));
                try (ResultSet found = second(statement)) {
                    while (found.next()) {
                        rows.add(reader.read(found));
                    }
                }
            }
            return rows;
        });
    }

    /** The rows of the second of two statements that are sent together. */
    static ResultSet second(PreparedStatement statement) throws SQLException {
        statement.execute();
        statement.getMoreResults();
        return statement.getResultSet();
    }
}
