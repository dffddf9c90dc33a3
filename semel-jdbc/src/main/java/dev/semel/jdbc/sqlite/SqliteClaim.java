package dev.semel.jdbc.sqlite;

import dev.semel.jdbc.shared.Rows;
import dev.semel.key.RecordId;
import dev.semel.store.Claim;
import dev.semel.store.Claimed;
import dev.semel.store.LanePlan;
import dev.semel.store.Line;
import dev.semel.store.Row;
import dev.semel.store.State;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One claim, inside a write transaction. It looks for what can begin, in few columns; plans each lane once; and grants all of it
 * by one statement, which also reads the rows.
 */
final class SqliteClaim {
    /** The records that a claim can start with. In this form the index of due records answers it. */
    static final String CLAIMABLE = "turn IN (0, 1, 4) AND state IN (0, 3) AND operation = ?1";

    private static final String CANDIDATE = "SELECT n, id, state, attempt, at, turn, lane, tenant FROM semel_record";
    static final String DUE =
            CANDIDATE + " WHERE " + CLAIMABLE + " AND tenant = ?2 AND state = ?3 AND at <= ?4 ORDER BY at, n LIMIT ?5";
    static final String IN_LANE = CANDIDATE + " WHERE lane = ? AND " + SqliteLanes.STANDING + " ORDER BY place LIMIT ?";
    // Those behind the head of their lane are taken over with it.
    static final String OVER =
            CANDIDATE + " WHERE state = 1 AND at <= ? AND operation = ? AND turn IN (0, 1) AND attempt < ? ORDER BY at";

    private static final String PLACE = "UPDATE semel_record SET turn = ?, place = ? WHERE n = ?";
    // What was running is marked as taken over.
    static final String GRANT = String.format(Locale.ROOT, """
            UPDATE semel_record
            SET state = 1, fence = ?1 + granted.key, at = ?2, keep = CASE WHEN state = 1 THEN 1 ELSE 0 END, owner = ?3
            FROM json_each(?4) AS granted WHERE n = granted.value
            RETURNING n, %s""", Rows.withoutLargePayload("", "length", "?5"));

    /**
     * A record that may be granted.
     *
     * @param n the number of its row
     * @param lane absent when it follows nobody
     */
    record Candidate(
            long n,
            LanePlan.LaneRecord member,
            int turn,
            @Nullable Long lane) {
        static Candidate read(ResultSet row) throws SQLException {
            long number = row.getLong(7);
            Long lane = row.wasNull() ? null : number;
            LanePlan.LaneRecord member =
                    new LanePlan.LaneRecord(Rows.id(row, 2), State.of(row.getInt(3)), row.getInt(4), row.getLong(5));
            return new Candidate(row.getLong(1), member, row.getInt(6), lane);
        }

        boolean comesLater() {
            return turn == Line.Turn.LATER.code();
        }
    }

    private final SqliteWriteConnection db;
    private final SqliteSession session;
    private final Claim claim;
    private final long now;
    private final List<Candidate> granted = new ArrayList<>();
    private final Set<Long> lanes = new HashSet<>();
    private String last;
    private boolean more;
    private int retries;
    private int takeovers;

    SqliteClaim(SqliteWriteConnection db, Claim claim, long now) {
        this.db = db;
        this.session = db.session();
        this.claim = claim;
        this.now = now;
        this.last = claim.turns().after();
        this.takeovers = claim.amount().takeovers();
    }

    Claimed run(SqliteClaimPreview preview) throws SQLException {
        if (claim.modesVersion() != db.modes()) {
            return new Claimed(List.of(), false, last, true);
        }
        SqliteBudget budget = new SqliteBudget(session, claim);
        int before = budget.left(now);
        retries = before;
        more = preview.more();
        if (preview.over()) {
            begin(over(session, claim, now, Math.min(room(), takeovers)));
        }
        int each = share(preview.tenants().size());
        for (String tenant : preview.tenants()) {
            if (room() <= 0) {
                more = true;
                break;
            }
            List<Candidate> due = due(tenant, each);
            last = tenant;
            more |= due.size() == each;
            begin(due);
        }
        budget.spend(before - retries, now);
        return new Claimed(granted.isEmpty() ? List.of() : grant(), more, last, false);
    }

    private int room() {
        return claim.amount().records() - granted.size();
    }

    private int share(int tenants) {
        return tenants == 0 ? 0 : Math.max(1, (room() + tenants - 1) / tenants);
    }

