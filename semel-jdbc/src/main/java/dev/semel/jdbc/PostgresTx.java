package dev.semel.jdbc;

import dev.semel.SemelException;
import dev.semel.key.Identity;
import dev.semel.key.RecordId;
import dev.semel.store.Landing;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.Opening;
import dev.semel.store.Row;
import dev.semel.store.Switchboard;
import dev.semel.store.Transactions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** One transaction on one connection: Semel's own, or one that the caller has begun. */
final class PostgresTx implements Transactions.Tx {
    /**
     * Two statements in one round trip. The second one's snapshot is taken under the locks, so that a record whose lock has
     * just been released by a commit is seen.
     */
    private static final String OPEN = "SELECT pg_try_advisory_xact_lock(k) FROM unnest(?::bigint[]) AS k; SELECT "
            + PostgresSql.NOW + ", m.modes_version, " + Rows.RECORD
            + " FROM " + PostgresSql.META + " LEFT JOIN (" + PostgresSql.EACH_BY_ID + ") ON true";

    private static final String OPEN_ONE = "SELECT pg_try_advisory_xact_lock(?); SELECT "
            + PostgresSql.NOW + ", m.modes_version, " + Rows.RECORD
            + " FROM " + PostgresSql.META + " LEFT JOIN semel_record r ON r.id = ?";

    private final PostgresSessions sessions;
    private final Connection connection;
    private final GuardedConnection guarded;
    private final boolean own;
    private List<Evidence> evidence = new ArrayList<>();
    private Set<RecordId> absent = new HashSet<>();
    private @Nullable String xid;

    /** What can be found in the ledger afterwards if this transaction was committed. */
    record Evidence(RecordId id, long fence, int state) {}

    /** @param own whether Semel has begun it, so that it is at READ COMMITTED */
    PostgresTx(PostgresSessions sessions, Connection connection, boolean own) {
        this.sessions = sessions;
        this.own = own;
        this.connection = connection;
        this.guarded = new GuardedConnection(connection);
    }

    @Override
    public Switchboard.Modes modes() {
        return sql("reading the modes", () -> PostgresSwitchboard.read(connection));
    }

    @Override
    public List<Opening> open(long modesVersion, List<Identity> identities) {
        return sql("opening a record", () -> {
            boolean alone =
                    identities.size() == 1 && identities.get(0).neighbours().isEmpty();
            try (PreparedStatement statement = connection.prepareStatement(alone ? OPEN_ONE : OPEN)) {
                if (alone) {
                    bindOne(new Binder(statement), identities.get(0));
                } else {
                    bind(new Binder(statement), identities);
                }
                statement.execute();
                List<Boolean> locked = new ArrayList<>();
                try (ResultSet locks = statement.getResultSet()) {
                    while (locks.next()) {
                        locked.add(locks.getBoolean(1));
                    }
                }
                statement.getMoreResults();
                try (ResultSet found = statement.getResultSet()) {
                    return openings(modesVersion, identities, locked, found);
                }
            }
        });
    }

    private void bindOne(Binder binder, Identity identity) throws SQLException {
        binder.number(identity.lock().lockNumber())
                .number(sessions.now())
                .bytes(identity.id().bytes());
    }

    private void bind(Binder binder, List<Identity> identities) throws SQLException {
        List<RecordId> ids = new ArrayList<>();
        for (Identity identity : identities) {
            ids.add(identity.id());
            ids.addAll(identity.neighbours());
        }
        binder.longs(identities, identity -> identity.lock().lockNumber())
                .number(sessions.now())
                .bytes(ids, RecordId::bytes);
    }

    private List<Opening> openings(long modesVersion, List<Identity> identities, List<Boolean> locked, ResultSet found)
            throws SQLException {
        Map<RecordId, Row> rows = new HashMap<>();
        long now = 0;
        boolean sameModes = false;
        while (found.next()) {
            now = found.getLong(1);
            sameModes = found.getLong(2) == modesVersion;
            if (found.getBytes(3) != null) {
                Row row = Rows.record(found, 3);
                rows.put(row.id(), row);
            }
        }
        List<Opening> openings = new ArrayList<>();
        for (int i = 0; i < identities.size(); i++) {
            Identity identity = identities.get(i);
            if (locked.get(i) && !rows.containsKey(identity.id())) {
                absent.add(identity.id());
            }
            openings.add(opening(first(identity, rows, now), locked.get(i), sameModes, now));
        }
        return openings;
    }

