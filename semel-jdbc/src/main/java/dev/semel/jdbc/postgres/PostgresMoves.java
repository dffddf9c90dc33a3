package dev.semel.jdbc.postgres;

import dev.semel.jdbc.shared.ReservationRule;
import dev.semel.jdbc.shared.Rows;
import dev.semel.key.RecordId;
import dev.semel.store.AuditEntry;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.State;
import dev.semel.store.Status;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Conditional writes, a batch in one statement: those that change a record, and those that remove it. */
final class PostgresMoves {
    /** The batch comes sorted, and is joined row by row: rows are locked in the order of ids. */
    private static final String ITEMS = """
            , i AS MATERIALIZED (
                SELECT * FROM unnest(?::int[], ?::bytea[], ?::bigint[], ?::int[], ?::int[], ?::int[], ?::bigint[],
                    ?::bigint[], ?::int[], ?::bytea[], ?::bytea[]%s)
                    AS i(n, id, fence, origins, over, target, delay, keep, attempt, result, failure%s))
            """;

    /** As {@link #ITEMS}, in the order given: those that join the queue again take their places in it. */
    private static final String PLACED_ITEMS = """
            , i AS MATERIALIZED (
                SELECT * FROM (
                    SELECT i.*, CASE WHEN i.line >= 2 THEN nextval('semel_place') END AS place
                    FROM unnest(?::int[], ?::bytea[], ?::bigint[], ?::int[], ?::int[], ?::int[], ?::bigint[],
                        ?::bigint[], ?::int[], ?::bytea[], ?::bytea[], ?::int[]%s)
                        AS i(n, id, fence, origins, over, target, delay, keep, attempt, result, failure, line%s)) AS i
                ORDER BY id)
            """;

    private static final String CONDITION = """
             r.id = i.id AND r.fence = i.fence AND (i.origins >> r.state) & 1 = 1 AND (i.over = 0 OR r.at <= c.now)
            """;

    private static final String UPDATE_EACH = """
            , w AS (
                UPDATE semel_record r SET state = i.target, at = %s, keep = nullif(i.keep, 0),
                    attempt = CASE WHEN i.attempt < 0 THEN r.attempt ELSE i.attempt END,
                    result = i.result, failure = i.failure%s
                FROM i, c WHERE %s AND %s
                RETURNING i.n, r.fence, r.attempt%%s)
            """;

    private static final String PLACE = """
            , place = CASE WHEN i.line = 3 AND r.turn IN (1, 2) THEN r.place ELSE coalesce(i.place, r.place) END,
                    turn = CASE WHEN i.line = 0 OR i.line = 3 AND r.turn IN (1, 2) THEN r.turn
                        WHEN i.line >= 2 THEN CASE WHEN r.lane IS NULL THEN 0 ELSE 3 END END""";

    private static final String DELETE_EACH = String.format(Locale.ROOT, """
            , w AS (
                DELETE FROM semel_record r USING i, c WHERE %s
                RETURNING i.n, r.id, r.fence, r.attempt%%s)
            , s AS (DELETE FROM semel_record r USING w WHERE r.parent = w.id AND r.place IS NULL)
            """, CONDITION);

    /** The events of a change after its first. They are few: each finds its change by a scan of all of them. */
    private static final String FURTHER_EVENTS = String.format(
            Locale.ROOT,
            """
            , x AS MATERIALIZED (SELECT * FROM unnest(?::int[]%1$s) WITH ORDINALITY AS x(n%2$s, further))
            , y AS (
                SELECT w.n, 0 AS further, w.fence, w.attempt%2$s FROM w
                UNION ALL
                SELECT w.n, x.further, w.fence, w.attempt%3$s FROM x JOIN w ON w.n = x.n)
            , a AS (
                INSERT INTO semel_audit (tx, at, fence, attempt, type, tenant, operation, record, fingerprint, correlation,
                    policy, body)
                SELECT pg_current_xact_id()::text::bigint + c.tx_base, c.now, y.fence, y.attempt%2$s
                FROM c, y WHERE y.e_type >= 0 ORDER BY y.n, y.further)
            """,
            PostgresSql.EVENT_ARRAYS,
            PostgresSql.EVENT_NAMES,
            PostgresSql.EVENT_NAMES.replace(", ", ", x."));

    private static final Kind UPDATE = new Kind(
            MoveStatements.of(
                    ITEMS + String.format(Locale.ROOT, UPDATE_EACH, PostgresSql.AT, "", CONDITION, PostgresSql.KEPT)),
            MoveStatements.of(PLACED_ITEMS
                    + String.format(Locale.ROOT, UPDATE_EACH, PostgresSql.AT, PLACE, CONDITION, PostgresSql.KEPT)));

    private static final Kind DELETE =
            new Kind(MoveStatements.of(ITEMS + DELETE_EACH), MoveStatements.of(PLACED_ITEMS + DELETE_EACH));

