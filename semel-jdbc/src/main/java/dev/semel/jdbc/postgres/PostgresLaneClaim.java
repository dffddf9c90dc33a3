package dev.semel.jdbc.postgres;

import dev.semel.jdbc.shared.Rows;
import dev.semel.key.RecordId;
import dev.semel.store.Claim;
import dev.semel.store.LanePlan;
import dev.semel.store.Line;
import dev.semel.store.Row;
import dev.semel.store.State;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Grants of records in lanes, in one transaction: the lanes that have something to do are found; those whose locks are free
 * are read, as they stand under the lock; what is to be done in each is planned; and all of it is written by one statement.
 */
final class PostgresLaneClaim {
    /** Each takes an entry in the server's lock table, which all sessions share. */
    static final int MOST_LANES = 256;

    /** Locked together, as long as there is room, so that concurrent claims find different ones. */
    private static final int LANES_AT_ONCE = 64;

    /**
     * A lane that has more gets at least this many even when many lanes wait: a run costs less than its records one by one.
     */
    private static final int SHORTEST_RUN = 8;

    private static final String FIND = PostgresUnorderedClaim.LOCK_MODES
            + String.format(
                    Locale.ROOT,
                    "WITH c AS MATERIALIZED (SELECT %2$s AS now, m.modes_version FROM %3$s)" + PostgresTenants.SHARES
                            + """
            SELECT c.now, c.modes_version, e.each, y.tenant, y.lane, y.id, y.turn, y.at FROM c CROSS JOIN e LEFT JOIN (
                SELECT t.n, t.tenant, x.* FROM t CROSS JOIN LATERAL (
                    SELECT z.* FROM (
                        (SELECT r.lane, r.id, r.turn, r.at FROM semel_record r
                        WHERE r.operation = (SELECT operation FROM p) AND r.tenant = t.tenant AND %1$s AND r.state = 0
                            AND r.at >= t.floor AND r.at <= (SELECT now FROM c)
                        ORDER BY r.at LIMIT (SELECT each FROM e))
                        UNION ALL
                        (SELECT r.lane, r.id, r.turn, r.at FROM semel_record r
                        WHERE r.operation = (SELECT operation FROM p) AND r.tenant = t.tenant AND %1$s AND r.state = 3
                            AND r.at <= (SELECT now FROM c)
                        ORDER BY r.at LIMIT (SELECT least(each, retries) FROM e, p))) AS z
                    ORDER BY z.at LIMIT (SELECT each FROM e)) AS x
                ORDER BY t.n, x.at LIMIT (SELECT most FROM p)) AS y ON true
            ORDER BY y.n, y.at""",
                    PostgresTenants.LANES,
                    PostgresSql.NOW,
                    PostgresSql.META);

    private static final String MEMBER = "r.id, r.turn, r.state, r.attempt, r.at, r.fence, r.place";

    /**
     * From here on nothing waits: a lane with a row that another transaction has locked is skipped ({@link Blocked}).
     * The second statement's snapshot is taken under the locks. The head is searched from the end, and the waiting
     * ones from the head on: before them the index has only finished entries.
     */
    private static final String HOLD =
            String.format(Locale.ROOT, """
            SELECT l.lane FROM (SELECT set_config('lock_timeout', '20', true) OFFSET 0) AS w, unnest(?::bigint[]) AS l(lane)
            WHERE pg_try_advisory_xact_lock%1$s;
            SELECT l.lane, x.* FROM unnest(?::bigint[]) AS l(lane)
            LEFT JOIN LATERAL (
                SELECT %2$s FROM semel_record r WHERE r.lane = l.lane AND r.turn = 1
                ORDER BY r.place DESC LIMIT 1) AS h ON true
            CROSS JOIN LATERAL (
                SELECT h.* WHERE h.id IS NOT NULL
                UNION ALL
                (SELECT %2$s FROM semel_record r WHERE r.lane = l.lane AND r.turn = 2 AND r.place > coalesce(h.place, 0)
                ORDER BY r.place LIMIT ?)
                UNION ALL
                (SELECT %2$s FROM semel_record r WHERE r.lane = l.lane AND r.turn = 3 ORDER BY r.place LIMIT ?)) AS x
            UNION ALL
            SELECT r.lane, %2$s FROM %3$s WHERE r.turn = 4 AND r.state IN (0, 3)""", PostgresLanes.LOCK_ARGUMENTS, MEMBER, PostgresSql.EACH_BY_ID);

