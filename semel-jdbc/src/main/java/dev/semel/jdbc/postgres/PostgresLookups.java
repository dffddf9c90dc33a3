package dev.semel.jdbc.postgres;

import dev.semel.jdbc.shared.ReservationRule;
import dev.semel.jdbc.shared.Rows;
import dev.semel.key.Identity;
import dev.semel.key.RecordId;
import dev.semel.store.LookupResult;
import dev.semel.store.Row;
import dev.semel.store.Transactions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Locks records without waiting and looks them up. A transaction that may run one of them gets its number at once; a replay
 * costs none.
 */
final class PostgresLookups {
    /** A record r that a call may run: expired, or failed and due. Anything else of that age waits for somebody else. */
    private static final String IS_OVER = "r.at <= c.now AND r.state IN (2, 3, 4, 6, 7)";

    private static final String FROM = " FROM (SELECT " + PostgresSql.NOW + " AS now OFFSET 0) AS c CROSS JOIN "
            + PostgresSql.META + " LEFT JOIN ";

    /**
     * Two statements in one round trip. The second one's snapshot is taken under the locks, so that a record whose
     * lock has just been released by a commit is seen. The first one reports the locks that could not be obtained.
     */
    private static final String ALL =
            "SELECT k FROM unnest(?::bigint[]) AS k WHERE NOT pg_try_advisory_xact_lock(k); SELECT c.now, m.modes_version,"
                    + " CASE WHEN count(r.id) FILTER (WHERE NOT (" + IS_OVER + ")) OVER () < ?::int"
                    + " THEN pg_current_xact_id()::text END, " + Rows.WITH_LINE + FROM
                    + "(" + PostgresSql.EACH_BY_ID + ") ON true";

    /** Of one record, which gets a fence at once if it is absent. */
    private static final String ONE = "; SELECT c.now, m.modes_version,"
            + " CASE WHEN r.id IS NULL THEN " + PostgresSql.HIGH + " | nextval('semel_fence') END,"
            + " CASE WHEN r.id IS NULL OR " + IS_OVER + " THEN pg_current_xact_id()::text END, m.tx_base, "
            + Rows.WITH_LINE + FROM + "semel_record r ON r.id = ?";

    private static final String LOCK = "SELECT pg_try_advisory_xact_lock(?)";
    private static final String LOCK_CHECKED = LOCK + ", " + PostgresSql.IS_READ_COMMITTED;
    private static final String ONE_PLAINLY = LOCK + ONE;
    private static final String ONE_CHECKED = LOCK_CHECKED + ONE;

    /**
     * @param number of the transaction; null when none of them can be run
     * @param absent under their locks
     * @param firsts what the insert of an absent one needs
     */
    record Opened(
            List<LookupResult> lookups,
            @Nullable String number,
            Set<RecordId> absent,
            Map<RecordId, PostgresFirstInsert> firsts) {}

    private final Connection connection;
    private final @Nullable Long now;

    PostgresLookups(Connection connection, @Nullable Long now) {
        this.connection = connection;
        this.now = now;
    }

    /**
     * @param first whether this begins the transaction: then the isolation level is to be checked in passing
     * @param idleBound what is to be set then, too, if anything
     */
    Opened one(boolean first, @Nullable String idleBound, long modesVersion, Identity identity) throws SQLException {
        String checked = idleBound == null ? ONE_CHECKED : LOCK_CHECKED + ", " + idleBound + ONE;
        try (PreparedStatement statement = connection.prepareStatement(first ? checked : ONE_PLAINLY)) {
            new PostgresBinder(statement)
                    .number(identity.lock().lockNumber())
                    .number(now)
                    .bytes(identity.id().bytes());
            statement.execute();
            boolean locked;
            try (ResultSet lock = statement.getResultSet()) {
                lock.next();
                locked = lock.getBoolean(1);
            }
            statement.getMoreResults();
            try (ResultSet found = statement.getResultSet()) {
                found.next();
                return opened(modesVersion, identity.id(), locked, found);
            }
        }
    }

