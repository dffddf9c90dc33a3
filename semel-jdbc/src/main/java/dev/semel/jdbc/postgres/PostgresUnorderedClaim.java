package dev.semel.jdbc.postgres;

import dev.semel.jdbc.shared.Rows;
import dev.semel.key.RecordId;
import dev.semel.store.AuditEntry;
import dev.semel.store.Claim;
import dev.semel.store.Row;
import dev.semel.store.State;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Grants of records that follow nobody. They are locked as they are found, so that claims at once find different ones. */
final class PostgresUnorderedClaim {
    static final String LOCK_MODES = "SELECT " + PostgresSql.BY_INDEX + ", " + PostgresSql.SHARE_MODES + "; ";

    /** The columns that a grant writes: two parameters, the lease and the owner. What was running is marked as taken over. */
    static final String GRANTED = "state = 1, fence = c.high | nextval('semel_fence'),"
            + " keep = CASE WHEN r.state = 1 THEN 1 END,"
            + " result = NULL, at = c.now + least(?::bigint, 9223372036854775807 - c.now), owner = ?";

    /** By place on disk: the rows are locked, and one that had moved on when it was locked is left for the next claim. */
    private static final String GRANT = LOCK_MODES
            + PostgresSql.COMMON
            + String.format(Locale.ROOT, PostgresTenants.SHARES + """
            , k AS MATERIALIZED (
                SELECT x.place, x.n, x.at, x.state FROM (
                    SELECT y.*, t.n, row_number() OVER (PARTITION BY y.state ORDER BY t.n, y.at) AS nth
                    FROM c CROSS JOIN t CROSS JOIN LATERAL (
                        SELECT z.* FROM (
                            SELECT * FROM (SELECT r.ctid AS place, r.at, r.state FROM semel_record r
                            WHERE r.operation = (SELECT operation FROM p) AND r.tenant = t.tenant AND %1$s AND r.state = 0
                                AND r.at >= t.floor AND r.at <= c.now
                            ORDER BY r.at LIMIT (SELECT each FROM e) FOR UPDATE SKIP LOCKED) AS f
                            UNION ALL
                            SELECT * FROM (SELECT r.ctid AS place, r.at, r.state FROM semel_record r
                            WHERE r.operation = (SELECT operation FROM p) AND r.tenant = t.tenant AND %1$s AND r.state = 3
                                AND r.at <= c.now
                            ORDER BY r.at LIMIT (SELECT least(each, retries) FROM e, p) FOR UPDATE SKIP LOCKED) AS a) AS z
                        ORDER BY z.at LIMIT (SELECT each FROM e)) AS y
                    WHERE c.modes_version = ?) AS x
                WHERE x.state = 0 OR x.nth <= (SELECT retries FROM p)
                ORDER BY x.n, x.at LIMIT (SELECT most FROM p))
            , w AS (
                UPDATE semel_record r SET %2$s FROM k, c WHERE r.ctid = k.place
                RETURNING k.n, k.at AS due, k.state AS was, %3$s)
            SELECT c.modes_version, e.each, w.* FROM c CROSS JOIN e LEFT JOIN w ON true ORDER BY w.n, w.due""", PostgresTenants.FREE, GRANTED, columns());

    /**
     * Locked as they are found, by all but those that somebody else has locked, and without those whose lane somebody else
     * holds: an owner that is paused must not stop a claim. Parameters at the end: how many to look at, how many to find.
     */
    private static final String FIND_OVER = LOCK_MODES
            + String.format(Locale.ROOT, """
            SELECT m.modes_version, o.id, o.lane FROM %s LEFT JOIN (
                SELECT l.id, l.lane FROM (
                    SELECT r.id, r.lane FROM semel_record r WHERE r.state = 1 AND r.at <= (SELECT %s)
                        AND r.operation = ? AND r.turn IN (0, 1) AND r.attempt < ? AND r.tenant <> ALL(?::text[])
                        AND r.tenant = coalesce(?::text, r.tenant)
                    ORDER BY r.at LIMIT ? FOR NO KEY UPDATE SKIP LOCKED) AS l
                WHERE l.lane IS NULL OR pg_try_advisory_xact_lock%s LIMIT ?) AS o ON true""", PostgresSql.META, PostgresSql.NOW, PostgresLanes.LOCK_ARGUMENTS);

    private static final String TAKE_OVER = PostgresSql.COMMON + String.format(Locale.ROOT, """
            , i AS MATERIALIZED (SELECT id FROM unnest(?::bytea[]) AS i(id) ORDER BY id)
            UPDATE semel_record r SET %s FROM i, c
            WHERE r.id = i.id AND r.state = 1 AND r.at <= c.now AND r.turn = 0 AND r.attempt < ?
            RETURNING %s""", GRANTED, columns());

