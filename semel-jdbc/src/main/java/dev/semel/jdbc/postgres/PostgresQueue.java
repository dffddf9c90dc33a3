package dev.semel.jdbc.postgres;

import dev.semel.SemelException;
import dev.semel.jdbc.shared.BatchParts;
import dev.semel.jdbc.shared.Rows;
import dev.semel.key.RecordId;
import dev.semel.store.Arrival;
import dev.semel.store.Claim;
import dev.semel.store.Claimed;
import dev.semel.store.Enqueued;
import dev.semel.store.Queue;
import dev.semel.store.Row;
import dev.semel.store.Status;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

final class PostgresQueue implements Queue {
    private static final String BACKLOG =
            "SELECT " + PostgresSql.BY_INDEX + "; " + String.format(Locale.ROOT, """
            WITH c AS MATERIALIZED (SELECT %1$s AS now)
            SELECT w.waiting, w.oldest, p.parked FROM (
                SELECT count(*) AS waiting, min(x.at) FILTER (WHERE x.at <= (SELECT now FROM c)) AS oldest FROM (
                    SELECT r.at FROM semel_record r
                    WHERE r.state IN (0, 3) AND r.operation = ? AND r.place IS NOT NULL LIMIT %2$s) AS x) AS w,
                (SELECT count(*) AS parked FROM (
                    SELECT 1 FROM semel_record r
                    WHERE r.operation = ? AND r.turn = 1 AND r.state IN (4, 5) LIMIT %2$s) AS x) AS p""", PostgresSql.NOW, Backlog.MOST);

    private static final String HEAD = "SELECT " + PostgresSql.BY_INDEX + "; SELECT " + Rows.WITH_LINE
            + " FROM semel_record WHERE lane = ? AND turn IN (1, 2) ORDER BY turn, place LIMIT 1";

    private static final String UNKNOWN_HEADS = "SELECT " + PostgresSql.BY_INDEX + "; SELECT " + Rows.WITH_LINE
            + " FROM semel_record WHERE operation = ? AND turn = 1 AND state IN (4, 5) AND state = 5 LIMIT ?";

    /** By the index of states: few are in progress at a time. */
    private static final String HELD_BY = "SELECT " + PostgresSql.BY_INDEX + "; SELECT "
            + Rows.withoutLargePayload("", "octet_length", String.valueOf(Claim.Amount.SMALL))
            + " FROM semel_record WHERE state = 1 AND owner = ? AND operation = ? AND place IS NOT NULL"
            + " ORDER BY lane, place";

    // From operation to operation through the indexes, independent of the number of waiting records; few are being
    // handled.
    private static final String NEXT = """
            %1$s (name) AS (
                (SELECT operation FROM semel_record WHERE %2$s ORDER BY operation LIMIT 1)
                UNION ALL
                SELECT (SELECT operation FROM semel_record WHERE %2$s AND operation > %1$s.name ORDER BY operation LIMIT 1)
                FROM %1$s WHERE %1$s.name IS NOT NULL)""";

    private static final String OPERATIONS = "SELECT " + PostgresSql.BY_INDEX + "; WITH RECURSIVE "
            + String.format(Locale.ROOT, NEXT, "free", "turn = 0 AND state IN (0, 3)") + ", "
            + String.format(Locale.ROOT, NEXT, "lanes", "turn IN (1, 3, 4) AND state IN (0, 3)") + ", "
            + String.format(Locale.ROOT, NEXT, "parked", "turn = 1 AND state IN (4, 5)")
            + """
             SELECT name FROM free WHERE name IS NOT NULL
            UNION SELECT name FROM lanes WHERE name IS NOT NULL
            UNION SELECT name FROM parked WHERE name IS NOT NULL
            UNION SELECT operation FROM semel_record WHERE state = 1 AND place IS NOT NULL""";

    private static final String WHAT = "queueing messages";
    private static final int MOST_HINTS_OF_ONE = 1024;

    private final PostgresSessions sessions;
    private final Map<String, PostgresClaimHints> hints = new ConcurrentHashMap<>();