    /**
     * Places and fences are drawn in the order given, which is that of each lane: a receiver refuses a fence that is lower
     * than the last one of the lane. Rows are written in the order of ids, and only those that are as they were read:
     * by differences, because an index of states and times is not the one to find them by.
     */
    private static final String WRITE = PostgresSql.COMMON
            + String.format(Locale.ROOT, """
            , i AS MATERIALIZED (
                SELECT * FROM (
                    SELECT i.*, CASE WHEN i.turn >= 0 THEN nextval('semel_place') END AS place,
                        CASE WHEN i.granted = 1 THEN nextval('semel_fence') END AS counter
                    FROM unnest(?::int[], ?::bytea[], ?::int[], ?::int[], ?::bigint[], ?::int[], ?::bigint[])
                        AS i(n, id, turn, granted, fence, state, at)) AS i
                ORDER BY id)
            , w AS (
                UPDATE semel_record r SET turn = CASE WHEN i.turn >= 0 THEN i.turn ELSE r.turn END,
                    place = coalesce(i.place, r.place),
                    state = CASE WHEN i.granted = 1 THEN 1 ELSE r.state END,
                    fence = CASE WHEN i.granted = 1 THEN c.high | i.counter ELSE r.fence END,
                    keep = CASE WHEN i.granted = 0 THEN r.keep WHEN r.state = 1 THEN 1 END,
                    result = CASE WHEN i.granted = 0 THEN r.result END,
                    at = CASE WHEN i.granted = 1 THEN c.now + least(?::bigint, 9223372036854775807 - c.now) ELSE r.at END,
                    owner = CASE WHEN i.granted = 1 THEN ? ELSE r.owner END
                FROM i, c WHERE r.id = i.id AND r.fence = i.fence AND r.state - i.state = 0 AND r.at - i.at = 0
                RETURNING i.n, i.granted, %s)
            SELECT (SELECT count(*) FROM w), w.* FROM c LEFT JOIN w ON w.granted = 1 ORDER BY w.n""", Rows.withoutLargePayload("r.", "octet_length", "?::int"));

    private static final String LOCKED = "SELECT " + PostgresSql.BY_INDEX + "; " + """
            SELECT l.lane FROM unnest(?::bigint[], ?::bytea[]) AS l(lane, id) LEFT JOIN LATERAL (
                SELECT r.id FROM semel_record r WHERE r.id = l.id FOR NO KEY UPDATE SKIP LOCKED) AS k ON true
            WHERE k.id IS NULL""";

    /** The work left for another claim. */
    enum Rest {
        NOTHING,
        /** Only lanes that somebody else holds. */
        HELD,
        /** There was more than was granted, or something was placed. */
        MORE
    }

    /**
     * @param last the last tenant looked at, if any
     */
    record LaneGrants(
            boolean modesChanged,
            List<Row> rows,
            Rest rest,
            @Nullable String last,
            List<PostgresTenants.Tenant> floors,
            int retries) {}

    private record Member(LanePlan.LaneRecord planned, int turn, long fence, long place) {
        RecordId id() {
            return planned.id();
        }

        State state() {
            return planned.state();
        }

        long at() {
            return planned.at();
        }
    }

    /** @param turn the one it takes, or -1 if it stays where it is */
    private record LaneChange(long lane, Member member, int turn, boolean granted) {}

    /** A row that was to be written is locked by somebody else. */
    static final class Blocked extends SQLException {
        private static final long serialVersionUID = 1;
        private final transient List<LaneChange> items;

        Blocked(SQLException cause, List<LaneChange> items) {
            super(cause.getMessage(), cause.getSQLState(), cause);
            this.items = List.copyOf(items);
        }

        /** The lanes of rows that are still locked. */
        Set<Long> lanes(Connection connection) throws SQLException {
            Set<Long> lanes = new HashSet<>();
            try (PreparedStatement statement = connection.prepareStatement(LOCKED)) {
                new PostgresBinder(statement)
                        .longs(items, LaneChange::lane)
                        .bytes(items, item -> item.member.id().bytes());
                try (ResultSet found = PostgresLedger.second(statement)) {
                    while (found.next()) {
                        lanes.add(found.getLong(1));
                    }
                }
            }
            return lanes;
        }
    }

    private static final class Lane {
        private final List<Member> standing = new ArrayList<>();
        private final List<Member> arrived = new ArrayList<>();
        private final List<Member> later = new ArrayList<>();
    }

    /** The records found before anything is locked. */
    private static final class Sighted {
        private final Set<Long> lanes = new LinkedHashSet<>();
        private final List<RecordId> later = new ArrayList<>();
        private final PostgresTenants.Floors floors;
        private long now;
        private boolean modesChanged;
        private boolean more;
        private @Nullable String last;

        Sighted(PostgresTenants.Share share) {
            this.floors = new PostgresTenants.Floors(share);
        }
    }