    private static final String INDEXED =
            "SELECT " + PostgresSql.IS_READ_COMMITTED + ", " + PostgresSql.BY_INDEX + "; ";

    private static final String STATUSES =
            "SELECT id, " + Rows.STATUS + " FROM semel_record WHERE id = ANY(?::bytea[])";

    /** A statement without events, with one for each change at most, and with more. */
    private record MoveStatements(String silent, String audited, String further) {
        private static final String RESULT = " SELECT w.n, pg_current_xact_id()::text FROM w";

        static MoveStatements of(String each) {
            String template = PostgresSql.COMMON + each;
            String told = String.format(
                    Locale.ROOT, template, PostgresSql.EVENT_ARRAYS, PostgresSql.EVENT_NAMES, PostgresSql.EVENT_NAMES);
            return new MoveStatements(
                    String.format(Locale.ROOT, template, "", "", "") + RESULT,
                    told + ", a AS (" + PostgresSql.WRITE_EVENTS + ")" + RESULT,
                    told + FURTHER_EVENTS + RESULT);
        }
    }

    /** @param placed for a batch in which something becomes of places in the line */
    private record Kind(MoveStatements plain, MoveStatements placed) {}

    private record NumberedMove(int place, Move move) {}

    private record Further(int item, AuditEntry event) {}

    /** @param xid the transaction in which they were applied; null when none was */
    record MovesResult(List<Moved> moved, @Nullable String xid) {}

    private final Connection connection;
    private final @Nullable Long now;
    private final boolean indexed;
    private final @Nullable String number;
    private @Nullable String xid;

    private PostgresMoves(Connection connection, @Nullable Long now, boolean indexed, @Nullable String number) {
        this.connection = connection;
        this.now = now;
        this.indexed = indexed;
        this.number = number;
    }

    /** In a transaction of the ledger's own: the planner may use only indexes in the rest of it. */
    static PostgresMoves alone(Connection connection, @Nullable Long now) {
        return new PostgresMoves(connection, now, true, null);
    }

    /**
     * In a transaction with a handler or caller.
     *
     * @param number which it must be, see {@link PostgresSameTransaction}; null when that is not known
     */
    static PostgresMoves in(Connection connection, @Nullable Long now, @Nullable String number) {
        return new PostgresMoves(connection, now, false, number);
    }

    MovesResult apply(List<Move> batch) throws SQLException {
        List<NumberedMove> items = IntStream.range(0, batch.size())
                .mapToObj(i -> new NumberedMove(i, batch.get(i)))
                .sorted(Comparator.comparing(item -> item.move.id()))
                .toList();
        Moved[] answers = new Moved[batch.size()];
        write(UPDATE, items.stream().filter(item -> item.move.to() != null).toList(), answers);
        write(DELETE, items.stream().filter(item -> item.move.to() == null).toList(), answers);
        List<NumberedMove> rest =
                items.stream().filter(item -> answers[item.place] == null).toList();
        if (!rest.isEmpty()) {
            Map<RecordId, Status> found = statuses(rest);
            rest.forEach(
                    item -> answers[item.place] = ReservationRule.notApplied(item.move, found.get(item.move.id())));
        }
        return new MovesResult(Arrays.asList(answers), xid);
    }

    /** One change, provided that the caller's transaction has written something; nothing when it has not. */
    Optional<Moved> applyIfWritten(Move move) throws SQLException {
        PostgresSingleMove.IfWritten written = new PostgresSingleMove(connection, now, move).applyIfWritten(number);
        if (written.xid() != null) {
            xid = written.xid();
            return Optional.of(new Moved.Applied());
        }
        if (!written.written()) {
            return Optional.empty();
        }
        Status found = statuses(List.of(new NumberedMove(0, move))).get(move.id());
        return Optional.of(ReservationRule.notApplied(move, found));
    }

    private void write(Kind kind, List<NumberedMove> sorted, Moved[] answers) throws SQLException {
        if (sorted.isEmpty()) {
            return;
        }
        NumberedMove only = sorted.size() == 1 ? sorted.get(0) : null;
        if (only != null && PostgresSingleMove.fits(only.move)) {
            writeOne(only, answers);
            return;
        }
        List<Move> moves = sorted.stream().map(NumberedMove::move).toList();
        if (kind == UPDATE && PostgresUniformMoves.areAlike(moves)) {
            writeAlike(moves, sorted, answers);
            return;
        }
        boolean placed = sorted.stream().anyMatch(item -> item.move.change().place() != null);
        List<NumberedMove> items = placed
                ? sorted.stream()
                        .sorted(Comparator.comparingInt(NumberedMove::place))
                        .toList()
                : sorted;
        List<Long> lanes =
                PostgresLanes.lanes(items.stream().map(NumberedMove::move).toList());
        PostgresEvents events = PostgresEvents.of(items, item -> item.move.event());
        MoveStatements sql = placed ? kind.placed : kind.plain;
        List<Further> further = further(items);
        String whole = before()
                + (lanes.isEmpty() ? "" : PostgresLanes.LOCK + "; ")
                + (events.isEmpty() ? sql.silent : further.isEmpty() ? sql.audited : sql.further)
                + (lanes.isEmpty() ? "" : "; " + PostgresLanes.PROMOTE)
                + behind();
        try (PreparedStatement statement = connection.prepareStatement(whole)) {
            PostgresBinder binder = bindBefore(statement);
            bindLanes(binder, lanes);
            binder.number(now);
            bind(binder, items);
            if (placed) {
                binder.ints(items, item -> PostgresLanes.then(item.move.change().place()));
            }
            if (!events.isEmpty()) {
                events.bind(binder);
            }
            if (!further.isEmpty()) {
                binder.ints(further, Further::item);
                PostgresEvents.of(further, Further::event).bind(binder);
            }
            bindLanes(binder, lanes);
            statement.execute();
            for (int before = lanes.isEmpty() ? 1 : 2; before > 0; before--) {
                statement.getMoreResults();
            }
            applied(statement, items, answers);
        }
    }