    /** Of claims for one tenant, by operation and tenant: those used last. */
    private final Map<List<String>, PostgresClaimHints> hintsOfOne = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<List<String>, PostgresClaimHints> eldest) {
            return size() > MOST_HINTS_OF_ONE;
        }
    };

    PostgresQueue(PostgresSessions sessions) {
        this.sessions = sessions;
    }

    @Override
    public List<Enqueued> enqueue(List<Arrival> batch) {
        if (batch.isEmpty()) {
            return List.of();
        }
        Map<RecordId, Enqueued> answers = new HashMap<>();
        try {
            store(batch, answers);
        } catch (SemelException.StoreUnavailable | SemelException.OutcomeUnknown e) {
            if (answers.isEmpty()) {
                throw e;
            }
            unanswered(batch, answers).forEach(arrival -> answers.put(arrival.id(), new Enqueued.EnqueueFailed(e)));
        }
        return batch.stream()
                .map(arrival -> Objects.requireNonNull(answers.get(arrival.id())))
                .toList();
    }

    private void store(List<Arrival> batch, Map<RecordId, Enqueued> answers) {
        try {
            insert(batch, answers);
        } catch (SemelException.Locked | SemelException.DataRefused e) {
            BatchParts.each(
                    unanswered(batch, answers),
                    e,
                    (part, hasty) -> made(part, sessions.transaction(WHAT, hasty, c -> enqueue(c, part)), answers),
                    (arrival, why) -> answers.put(arrival.id(), BatchParts.notEnqueued(arrival, why)));
        }
    }

    private void insert(List<Arrival> batch, Map<RecordId, Enqueued> answers) {
        // Answers are given after the commit, which may fail, or run again and find messages of others.
        answers.putAll(sessions.once(WHAT, connection -> {
            Map<RecordId, Enqueued> made = new HashMap<>();
            new PostgresEnqueue(connection, sessions.now(), true).insert(batch, made);
            return made;
        }));
        List<Arrival> rest = unanswered(batch, answers);
        if (!rest.isEmpty()) {
            answers.putAll(sessions.once(WHAT, connection -> {
                Map<RecordId, Enqueued> there = new HashMap<>();
                new PostgresEnqueue(connection, sessions.now(), true).look(rest, there);
                return there;
            }));
            List<Arrival> open = unanswered(rest, answers);
            if (!open.isEmpty()) {
                made(open, sessions.transaction(WHAT, c -> enqueue(c, open)), answers);
            }
        }
    }

    private static List<Arrival> unanswered(List<Arrival> batch, Map<RecordId, Enqueued> answers) {
        return batch.stream().filter(a -> !answers.containsKey(a.id())).toList();
    }

    /** All in one transaction: absent records, expired ones, and those that vanished meanwhile. */
    private List<Enqueued> enqueue(Connection connection, List<Arrival> open) throws SQLException {
        return new PostgresEnqueue(connection, sessions.now(), true).run(open);
    }

    private static void made(List<Arrival> open, List<Enqueued> made, Map<RecordId, Enqueued> answers) {
        for (int i = 0; i < open.size(); i++) {
            answers.put(open.get(i).id(), made.get(i));
        }
    }

    private PostgresClaimHints hints(Claim claim) {
        String only = claim.turns().only();
        if (only == null) {
            return hints.computeIfAbsent(claim.operation(), PostgresClaimHints::new);
        }
        synchronized (hintsOfOne) {
            return hintsOfOne.computeIfAbsent(
                    List.of(claim.operation(), only), any -> new PostgresClaimHints(claim.operation()));
        }
    }

    @Override
    public Claimed claim(Claim claim) {
        return new PostgresClaim(sessions, hints(claim), claim).run();
    }

    @Override
    public List<Row> heldBy(String operation, long owner) {
        return rows(
                "reading claimed records",
                HELD_BY,
                binder -> binder.number(owner).text(operation),
                found -> Rows.claimed(found, 1));
    }

    @Override
    public List<Row> unknownHeads(String operation, int limit) {
        return rows(
                "reading parked lanes",
                UNKNOWN_HEADS,
                binder -> binder.text(operation).number(limit),
                found -> Rows.withLine(found, 1));
    }

    /** Makes a row of what was found. */
    @FunctionalInterface
    interface RowReader {
        Row read(ResultSet found) throws SQLException;
    }

    private List<Row> rows(String what, String query, PostgresBinder.Binding binding, RowReader reader) {
        return sessions.once(what, connection -> {
            List<Row> rows = new ArrayList<>();
            try (PreparedStatement statement = connection.prepareStatement(query)) {
                binding.bind(new PostgresBinder(statement));
                try (ResultSet found = PostgresLedger.second(statement)) {
                    while (found.next()) {
                        rows.add(reader.read(found));
                    }
                }
            }
            return rows;
        });
    }

    @Override
    public Optional<Row> head(long lane) {
        return sessions.once("reading a lane", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(HEAD)) {
                new PostgresBinder(statement).number(lane);
                try (ResultSet found = PostgresLedger.second(statement)) {
                    return found.next() ? Optional.of(Rows.withLine(found, 1)) : Optional.empty();
                }
            }
        });
    }

    @Override
    public Backlog backlog(String operation) {
        return sessions.once("reading the backlog", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(BACKLOG)) {
                new PostgresBinder(statement)
                        .number(sessions.now())
                        .text(operation)
                        .text(operation);
                try (ResultSet found = PostgresLedger.second(statement)) {
                    found.next();
                    long oldest = found.getLong(2);
                    return found.wasNull()
                            ? new Backlog(found.getLong(1), Status.NEVER, found.getLong(3))
                            : new Backlog(found.getLong(1), oldest, found.getLong(3));
                }
            }
        });
    }

    @Override
    public Set<String> operations() {
        return sessions.once("reading which operations have messages waiting", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(OPERATIONS);
                    ResultSet found = PostgresLedger.second(statement)) {
                Set<String> operations = new HashSet<>();
                while (found.next()) {
                    operations.add(found.getString(1));
                }
                return Set.copyOf(operations);
            }
        });
    }
}