    private final Connection connection;
    private final @Nullable Long now;
    private final Claim claim;
    private int takeovers;

    /** @param takeovers at most so many are taken over from others */
    PostgresLaneClaim(Connection connection, @Nullable Long now, Claim claim, int takeovers) {
        this.connection = connection;
        this.now = now;
        this.claim = claim;
        this.takeovers = takeovers;
    }

    /** How many more may be taken over. */
    int takeovers() {
        return takeovers;
    }

    /**
     * @param over lanes at whose head a lease is over
     * @param except lanes that are to be left alone
     * @throws Blocked when a row of a lane is locked by somebody else; nothing may be kept
     */
    LaneGrants grant(PostgresTenants.Share share, List<Long> over, Set<Long> except) throws SQLException {
        Sighted sighted = find(share, over);
        sighted.lanes.removeAll(except);
        if (sighted.modesChanged || sighted.lanes.isEmpty()) {
            return new LaneGrants(
                    sighted.modesChanged, List.of(), Rest.NOTHING, sighted.last, sighted.floors.tenants(), 0);
        }
        List<Long> numbers = List.copyOf(sighted.lanes);
        int even = share.most() / numbers.size();
        int run = Math.max(1, Math.min(claim.amount().run(), Math.max(SHORTEST_RUN, even)));
        int arrivals = Math.max(SHORTEST_RUN, Math.max(run, even));
        boolean more = sighted.more;
        List<LaneChange> items = new ArrayList<>();
        int open = share.most();
        int affordable = share.retries();
        int locked = 0;
        boolean held = false;
        for (int from = 0; from < numbers.size(); from += LANES_AT_ONCE) {
            if (open == 0 || locked >= MOST_LANES) {
                more = true;
                break;
            }
            List<Long> some = numbers.subList(from, Math.min(numbers.size(), from + LANES_AT_ONCE));
            Map<Long, Lane> lanes = hold(some, sighted, run, arrivals);
            locked += lanes.size();
            held |= lanes.size() < some.size();
            for (Map.Entry<Long, Lane> lane : lanes.entrySet()) {
                List<LaneChange> planned = open == 0
                        ? List.of()
                        : plan(lane.getKey(), lane.getValue(), Math.min(run, open), affordable, sighted.now);
                open -= (int) planned.stream().filter(LaneChange::granted).count();
                affordable -= retries(planned);
                more |= open == 0 || planned.stream().anyMatch(item -> item.turn >= 0);
                items.addAll(planned);
            }
        }
        List<Row> rows = items.isEmpty() ? List.of() : write(items);
        if (rows == null) {
            connection.rollback();
            return new LaneGrants(false, List.of(), Rest.MORE, sighted.last, share.tenants(), 0);
        }
        Rest rest = more ? Rest.MORE : held ? Rest.HELD : Rest.NOTHING;
        return new LaneGrants(false, rows, rest, sighted.last, sighted.floors.tenants(), retries(items));
    }

    private static int retries(List<LaneChange> items) {
        return (int) items.stream()
                .filter(item -> item.granted && item.member.state() == State.FAILED_RETRYABLE)
                .count();
    }

    private Sighted find(PostgresTenants.Share share, List<Long> over) throws SQLException {
        Sighted sighted = new Sighted(share);
        sighted.lanes.addAll(over);
        try (PreparedStatement statement = connection.prepareStatement(FIND)) {
            PostgresTenants.bind(new PostgresBinder(statement).number(now), claim, share);
            try (ResultSet found = PostgresLedger.second(statement)) {
                read(found, sighted);
            }
        }
        return sighted;
    }

    private void read(ResultSet found, Sighted sighted) throws SQLException {
        int ofTenant = 0;
        String before = "";
        while (found.next()) {
            sighted.now = found.getLong(1);
            sighted.modesChanged = found.getLong(2) != claim.modesVersion();
            String tenant = found.getString(4);
            if (tenant == null) {
                continue;
            }
            sighted.floors.seen(tenant, found.getLong(8));
            ofTenant = tenant.equals(before) ? ofTenant + 1 : 1;
            before = tenant;
            sighted.more |= ofTenant == found.getInt(3);
            long lane = found.getLong(5);
            sighted.last = tenant;
            sighted.lanes.add(lane);
            if (found.getInt(7) == Line.Turn.LATER.code()) {
                sighted.later.add(Rows.id(found, 6));
            }
        }
    }