    /** Granted by a claim before, and the lease is over: longest first. */
    static List<Candidate> over(SqliteSession session, Claim claim, long now, int limit) throws SQLException {
        List<Candidate> over = new ArrayList<>();
        session.first(
                OVER,
                statement -> {
                    statement.setLong(1, now);
                    statement.setString(2, claim.operation());
                    statement.setInt(3, claim.grant().maxAttempts());
                },
                row -> {
                    do {
                        if (claim.turns().includes(row.getString(8))) {
                            over.add(Candidate.read(row));
                        }
                    } while (over.size() < limit && row.next());
                    return true;
                });
        return over;
    }

    /** Longest due first. */
    private List<Candidate> due(String tenant, int limit) throws SQLException {
        List<Candidate> due = due(tenant, State.QUEUED, limit);
        List<Candidate> failed =
                retries <= 0 ? List.of() : due(tenant, State.FAILED_RETRYABLE, Math.min(limit, retries));
        if (failed.isEmpty()) {
            return due;
        }
        due.addAll(failed);
        due.sort(Comparator.comparingLong(each -> each.member().at()));
        return due.subList(0, Math.min(limit, due.size()));
    }

    private List<Candidate> due(String tenant, State state, int limit) throws SQLException {
        return session.all(
                DUE,
                statement -> {
                    statement.setString(1, claim.operation());
                    statement.setString(2, tenant);
                    statement.setInt(3, state.code());
                    statement.setLong(4, now);
                    statement.setInt(5, limit);
                },
                Candidate::read);
    }

    private void begin(List<Candidate> found) throws SQLException {
        Map<Long, List<Candidate>> arrivals = found.stream()
                .filter(Candidate::comesLater)
                .collect(Collectors.groupingBy(each -> Objects.requireNonNull(each.lane())));
        for (Candidate each : found) {
            if (room() <= 0) {
                more = true;
                return;
            }
            Long lane = each.lane();
            if (lane == null) {
                take(each);
            } else if (lanes.add(lane)) {
                take(lane, arrivals.getOrDefault(lane, List.of()));
            }
        }
    }

    private void take(Candidate candidate) {
        granted.add(candidate);
        retries -= candidate.member().state() == State.FAILED_RETRYABLE ? 1 : 0;
        takeovers -= candidate.member().state() == State.IN_PROGRESS ? 1 : 0;
    }

    /** @param arrivals whose time has come to take their place */
    private void take(long lane, List<Candidate> arrivals) throws SQLException {
        int run = Math.min(claim.amount().run(), room());
        List<Candidate> standing = session.all(
                IN_LANE,
                statement -> {
                    statement.setLong(1, lane);
                    statement.setInt(2, run);
                },
                Candidate::read);
        int affordable = LanePlan.affordable(members(standing), members(arrivals), run, retries);
        LanePlan plan = LanePlan.of(members(standing), members(arrivals), claim.grant(), affordable, takeovers, now);
        Map<RecordId, Candidate> known = new HashMap<>();
        standing.forEach(each -> known.put(each.member().id(), each));
        arrivals.forEach(each -> known.put(each.member().id(), each));
        for (LanePlan.Placed placed : plan.placed()) {
            place(Objects.requireNonNull(known.get(placed.id())), placed.turn());
            more = true;
        }
        plan.granted().forEach(id -> take(Objects.requireNonNull(known.get(id))));
    }

    private static List<LanePlan.LaneRecord> members(List<Candidate> candidates) {
        return candidates.stream().map(Candidate::member).toList();
    }

    private void place(Candidate arrival, Line.Turn turn) throws SQLException {
        long place = db.nextFence();
        session.update(PLACE, statement -> {
            statement.setInt(1, turn.code());
            statement.setLong(2, place);
            statement.setLong(3, arrival.n());
        });
    }

    private List<Row> grant() throws SQLException {
        long fences = db.nextFences(granted.size());
        String numbers =
                granted.stream().map(each -> String.valueOf(each.n())).collect(Collectors.joining(",", "[", "]"));
        Map<Long, Row> changed = new HashMap<>();
        session.all(
                GRANT,
                statement -> {
                    statement.setLong(1, fences);
                    statement.setLong(2, SqliteRecords.after(now, claim.grant().leaseMillis()));
                    statement.setLong(3, claim.grant().owner());
                    statement.setString(4, numbers);
                    statement.setInt(5, claim.amount().inline());
                },
                row -> changed.put(row.getLong(1), Rows.claimed(row, 2)));
        List<Row> rows = new ArrayList<>(granted.size());
        for (Candidate each : granted) {
            Row row = Objects.requireNonNull(changed.get(each.n()));
            if (each.member().state() == State.IN_PROGRESS) {
                db.records()
                        .append(
                                claim.takenOver().apply(row),
                                row.status().fence(),
                                row.status().attempt());
            }
            rows.add(row);
        }
        return rows;
    }
}