    /**
     * @param each the part of each tenant
     * @param floors where each tenant's next search may begin
     * @param retries how many of the rows are retries
     */
    record UnorderedGrants(
            boolean modesChanged, List<Row> rows, int each, List<PostgresTenants.Tenant> floors, int retries) {}

    /** Records whose lease expired: the rows granted, and the lanes that have one at their head. */
    record Over(boolean modesChanged, List<Row> rows, List<Long> lanes) {}

    private final Connection connection;
    private final @Nullable Long now;
    private final Claim claim;

    PostgresUnorderedClaim(Connection connection, @Nullable Long now, Claim claim) {
        this.connection = connection;
        this.now = now;
        this.claim = claim;
    }

    private static String columns() {
        return Rows.withoutLargePayload("r.", "octet_length", "?::int");
    }

    UnorderedGrants grant(PostgresTenants.Share share) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(GRANT)) {
            PostgresTenants.bind(new PostgresBinder(statement).number(now), claim, share)
                    .number(claim.modesVersion())
                    .number(claim.grant().leaseMillis())
                    .number(claim.grant().owner())
                    .number((long) claim.amount().inline());
            try (ResultSet found = PostgresLedger.second(statement)) {
                return granted(found, share);
            }
        }
    }

    private UnorderedGrants granted(ResultSet found, PostgresTenants.Share share) throws SQLException {
        List<Row> rows = new ArrayList<>();
        PostgresTenants.Floors floors = new PostgresTenants.Floors(share);
        int retries = 0;
        int each = 1;
        boolean modesChanged = false;
        while (found.next()) {
            modesChanged = found.getLong(1) != claim.modesVersion();
            each = found.getInt(2);
            long due = found.getLong(4);
            if (found.wasNull()) {
                continue;
            }
            Row row = Rows.claimed(found, 6);
            boolean retry = found.getInt(5) == State.FAILED_RETRYABLE.code();
            retries += retry ? 1 : 0;
            if (!retry) {
                floors.seen(row.header().tenant(), due);
            }
            rows.add(row);
        }
        return new UnorderedGrants(modesChanged, rows, each, floors.tenants(), retries);
    }

    /** Takes over what follows nobody, with its events; finds the lanes of the others. In one transaction. */
    Over takeOver(int most) throws SQLException {
        List<RecordId> free = new ArrayList<>();
        List<Long> lanes = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(FIND_OVER)) {
            new PostgresBinder(statement)
                    .number(now)
                    .text(claim.operation())
                    .number((long) claim.grant().maxAttempts())
                    .texts(List.copyOf(claim.turns().except()), tenant -> tenant)
                    .text(claim.turns().only())
                    .number((long) most + PostgresLaneClaim.MOST_LANES)
                    .number((long) most);
            try (ResultSet found = PostgresLedger.second(statement)) {
                while (found.next()) {
                    if (found.getLong(1) != claim.modesVersion()) {
                        return new Over(true, List.of(), List.of());
                    }
                    if (found.getBytes(2) != null) {
                        long lane = found.getLong(3);
                        if (found.wasNull()) {
                            free.add(Rows.id(found, 2));
                        } else {
                            lanes.add(lane);
                        }
                    }
                }
            }
        }
        List<Row> rows = free.isEmpty() ? List.of() : takeOver(free);
        writeTakenOver(rows);
        return new Over(false, rows, lanes);
    }

    private List<Row> takeOver(List<RecordId> ids) throws SQLException {
        List<Row> rows = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(TAKE_OVER)) {
            new PostgresBinder(statement)
                    .number(now)
                    .bytes(ids, RecordId::bytes)
                    .number(claim.grant().leaseMillis())
                    .number(claim.grant().owner())
                    .number((long) claim.grant().maxAttempts())
                    .number((long) claim.amount().inline());
            try (ResultSet found = statement.executeQuery()) {
                while (found.next()) {
                    rows.add(Rows.claimed(found, 1));
                }
            }
        }
        return rows;
    }

    /** The events of rows that were taken from another holder. */
    void writeTakenOver(List<Row> rows) throws SQLException {
        List<AuditEntry> events = rows.stream()
                .map(row -> {
                    AuditEntry event = claim.takenOver().apply(row);
                    return event == null
                            ? null
                            : PostgresEvents.under(
                                    event, row.status().fence(), row.status().attempt());
                })
                .filter(Objects::nonNull)
                .toList();
        PostgresEvents.write(connection, now, events);
    }
}
