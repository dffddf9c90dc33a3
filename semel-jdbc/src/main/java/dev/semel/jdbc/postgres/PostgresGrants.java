package dev.semel.jdbc.postgres;

import dev.semel.jdbc.shared.ReservationRule;
import dev.semel.jdbc.shared.Rows;
import dev.semel.key.RecordId;
import dev.semel.store.AuditEntry;
import dev.semel.store.Header;
import dev.semel.store.Reservation;
import dev.semel.store.Reserved;
import dev.semel.store.Row;
import dev.semel.store.State;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The statements by which reservations are granted.
 *
 * <p>Most reservations are new. They are made by {@link #insert}, one statement in a transaction of its own. Existing
 * records are read without a lock ({@link #read}), and only those that can be granted again are locked, checked once
 * more and granted ({@link #grant}), in another transaction. So a transaction either inserts or locks, each in the
 * order of ids, and two batches cannot wait for each other.
 */
final class PostgresGrants {
    private static final String LOCK_MODES = "SELECT " + PostgresSql.BY_INDEX + ", " + PostgresSql.SHARE_MODES + ", "
            + PostgresSql.IS_READ_COMMITTED + "; ";

    private static final String INSERT =
            LOCK_MODES + PostgresSql.COMMON + String.format(Locale.ROOT, """
            INSERT INTO semel_record (id, tenant, operation, key, fingerprint, correlation, origin, parent, state, fence,
                attempt, at, created, owner, payload)
            SELECT i.id, i.tenant, i.operation, i.key, i.fingerprint, i.correlation, i.origin, i.parent, 1,
                c.high | nextval('semel_fence'), 1, %s, CASE WHEN i.parent IS NOT NULL THEN c.now END,
                i.owner, i.payload
            FROM c, unnest(?::bytea[], ?::text[], ?::text[], ?::bytea[], ?::bytea[], ?::text[], ?::text[], ?::bytea[],
                ?::bigint[], ?::bigint[], ?::bytea[])
                AS i(id, tenant, operation, key, fingerprint, correlation, origin, parent, delay, owner, payload)
            WHERE c.modes_version = ?
            ORDER BY i.id
            ON CONFLICT (id) DO NOTHING
            RETURNING id, fence""", PostgresSql.AT);

    /** For calls of one operation: common values are sent once, see {@link PostgresUniformBatch}. */
    private static final String INSERT_ALIKE = LOCK_MODES + PostgresSql.COMMON + """
            INSERT INTO semel_record (id, tenant, operation, key, fingerprint, correlation, origin, state, fence, attempt, at,
                owner, payload)
            SELECT i.id, ?, ?, i.key, i.fingerprint, i.correlation, i.origin, 1, c.high | nextval('semel_fence'), 1,
                c.now + least(?::bigint, 9223372036854775807 - c.now), i.owner, i.payload
            FROM c, unnest(?::bytea[], ?::bytea[], ?::bytea[], ?::text[], ?::text[], ?::bigint[], ?::bytea[])
                AS i(id, key, fingerprint, correlation, origin, owner, payload)
            WHERE c.modes_version = ?
            ORDER BY i.id
            ON CONFLICT (id) DO NOTHING
            RETURNING id, fence""";

    private static final String READ = "SELECT " + PostgresSql.IS_READ_COMMITTED + ", " + PostgresSql.BY_INDEX
            + "; SELECT " + PostgresSql.NOW
            + ", m.modes_version, " + Rows.WITH_LINE + " FROM " + PostgresSql.META
            + " LEFT JOIN semel_record r ON r.id = ANY(?::bytea[])";

    private static final String LOCK = LOCK_MODES + "SELECT " + PostgresSql.NOW + ", m.modes_version, "
            + Rows.WITH_LINE + " FROM semel_record r, " + PostgresSql.META
            + " WHERE r.id = ANY(?::bytea[]) ORDER BY r.id FOR UPDATE OF r";

    private static final String LOCK_PARENTS = "SELECT " + PostgresSql.BOUNDED_WAIT
            + "; SELECT id, fence, state FROM semel_record WHERE id = ANY(?::bytea[]) ORDER BY id FOR SHARE";

    private static final String GRANT = PostgresSql.COMMON + String.format(Locale.ROOT, """
            UPDATE semel_record r SET state = 1, fence = c.high | nextval('semel_fence'), at = %s, keep = NULL,
                owner = i.owner, result = NULL,
                attempt = CASE WHEN i.replaced = 1 THEN 1 ELSE r.attempt + 1 END,
                created = CASE WHEN i.replaced = 0 THEN r.created WHEN i.parent IS NOT NULL THEN c.now END,
                fingerprint = CASE WHEN i.replaced = 1 THEN i.fingerprint ELSE r.fingerprint END,
                correlation = CASE WHEN i.replaced = 1 THEN i.correlation ELSE r.correlation END,
                origin = CASE WHEN i.replaced = 1 THEN i.origin ELSE r.origin END,
                parent = CASE WHEN i.replaced = 1 THEN i.parent ELSE r.parent END,
                payload = CASE WHEN i.replaced = 1 THEN i.payload ELSE r.payload END,
                failure = CASE WHEN i.replaced = 1 THEN NULL ELSE r.failure END,
                turn = CASE WHEN i.replaced = 0 THEN r.turn END, place = CASE WHEN i.replaced = 0 THEN r.place END,
                lane = CASE WHEN i.replaced = 0 THEN r.lane END, lane_key = CASE WHEN i.replaced = 0 THEN r.lane_key END,
                deadline = CASE WHEN i.replaced = 0 THEN r.deadline END
            FROM c, unnest(?::bytea[], ?::bytea[], ?::text[], ?::text[], ?::bytea[], ?::bigint[], ?::bigint[], ?::bytea[],
                ?::int[]) AS i(id, fingerprint, correlation, origin, parent, delay, owner, payload, replaced)
            WHERE r.id = i.id
            RETURNING r.id, r.fence, r.attempt""", PostgresSql.AT);

    static final String DELETE_STEPS = "DELETE FROM semel_record WHERE parent = ANY(?::bytea[]) AND place IS NULL";

    private static final String LOCK_NUMBERS = "SELECT " + PostgresSql.BOUNDED_WAIT
            + "; SELECT count(pg_advisory_xact_lock(k)) FROM unnest(?::bigint[]) AS k";

    /** Rows as they stood, with the version of the modes at the same moment. */
    record Seen(long now, long modesVersion, Map<RecordId, Row> rows) {}

    private record Judged(Reservation reservation, ReservationRule verdict) {
        int replaced() {
            return verdict == ReservationRule.REPLACE ? 1 : 0;
        }
    }

    private final Connection connection;
    private final @Nullable Long now;

    PostgresGrants(Connection connection, @Nullable Long now) {
        this.connection = connection;
        this.now = now;
    }

    /** Makes the records that are absent; answers for those only. Nothing at other modes. */
    Map<RecordId, Reserved> insert(long modesVersion, List<Reservation> batch) throws SQLException {
        if (batch.isEmpty()) {
            return Map.of();
        }
        Reservation only = batch.size() == 1 ? batch.get(0) : null;
        if (only != null && PostgresSingleGrant.fits(only)) {
            Long fence = PostgresSingleGrant.insert(connection, now, modesVersion, only);
            return fence == null ? Map.of() : Map.of(only.identity().id(), new Reserved.Granted(fence, 1, false));
        }
        Map<RecordId, Reserved> granted = new HashMap<>();
        boolean alike = areAlike(batch);
        try (PreparedStatement statement = connection.prepareStatement(alike ? INSERT_ALIKE : INSERT)) {
            PostgresBinder binder = new PostgresBinder(statement).number(now);
            if (alike) {
                bindAlike(binder, batch);
            } else {
                bind(binder, batch);
            }
            binder.number(modesVersion);
            statement.execute();
            statement.getMoreResults();
            try (ResultSet made = statement.getResultSet()) {
                while (made.next()) {
                    granted.put(Rows.id(made, 1), new Reserved.Granted(made.getLong(2), 1, false));
                }
            }
        }
        return granted;
    }

    private static boolean areAlike(List<Reservation> batch) {
        Reservation first = batch.get(0);
        return batch.stream()
                .allMatch(other -> other.header().parent() == null
                        && first.header().tenant().equals(other.header().tenant())
                        && first.header().operation().equals(other.header().operation())
                        && first.grant().leaseMillis() == other.grant().leaseMillis());
    }

    private static void bindAlike(PostgresBinder binder, List<Reservation> batch) throws SQLException {
        Reservation first = batch.get(0);
        binder.text(first.header().tenant())
                .text(first.header().operation())
                .number(first.grant().leaseMillis())
                .bytes(batch, r -> r.identity().id().bytes())
                .bytes(batch, r -> Rows.key(r.header().key()))
                .bytes(batch, r -> r.header().fingerprint().bytes())
                .texts(batch, r -> r.header().correlationId())
                .texts(batch, r -> r.header().origin())
                .longs(batch, r -> r.grant().owner())
                .bytes(batch, Reservation::payload);
    }

    private static void bind(PostgresBinder binder, List<Reservation> batch) throws SQLException {
        binder.bytes(batch, r -> r.identity().id().bytes())
                .texts(batch, r -> r.header().tenant())
                .texts(batch, r -> r.header().operation())
                .bytes(batch, r -> Rows.key(r.header().key()))
                .bytes(batch, r -> r.header().fingerprint().bytes())
                .texts(batch, r -> r.header().correlationId())
                .texts(batch, r -> r.header().origin())
                .bytes(batch, r -> parent(r.header()))
                .longs(batch, r -> r.grant().leaseMillis())
                .longs(batch, r -> r.grant().owner())
                .bytes(batch, Reservation::payload);
    }

    Seen read(List<RecordId> ids) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(READ)) {
            return seen(statement, ids);
        }
    }

    /**
     * Grants what may be granted again. Absent from the answers: a record that has vanished, and one that is no longer to
     * be granted.
     */
    Map<RecordId, Reserved> grant(long modesVersion, List<Reservation> batch) throws SQLException {
        Seen seen = lock(batch.stream().map(r -> r.identity().id()).toList());
        Map<RecordId, Reserved> answers = new HashMap<>();
        List<Judged> grants = new ArrayList<>();
        for (Reservation reservation : batch) {
            Row row = seen.rows.get(reservation.identity().id());
            ReservationRule verdict =
                    row == null ? ReservationRule.LEAVE : ReservationRule.of(reservation, row, seen.now);
            if (verdict.needsGrant() && seen.modesVersion != modesVersion) {
                answers.put(row.id(), new Reserved.ModesChanged());
            } else if (verdict.needsGrant()) {
                grants.add(new Judged(reservation, verdict));
            }
        }
        if (!grants.isEmpty()) {
            answers.putAll(write(grants));
        }
        return answers;
    }

    private Seen lock(List<RecordId> ids) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(LOCK)) {
            return seen(statement, ids);
        }
    }

    private Map<RecordId, Reserved> write(List<Judged> grants) throws SQLException {
        Map<RecordId, Reserved> answers = new HashMap<>();
        Map<RecordId, Judged> byId = new HashMap<>();
        grants.forEach(grant -> byId.put(grant.reservation.identity().id(), grant));
        List<AuditEntry> events = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(GRANT)) {
            new PostgresBinder(statement)
                    .number(now)
                    .bytes(grants, g -> g.reservation.identity().id().bytes())
                    .bytes(grants, g -> g.reservation.header().fingerprint().bytes())
                    .texts(grants, g -> g.reservation.header().correlationId())
                    .texts(grants, g -> g.reservation.header().origin())
                    .bytes(grants, g -> parent(g.reservation.header()))
                    .longs(grants, g -> g.reservation.grant().leaseMillis())
                    .longs(grants, g -> g.reservation.grant().owner())
                    .bytes(grants, g -> g.reservation.payload())
                    .ints(grants, Judged::replaced);
            try (ResultSet written = statement.executeQuery()) {
                while (written.next()) {
                    RecordId id = Rows.id(written, 1);
                    Judged grant = byId.get(id);
                    boolean takenOver = grant.verdict == ReservationRule.TAKE_OVER;
                    long fence = written.getLong(2);
                    int attempt = written.getInt(3);
                    answers.put(id, new Reserved.Granted(fence, attempt, takenOver));
                    AuditEntry event = grant.reservation.takenOver();
                    if (takenOver && event != null) {
                        events.add(PostgresEvents.under(event, fence, attempt));
                    }
                }
            }
        }
        deleteSteps(
                connection,
                grants.stream()
                        .filter(g -> g.verdict == ReservationRule.REPLACE)
                        .map(g -> g.reservation.identity().id())
                        .toList());
        PostgresEvents.write(connection, now, events);
        return answers;
    }

    static void deleteSteps(Connection connection, List<RecordId> parents) throws SQLException {
        if (!parents.isEmpty()) {
            try (PreparedStatement statement = connection.prepareStatement(DELETE_STEPS)) {
                new PostgresBinder(statement).bytes(parents, RecordId::bytes);
                statement.executeUpdate();
            }
        }
    }

    /** Holds the parents as they are until the transaction ends; says which are no longer under the fence asked for. */
    Set<Reservation.Parent> lostParents(List<Reservation.Parent> parents) throws SQLException {
        Set<Reservation.Parent> lost = new HashSet<>(parents);
        try (PreparedStatement statement = connection.prepareStatement(LOCK_PARENTS)) {
            new PostgresBinder(statement).bytes(parents, parent -> parent.id().bytes());
            try (ResultSet found = PostgresLedger.second(statement)) {
                while (found.next()) {
                    if (found.getInt(3) == State.IN_PROGRESS.code()) {
                        lost.remove(new Reservation.Parent(Rows.id(found, 1), found.getLong(2)));
                    }
                }
            }
        }
        return lost;
    }

    /** Waits for the locks of keys that have neighbours, always in the same order. */
    void lockNumbers(List<RecordId> locks) throws SQLException {
        List<Long> numbers =
                locks.stream().map(RecordId::lockNumber).distinct().sorted().toList();
        try (PreparedStatement statement = connection.prepareStatement(LOCK_NUMBERS)) {
            new PostgresBinder(statement).longs(numbers, number -> number);
            PostgresLedger.second(statement).close();
        }
    }

    private Seen seen(PreparedStatement statement, List<RecordId> ids) throws SQLException {
        new PostgresBinder(statement).number(now).bytes(ids, RecordId::bytes);
        statement.execute();
        statement.getMoreResults();
        Map<RecordId, Row> rows = new HashMap<>();
        long seenAt = 0;
        long modesVersion = 0;
        try (ResultSet found = statement.getResultSet()) {
            while (found.next()) {
                seenAt = found.getLong(1);
                modesVersion = found.getLong(2);
                if (found.getBytes(3) != null) {
                    Row row = Rows.withLine(found, 3);
                    rows.put(row.id(), row);
                }
            }
        }
        return new Seen(seenAt, modesVersion, rows);
    }

    private static byte @Nullable [] parent(Header header) {
        return header.parent() == null ? null : header.parent().bytes();
    }
}
