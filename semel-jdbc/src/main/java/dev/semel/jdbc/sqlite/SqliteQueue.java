package dev.semel.jdbc.sqlite;

import dev.semel.jdbc.shared.BatchParts;
import dev.semel.jdbc.shared.Rows;
import dev.semel.store.Arrival;
import dev.semel.store.Claim;
import dev.semel.store.Claimed;
import dev.semel.store.Enqueued;
import dev.semel.store.Queue;
import dev.semel.store.Row;
import dev.semel.store.Status;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** A claim looks beside the writer first: one that finds nothing costs no commit. */
final class SqliteQueue implements Queue {
    private static final String WAITING = """
            SELECT count(*), min(CASE WHEN at <= ?2 THEN at END) FROM (SELECT at FROM semel_record
                WHERE state IN (0, 3) AND operation = ?1 AND place IS NOT NULL LIMIT ?3)""";
    private static final String PARKED = """
            SELECT count(*) FROM (SELECT 1 FROM semel_record
                WHERE turn = 1 AND state IN (4, 5) AND operation = ? LIMIT ?)""";
    private static final String HEAD = "SELECT " + Rows.WITH_LINE + " FROM semel_record WHERE lane = ? AND "
            + SqliteLanes.STANDING + " ORDER BY place LIMIT 1";

    private static final String UNKNOWN_HEADS = "SELECT " + Rows.WITH_LINE
            + " FROM semel_record INDEXED BY semel_record_parked"
            + " WHERE turn = 1 AND state IN (4, 5) AND operation = ? AND state = 5 LIMIT ?";

    /** By the index of states: few are in progress at a time. */
    private static final String HELD_BY = "SELECT "
            + Rows.withoutLargePayload("", "length", String.valueOf(Claim.Amount.SMALL))
            + " FROM semel_record INDEXED BY semel_record_at"
            + " WHERE state = 1 AND owner = ? AND operation = ? AND place IS NOT NULL ORDER BY lane, place";

    // From operation to operation through the indexes, independent of the number of waiting records; few are being
    // handled.
    static final String OPERATIONS = String.format(
            Locale.ROOT,
            """
            WITH RECURSIVE due (name) AS (
                SELECT (SELECT min(operation) FROM %1$s)
                UNION ALL
                SELECT (SELECT min(operation) FROM %1$s AND operation > name) FROM due WHERE name IS NOT NULL),
            parked (name) AS (
                SELECT (SELECT min(operation) FROM %2$s)
                UNION ALL
                SELECT (SELECT min(operation) FROM %2$s AND operation > name) FROM parked WHERE name IS NOT NULL)
            SELECT name FROM due WHERE name IS NOT NULL
            UNION SELECT name FROM parked WHERE name IS NOT NULL
            UNION SELECT operation FROM semel_record WHERE state = 1 AND place IS NOT NULL""",
            "semel_record INDEXED BY semel_record_due WHERE turn IN (0, 1, 4) AND state IN (0, 3)",
            "semel_record INDEXED BY semel_record_parked WHERE turn = 1 AND state IN (4, 5)");

    private final SqliteAccess access;

    SqliteQueue(SqliteAccess access) {
        this.access = access;
    }

    @Override
    public List<Enqueued> enqueue(List<Arrival> batch) {
        return access.writeEach(batch, db -> db.records().arrivals()::enqueue, BatchParts::notEnqueued);
    }

    @Override
    public Claimed claim(Claim claim) {
        SqliteClaimPreview preview = access.read(session -> SqliteClaimPreview.of(session, claim, access.now()));
        if (preview.modes() != claim.modesVersion() || preview.nothing()) {
            return new Claimed(List.of(), false, claim.turns().after(), preview.modes() != claim.modesVersion());
        }
        return access.write(db -> new SqliteClaim(db, claim, access.now()).run(preview));
    }

    @Override
    public List<Row> heldBy(String operation, long owner) {
        return access.read(session -> session.all(
                HELD_BY,
                statement -> {
                    statement.setLong(1, owner);
                    statement.setString(2, operation);
                },
                row -> Rows.claimed(row, 1)));
    }

    @Override
    public Optional<Row> head(long lane) {
        return access.read(
                session -> session.first(HEAD, statement -> statement.setLong(1, lane), row -> Rows.withLine(row, 1)));
    }

    @Override
    public List<Row> unknownHeads(String operation, int limit) {
        return access.read(session -> session.all(
                UNKNOWN_HEADS,
                statement -> {
                    statement.setString(1, operation);
                    statement.setInt(2, limit);
                },
                row -> Rows.withLine(row, 1)));
    }

    @Override
    public Backlog backlog(String operation) {
        return access.read(session -> {
            long parked = session.first(
                            PARKED,
                            statement -> {
                                statement.setString(1, operation);
                                statement.setInt(2, Backlog.MOST);
                            },
                            row -> row.getLong(1))
                    .orElse(0L);
            return session.first(
                            WAITING,
                            statement -> {
                                statement.setString(1, operation);
                                statement.setLong(2, access.now());
                                statement.setInt(3, Backlog.MOST);
                            },
                            row -> {
                                long oldest = row.getLong(2);
                                long oldestDue = row.wasNull() ? Status.NEVER : oldest;
                                return new Backlog(row.getLong(1), oldestDue, parked);
                            })
                    .orElseThrow();
        });
    }

    @Override
    public Set<String> operations() {
        return access.read(
                session -> Set.copyOf(session.all(OPERATIONS, SqliteSession.NOTHING, row -> row.getString(1))));
    }
}