    /** The lock matters only to a record that can be run: the stored answer is there for all who ask at once. */
    private static Opening opening(@Nullable Row row, boolean locked, boolean sameModes, long now) {
        boolean runnable = row == null || Verdict.free(row.status(), now);
        if (!runnable) {
            return new Opening.Found(row, now);
        }
        if (!locked) {
            return new Opening.Locked();
        }
        if (!sameModes) {
            return new Opening.ModesChanged();
        }
        return row == null ? new Opening.Free() : new Opening.Found(row, now);
    }

    /** An expired record counts as absent. */
    private static @Nullable Row first(Identity identity, Map<RecordId, Row> rows, long now) {
        Row own = rows.get(identity.id());
        if (own != null && !own.status().expired(now)) {
            return own;
        }
        for (RecordId neighbour : identity.neighbours()) {
            Row row = rows.get(neighbour);
            if (row != null && !row.status().expired(now)) {
                return row;
            }
        }
        return null;
    }

    /**
     * What was not there at all, under its lock, is inserted; all else is written over by a guarded upsert. In a transaction
     * of the caller's the snapshot may be older than the lock, and only the upsert tells a race from a lost run there.
     */
    @Override
    public void land(List<Landing> landings) {
        Map<Boolean, List<Landing>> byAbsence =
                landings.stream().collect(Collectors.partitioningBy(landing -> own && absent.remove(landing.id())));
        landed(byAbsence.get(true), PostgresLandings::landAbsent);
        landed(byAbsence.get(false), PostgresLandings::land);
    }

    @FunctionalInterface
    private interface Way {
        PostgresLandings.Result land(PostgresLandings on, List<Landing> landings) throws SQLException;
    }

    private void landed(List<Landing> landings, Way way) {
        if (!landings.isEmpty()) {
            PostgresLandings.Result result =
                    sql("landing a result", () -> way.land(new PostgresLandings(connection, sessions.now()), landings));
            xid = result.xid();
            evidence.addAll(result.evidence());
        }
    }

    @Override
    public List<Moved> move(List<Move> moves) {
        if (moves.isEmpty()) {
            return List.of();
        }
        PostgresMoves.Result result =
                sql("a move", () -> new PostgresMoves(connection, sessions.now(), false).apply(moves));
        if (result.xid() != null) {
            xid = result.xid();
        }
        for (int i = 0; i < moves.size(); i++) {
            Move move = moves.get(i);
            if (move.to() != null && result.moved().get(i) instanceof Moved.Applied) {
                evidence.add(new Evidence(move.id(), move.fence(), move.to().code()));
            }
        }
        return result.moved();
    }

    @Override
    public <T> T part(Transactions.Part<T> part) throws Exception {
        Savepoint savepoint = sql("a savepoint", connection::setSavepoint);
        List<Evidence> evidenceBefore = List.copyOf(evidence);
        Set<RecordId> absentBefore = Set.copyOf(absent);
        boolean keep = false;
        try {
            Transactions.Ended<T> ended = part.run();
            keep = ended.keep();
            return ended.value();
        } finally {
            if (!keep) {
                evidence = new ArrayList<>(evidenceBefore);
                absent = new HashSet<>(absentBefore);
            }
            end(savepoint, keep);
        }
    }

    private void end(Savepoint savepoint, boolean keep) {
        sql("the end of a part", () -> {
            if (!keep) {
                connection.rollback(savepoint);
            }
            connection.releaseSavepoint(savepoint);
            return true;
        });
    }

    @Override
    public Connection connection() {
        return guarded.seen();
    }

    @Override
    public <T> T unwrap(Class<T> type) {
        if (!type.isAssignableFrom(Connection.class)) {
            throw new SemelException.Invalid(
                    "A transaction on PostgreSQL has a java.sql.Connection, not a " + type.getName() + ".");
        }
        return type.cast(guarded.seen());
    }

    /** The handler's connection is of no use from here on. */
    void over() {
        guarded.end();
    }

    /** By which the server can be asked how this transaction ended; null when the ledger wrote nothing in it. */
    @Nullable
    String xid() {
        return xid;
    }

    List<Evidence> evidence() {
        return evidence;
    }

    @FunctionalInterface
    private interface Sql<T> {
        T run() throws SQLException;
    }

    private <T> T sql(String what, Sql<T> body) {
        try {
            return body.run();
        } catch (SQLException e) {
            if (PostgresErrors.mustBeRetried(e)) {
                throw new SemelException.TransactionMustBeRetried(
                        sessions.name() + ": the transaction met another one for the same records during " + what + " ("
                                + PostgresErrors.brief(e) + "). Roll it back and run it again.",
                        e);
            }
            throw new SemelException.StoreUnavailable(
                    sessions.name() + ": " + what + " failed (" + PostgresErrors.brief(e)
                            + "); the transaction is rolled back and nothing is committed. " + PostgresErrors.advice(e),
                    e);
        }
    }
}