    /** The events of the changes but the first of each. */
    private static List<Further> further(List<NumberedMove> items) {
        List<Further> further = new ArrayList<>();
        for (int i = 0; i < items.size(); i++) {
            List<AuditEntry> events = items.get(i).move.events();
            for (AuditEntry event : events.subList(Math.min(1, events.size()), events.size())) {
                further.add(new Further(i, event));
            }
        }
        return further;
    }

    private String before() {
        return indexed ? INDEXED : PostgresSameTransaction.AND_WAIT;
    }

    private PostgresBinder bindBefore(PreparedStatement statement) throws SQLException {
        return indexed ? new PostgresBinder(statement) : new PostgresBinder(statement).text(number);
    }

    private String behind() {
        return indexed ? "" : PostgresSql.WAIT_AS_BEFORE;
    }

    private void writeOne(NumberedMove only, Moved[] answers) throws SQLException {
        PostgresSingleMove one = new PostgresSingleMove(connection, now, only.move);
        String writtenIn = indexed ? one.apply() : one.applyIn(number);
        if (writtenIn != null) {
            answers[only.place] = new Moved.Applied();
            xid = writtenIn;
        }
    }

    /** As {@link #write}, for those that have almost everything in common. */
    private void writeAlike(List<Move> moves, List<NumberedMove> items, Moved[] answers) throws SQLException {
        boolean silent = moves.get(0).event() == null;
        String whole = before() + (silent ? PostgresUniformMoves.SILENT : PostgresUniformMoves.AUDITED) + behind();
        try (PreparedStatement statement = connection.prepareStatement(whole)) {
            PostgresUniformMoves.bind(bindBefore(statement), now, moves);
            statement.execute();
            statement.getMoreResults();
            applied(statement, items, answers);
        }
    }

    private void applied(PreparedStatement statement, List<NumberedMove> items, Moved[] answers) throws SQLException {
        try (ResultSet written = statement.getResultSet()) {
            while (written.next()) {
                answers[items.get(written.getInt(1)).place] = new Moved.Applied();
                xid = written.getString(2);
            }
        }
    }

    private static void bindLanes(PostgresBinder binder, List<Long> lanes) throws SQLException {
        if (!lanes.isEmpty()) {
            binder.longs(lanes, lane -> lane);
        }
    }

    private static void bind(PostgresBinder binder, List<NumberedMove> items) throws SQLException {
        List<Integer> places = IntStream.range(0, items.size()).boxed().toList();
        binder.ints(places, place -> place)
                .bytes(items, item -> item.move.id().bytes())
                .longs(items, item -> item.move.fence())
                .ints(items, item -> origins(item.move))
                .ints(items, item -> item.move.change().onlyIfOver() ? 1 : 0)
                .ints(items, item -> target(item.move.to()))
                .longs(items, item -> item.move.change().delayMillis())
                .longs(items, item -> item.move.change().keepMillis())
                .ints(items, item -> item.move.change().attempt())
                .bytes(items, item -> item.move.change().result())
                .bytes(items, item -> item.move.change().failure());
    }

    private Map<RecordId, Status> statuses(List<NumberedMove> items) throws SQLException {
        Map<RecordId, Status> statuses = new HashMap<>();
        try (PreparedStatement statement = connection.prepareStatement(STATUSES)) {
            new PostgresBinder(statement).bytes(items, item -> item.move.id().bytes());
            try (ResultSet found = statement.executeQuery()) {
                while (found.next()) {
                    statuses.put(Rows.id(found, 1), Rows.status(found, 2));
                }
            }
        }
        return statuses;
    }

    static int origins(Move move) {
        int mask = 0;
        for (State state : move.from()) {
            mask |= 1 << state.code();
        }
        return mask;
    }

    static int target(@Nullable State to) {
        return to == null ? -1 : to.code();
    }
}