    private static Opened opened(long modesVersion, RecordId id, boolean locked, ResultSet found) throws SQLException {
        long now = found.getLong(1);
        long fence = found.getLong(3);
        boolean absent = !found.wasNull();
        String number = found.getString(4);
        Map<RecordId, PostgresFirstInsert> firsts = absent && locked
                ? Map.of(id, new PostgresFirstInsert(fence, number, Long.parseLong(number) + found.getLong(5)))
                : Map.of();
        Row row = absent ? null : Rows.withLine(found, 6);
        boolean expired = row != null && row.expired(now);
        LookupResult lookup = opening(expired ? null : row, locked, same(modesVersion, found.getLong(2)), now);
        return new Opened(List.of(lookup), number, Set.of(), firsts);
    }

    Opened all(long modesVersion, List<Identity> identities) throws SQLException {
        List<RecordId> ids = new ArrayList<>();
        for (Identity identity : identities) {
            ids.add(identity.id());
            ids.addAll(identity.neighbours());
        }
        try (PreparedStatement statement = connection.prepareStatement(ALL)) {
            new PostgresBinder(statement)
                    .longs(identities, identity -> identity.lock().lockNumber())
                    .number(ids.size())
                    .number(now)
                    .bytes(ids, RecordId::bytes);
            statement.execute();
            Set<Long> taken = new HashSet<>();
            try (ResultSet locks = statement.getResultSet()) {
                while (locks.next()) {
                    taken.add(locks.getLong(1));
                }
            }
            statement.getMoreResults();
            try (ResultSet found = statement.getResultSet()) {
                return opened(modesVersion, identities, taken, found);
            }
        }
    }

    private static Opened opened(long modesVersion, List<Identity> identities, Set<Long> taken, ResultSet found)
            throws SQLException {
        Map<RecordId, Row> rows = new HashMap<>();
        long now = 0;
        boolean sameModes = false;
        String number = null;
        while (found.next()) {
            now = found.getLong(1);
            sameModes = same(modesVersion, found.getLong(2));
            number = found.getString(3);
            if (found.getBytes(4) != null) {
                Row row = Rows.withLine(found, 4);
                rows.put(row.id(), row);
            }
        }
        List<LookupResult> lookups = new ArrayList<>();
        Set<RecordId> absent = new HashSet<>();
        for (Identity identity : identities) {
            boolean locked = !taken.contains(identity.lock().lockNumber());
            if (locked && !rows.containsKey(identity.id())) {
                absent.add(identity.id());
            }
            lookups.add(opening(first(identity, rows, now), locked, sameModes, now));
        }
        return new Opened(lookups, number, absent, Map.of());
    }

    private static boolean same(long asked, long current) {
        return asked == Transactions.ANY_MODES || asked == current;
    }

    /** The lock matters only to a record that can be run: the stored answer is there for all who ask at once. */
    private static LookupResult opening(@Nullable Row row, boolean locked, boolean sameModes, long now) {
        boolean runnable = row == null || ReservationRule.free(row, now);
        if (!runnable) {
            return new LookupResult.Found(row, now);
        }
        if (!locked) {
            return new LookupResult.Locked();
        }
        if (!sameModes) {
            return new LookupResult.ModesChanged();
        }
        return row == null ? new LookupResult.Free() : new LookupResult.Found(row, now);
    }

    /** An expired record counts as absent. */
    private static @Nullable Row first(Identity identity, Map<RecordId, Row> rows, long now) {
        Row own = rows.get(identity.id());
        if (own != null && !own.expired(now)) {
            return own;
        }
        for (RecordId neighbour : identity.neighbours()) {
            Row row = rows.get(neighbour);
            if (row != null && !row.expired(now)) {
                return row;
            }
        }
        return null;
    }
}