    /** The lanes that could be locked, in the order in which they were found, as they stand. */
    private Map<Long, Lane> hold(List<Long> numbers, Sighted sighted, int run, int arrivals) throws SQLException {
        Map<Long, Lane> lanes = new LinkedHashMap<>();
        try (PreparedStatement statement = connection.prepareStatement(HOLD)) {
            new PostgresBinder(statement)
                    .longs(numbers, lane -> lane)
                    .longs(numbers, lane -> lane)
                    .number((long) run)
                    .number((long) arrivals)
                    .bytes(sighted.later, RecordId::bytes);
            statement.execute();
            Set<Long> held = new HashSet<>();
            try (ResultSet locked = statement.getResultSet()) {
                while (locked.next()) {
                    held.add(locked.getLong(1));
                }
            }
            numbers.stream().filter(held::contains).forEach(number -> lanes.put(number, new Lane()));
            statement.getMoreResults();
            try (ResultSet found = statement.getResultSet()) {
                while (found.next()) {
                    Lane lane = lanes.get(found.getLong(1));
                    if (lane != null) {
                        add(lane, member(found));
                    }
                }
            }
        }
        for (Lane lane : lanes.values()) {
            lane.standing.sort(Comparator.comparingLong(Member::place));
            lane.arrived.sort(Comparator.comparingLong(Member::place));
            lane.later.sort(Comparator.comparingLong(Member::at).thenComparingLong(Member::place));
            lane.arrived.addAll(lane.later);
        }
        return lanes;
    }

    private static void add(Lane lane, Member member) {
        switch (Line.Turn.of(member.turn)) {
            case ARRIVED -> lane.arrived.add(member);
            case LATER -> lane.later.add(member);
            default -> lane.standing.add(member);
        }
    }

    private static Member member(ResultSet found) throws SQLException {
        LanePlan.LaneRecord planned = new LanePlan.LaneRecord(
                Rows.id(found, 2), State.of(found.getInt(4)), found.getInt(5), found.getLong(6));
        return new Member(planned, found.getInt(3), found.getLong(7), found.getLong(8));
    }

    private List<LaneChange> plan(long number, Lane lane, int run, int retries, long at) {
        List<LanePlan.LaneRecord> standing =
                lane.standing.stream().map(Member::planned).toList();
        List<LanePlan.LaneRecord> arrived =
                lane.arrived.stream().map(Member::planned).toList();
        int affordable = LanePlan.affordable(standing, arrived, run, retries);
        LanePlan plan = LanePlan.of(standing, arrived, claim.grant(), affordable, takeovers, at);
        Map<RecordId, Integer> turns = new HashMap<>();
        plan.placed().forEach(placed -> turns.put(placed.id(), placed.turn().code()));
        Set<RecordId> granted = new HashSet<>(plan.granted());
        List<LaneChange> items = new ArrayList<>();
        List<Member> all = new ArrayList<>(lane.standing);
        all.addAll(lane.arrived);
        for (Member member : all) {
            int turn = turns.getOrDefault(member.id(), -1);
            takeovers -= granted.contains(member.id()) && member.state() == State.IN_PROGRESS ? 1 : 0;
            if (turn >= 0 || granted.contains(member.id())) {
                items.add(new LaneChange(number, member, turn, granted.contains(member.id())));
            }
        }
        return items;
    }

    /** The rows granted; null if one was no longer as it was read, so that nothing may be kept. */
    private @Nullable List<Row> write(List<LaneChange> items) throws SQLException {
        List<Integer> places = IntStream.range(0, items.size()).boxed().toList();
        List<Row> rows = new ArrayList<>();
        List<Row> takenOver = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(WRITE)) {
            new PostgresBinder(statement)
                    .number(now)
                    .ints(places, place -> place)
                    .bytes(items, item -> item.member.id().bytes())
                    .ints(items, LaneChange::turn)
                    .ints(items, item -> item.granted ? 1 : 0)
                    .longs(items, item -> item.member.fence)
                    .ints(items, item -> item.member.state().code())
                    .longs(items, item -> item.member.at())
                    .number(claim.grant().leaseMillis())
                    .number(claim.grant().owner())
                    .number((long) claim.amount().inline());
            try (ResultSet written = statement.executeQuery()) {
                while (written.next()) {
                    if (written.getInt(1) != items.size()) {
                        return null;
                    }
                    int n = written.getInt(2);
                    if (!written.wasNull()) {
                        Row row = Rows.claimed(written, 4);
                        rows.add(row);
                        if (items.get(n).member.state() == State.IN_PROGRESS) {
                            takenOver.add(row);
                        }
                    }
                }
            }
        } catch (SQLException e) {
            throw PostgresErrors.locked(e) ? new Blocked(e, items) : e;
        }
        new PostgresUnorderedClaim(connection, now, claim).writeTakenOver(takenOver);
        return rows;
    }
}
