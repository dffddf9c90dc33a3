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
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One transaction on one connection: Semel's own, or one that the caller has begun. */
final class PostgresTx implements Transactions.Tx {
    /**
     * Two statements in one round trip. The second one's snapshot is taken under the locks, so that a record whose lock has
     * just been released by a commit is seen.
     */
    private static final String OPEN = "SELECT pg_try_advisory_xact_lock(k) FROM unnest(?::bigint[]) AS k; SELECT "
            + PostgresSql.NOW + ", m.modes_version, " + Rows.RECORD
            + " FROM semel_meta m LEFT JOIN semel_record r ON r.id = ANY(?::bytea[]) WHERE m.single";

    private final PostgresSessions sessions;
    private final Connection connection;
    private final GuardedConnection guarded;
    private List<Evidence> evidence = new ArrayList<>();
    private @Nullable String xid;

    /** What can be found in the ledger afterwards if this transaction was committed. */
    record Evidence(RecordId id, long fence, int state) {}

    PostgresTx(PostgresSessions sessions, Connection connection) {
        this.sessions = sessions;
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
            List<RecordId> ids = new ArrayList<>();
            for (Identity identity : identities) {
                ids.add(identity.id());
                ids.addAll(identity.neighbours());
            }
            List<Boolean> locked = new ArrayList<>();
            try (PreparedStatement statement = connection.prepareStatement(OPEN)) {
                new Binder(statement)
                        .longs(identities, identity -> identity.lock().lockNumber())
                        .number(sessions.now())
                        .bytes(ids, RecordId::bytes);
                statement.execute();
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

    private static List<Opening> openings(
            long modesVersion, List<Identity> identities, List<Boolean> locked, ResultSet found) throws SQLException {
        Map<RecordId, Row> live = new HashMap<>();
        long now = 0;
        boolean sameModes = false;
        while (found.next()) {
            now = found.getLong(1);
            sameModes = found.getLong(2) == modesVersion;
            if (found.getBytes(3) != null) {
                Row row = Rows.record(found, 3);
                if (!row.status().expired(now)) {
                    live.put(row.id(), row);
                }
            }
        }
        List<Opening> openings = new ArrayList<>();
        for (int i = 0; i < identities.size(); i++) {
            openings.add(opening(first(identities.get(i), live), locked.get(i), sameModes, now));
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

    private static @Nullable Row first(Identity identity, Map<RecordId, Row> live) {
        Row own = live.get(identity.id());
        if (own != null || identity.neighbours().isEmpty()) {
            return own;
        }
        return identity.neighbours().stream()
                .filter(live::containsKey)
                .findFirst()
                .map(live::get)
                .orElse(null);
    }

    @Override
    public void land(List<Landing> landings) {
        if (landings.isEmpty()) {
            return;
        }
        PostgresLandings.Result result =
                sql("landing a result", () -> new PostgresLandings(connection, sessions.now()).land(landings));
        xid = result.xid();
        evidence.addAll(result.evidence());
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
        List<Evidence> before = List.copyOf(evidence);
        boolean keep = false;
        try {
            Transactions.Ended<T> ended = part.run();
            keep = ended.keep();
            return ended.value();
        } finally {
            if (!keep) {
                evidence = new ArrayList<>(before);
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
