package dev.semel.jdbc.postgres;

import dev.semel.SemelException;
import dev.semel.jdbc.postgres.PostgresSessions.Level;
import dev.semel.jdbc.shared.GuardedConnection;
import dev.semel.jdbc.shared.StatementCache;
import dev.semel.key.Identity;
import dev.semel.key.RecordId;
import dev.semel.store.Arrival;
import dev.semel.store.CommitRefused;
import dev.semel.store.Enqueued;
import dev.semel.store.LookupResult;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.RecordWrite;
import dev.semel.store.Switchboard;
import dev.semel.store.Transactions;
import dev.semel.time.Uninterrupted;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/** One transaction on one connection: Semel's own, or one that the caller has begun. */
final class PostgresTx implements Transactions.Tx {
    private final PostgresSessions sessions;
    private final Connection connection;
    private final GuardedConnection guarded;
    private final boolean own;
    private final Connections connections;
    private final boolean assumed;
    private List<Evidence> evidence = new ArrayList<>();
    private Set<RecordId> absent = new HashSet<>();
    private Map<RecordId, PostgresFirstInsert> firsts = new HashMap<>();
    private int parts;
    private final PostgresHeldWrites held = new PostgresHeldWrites();
    private final boolean holdsMessages;
    private Runnable beforeSavepoint = () -> {};
    private @Nullable String xid;
    /** The transaction's, as it was drawn before a handler ran. */
    private @Nullable String number;

    private boolean handled;
    private boolean abandoned;
    private boolean sessionChanged;
    private boolean over;
    private Level level;

    /** The rows that prove in the ledger that this transaction was committed. */
    record Evidence(RecordId id, long fence, int state) {}

    /** A message that was held back is there already with another payload: the work is run again, and is told at once. */
    static final class SentBefore extends SemelException {
        private static final long serialVersionUID = 1;

        SentBefore(SQLException cause) {
            super("A message was sent before with another payload; nothing was committed.", cause);
        }
    }

    /** Whose connection it is, and so what may be done with it afterwards. */
    enum Connections {
        /** Taken for this transaction alone: it can be replaced by another one. */
        TAKEN,
        /** Of a transaction that was begun for Semel: its pool hands it on as it is. */
        LENT,
        /** The caller's, who began the transaction and continues with it. */
        CALLERS
    }

    /**
     * A transaction that Semel has begun, or had begun, is brought to READ COMMITTED; of the caller's own nothing is assumed.
     *
     * @param holdsMessages whether messages may go with the commit: only where every savepoint of a handler is seen
     */
    PostgresTx(PostgresSessions sessions, Connection connection, Connections connections, boolean holdsMessages) {
        this.sessions = sessions;
        this.holdsMessages = holdsMessages;
        this.connections = connections;
        this.own = connections != Connections.CALLERS;
        this.level = own ? sessions.level() : Level.READ_COMMITTED;
        this.assumed = level == Level.ASSUMED;
        this.connection = connection;
        this.guarded = new GuardedConnection(
                connection,
                StatementCache.NONE,
                new PostgresTransactionWatch(connection, this::sessionChanges, () -> beforeSavepoint.run()));
    }

    @Override
    public void abandon() {
        abandoned = true;
    }

    boolean abandoned() {
        return abandoned;
    }

    boolean isLent() {
        return connections == Connections.LENT;
    }

    private void sessionChanges(String by) throws SQLException {
        if (connections == Connections.LENT || sessions.isPooled()) {
            throw new SQLException(
                    by
                            + " was refused: it would stay on the connection, which others use afterwards. Use SET"
                            + " LOCAL, a temporary table ON COMMIT DROP or a transaction-level lock.",
                    "2D000");
        }
        sessionChanged = connections == Connections.TAKEN;
    }

    /** Whether the handler left something on the session that the next caller must not find. */
    boolean sessionChanged() {
        return sessionChanged;
    }

    /** @throws SemelException.TransactionEnded when the transaction is not the one that was begun */
    void demandSame() {
        if (guarded.fate() == GuardedConnection.TransactionState.ENDED) {
            throw ended(new SQLException("A statement of the handler left the connection outside of a transaction."));
        }
    }

    SemelException.TransactionEnded ended(@Nullable SQLException e) {
        return new SemelException.TransactionEnded(
                sessions.name()
                        + ": the handler has ended the transaction in which it ran, which is Semel's. What it had"
                        + " written may be committed without its record; it was not run again. Remove COMMIT, ROLLBACK"
                        + " and the like from the handler, then look at what it has written before you repeat the call.",
                e == null ? new SQLException("The transaction is another one than before the handler ran.") : e);
    }

    /** The connection was lost, and the handler may have committed before. */
    SemelException.TransactionEnded lost() {
        return new SemelException.TransactionEnded(
                sessions.name()
                        + ": the connection was lost while the handler ran, and it is unknown whether the handler had"
                        + " committed its transaction: the server could not be queried. It was not run again. Look at what"
                        + " the handler has written before you repeat the call.",
                new SQLException("The connection was lost.", "08006"));
    }

    /** Sets the isolation level where it is known to be another one: a handler may use the connection before anybody asks here. */
    void begin() {
        if (level == Level.ANOTHER) {
            ready();
        }
    }

    /** Sends what must precede any other statement. */
    private void ready() {
        demandUsable();
        sendHeld();
        if (level != Level.READ_COMMITTED) {
            level = Level.READ_COMMITTED;
            sql("beginning a transaction", () -> {
                sessions.readCommitted(connection);
                return true;
            });
        }
    }

    private void demandUsable() {
        demandSame();
        if (guarded.fate() == GuardedConnection.TransactionState.ROLLED_BACK) {
            throw new SemelException.StoreUnavailable(
                    sessions.name() + ": the server rolled the transaction back after an error that the handler did not"
                            + " rethrow; nothing was committed. The same call may be repeated.");
        }
    }

    @Override
    public Switchboard.Modes modes() {
        ready();
        return sql("reading the modes", () -> PostgresSwitchboard.read(connection, sessions.now()));
    }

    @Override
    public List<LookupResult> lookUp(long modesVersion, List<Identity> identities) {
        boolean one =
                own && identities.size() == 1 && identities.get(0).neighbours().isEmpty();
        boolean checked = one && level == Level.ASSUMED;
        if (checked) {
            level = Level.READ_COMMITTED;
        }
        ready();
        PostgresLookups.Opened opened = sql("looking up a record", () -> {
            PostgresLookups lookups = new PostgresLookups(connection, sessions.now());
            return one
                    ? lookups.one(checked, sessions.idleBound(), modesVersion, identities.get(0))
                    : lookups.all(modesVersion, identities);
        });
        learn(opened.number());
        absent.addAll(opened.absent());
        firsts.putAll(opened.firsts());
        return opened.lookups();
    }

    /** A joined transaction's owner may have ended it since the last call; a handler may not. */
    private void learn(@Nullable String found) {
        boolean calledByItsOwner = !own && parts <= 1;
        if (found != null && number != null && !calledByItsOwner && !found.equals(number)) {
            throw ended(null);
        }
        number = found == null ? number : found;
    }

    /**
     * Where the handler may use the connection past its guard, the transaction's number is drawn before, unless the opening of
     * a record has done so: one round trip for a batch of deliveries.
     */
    @Override
    public void beforeHandler() {
        handled = true;
        if (connections == Connections.LENT && number == null) {
            ready();
            number = sql("beginning a transaction", () -> PostgresSameTransaction.draw(connection));
        }
    }

    /** Whether a handler may have ended the transaction that is about to be rolled back. */
    PostgresSameTransaction.TransactionCheck standing() {
        if (!handled || number == null || abandoned) {
            return PostgresSameTransaction.TransactionCheck.SAME;
        }
        String drawn = number;
        return Uninterrupted.once(() -> PostgresSameTransaction.standing(connection, drawn));
    }

    /** Which no other transaction has; null when it was not drawn. */
    @Nullable
    String number() {
        return number;
    }

    /**
     * What was not there at all, under its lock, is inserted; all else is written over by a guarded upsert. In a
     * transaction of the caller's the snapshot may be older than the lock, and only the upsert tells a race from a lost run
     * there.
     *
     * <p>The record of a first call in Semel's own transaction, outside any savepoint, is held back: as a rule the commit
     * is next and sends it along in one round trip, with the messages that were sent. Any other statement sends it first.
     */
    @Override
    public void write(List<RecordWrite> writes) {
        demandUsable();
        boolean alone = writes.size() == 1 && PostgresFirstInsert.fits(writes.get(0));
        PostgresFirstInsert first = alone ? firsts.remove(writes.get(0).id()) : null;
        if (first != null) {
            if (held.record() != null) {
                sendHeld();
            }
            xid = first.xid();
            evidence.add(first.evidence(writes.get(0)));
            held.hold(first, writes.get(0));
            if (parts > 0) {
                sendHeld();
            }
            return;
        }
        ready();
        Map<Boolean, List<RecordWrite>> byAbsence =
                writes.stream().collect(Collectors.partitioningBy(write -> own && absent.remove(write.id())));
        writeBy(byAbsence.get(true), PostgresRecordWrites::insertAbsent);
        writeBy(byAbsence.get(false), PostgresRecordWrites::write);
    }

    void sendHeld() {
        if (!held.isEmpty()) {
            RecordWrite write = held.record();
            sql(held.description(), () -> {
                try {
                    held.send(connection, sessions.now(), number, false);
                } catch (SQLException e) {
                    throw told(e, write);
                }
                return true;
            });
        }
    }

    /**
     * Commits, together with what was held back. An error of those writes leaves the server in a failed
     * transaction and is the ledger's; an error of COMMIT has ended the transaction and is the handler's: a deferred
     * constraint or trigger.
     *
     * @throws SQLException when the commit failed, or the connection was lost and the outcome with it
     */
    void commit() throws SQLException {
        if (held.isEmpty()) {
            connection.commit();
            return;
        }
        RecordWrite write = held.record();
        String what = held.description();
        // Asked for now, because a pool closes its own connection upon some errors.
        BaseConnection driver = connection.unwrap(BaseConnection.class);
        try {
            held.send(connection, sessions.now(), number, true);
        } catch (SQLException e) {
            // The state is the last that the server has told: a connection that is lost may have committed since.
            boolean lost = driver.isClosed() || PostgresErrors.connectionLost(e);
            boolean writeFailed = !lost && driver.getTransactionState() == TransactionState.FAILED;
            if (writeFailed) {
                sql(what, () -> {
                    throw told(e, write);
                });
            }
            throw e;
        }
    }

    private static SQLException told(SQLException e, @Nullable RecordWrite write) {
        return write == null ? e : PostgresRecordWrites.told(e, write);
    }

    @FunctionalInterface
    private interface WriteCall {
        PostgresRecordWrites.WritesResult write(PostgresRecordWrites on, List<RecordWrite> writes) throws SQLException;
    }

    private void writeBy(List<RecordWrite> writes, WriteCall way) {
        if (!writes.isEmpty()) {
            PostgresRecordWrites.WritesResult result = sql(
                    "writing a result",
                    () -> way.write(new PostgresRecordWrites(connection, sessions.now(), number), writes));
            xid = result.xid();
            evidence.addAll(result.evidence());
        }
    }

    @Override
    public List<Moved> move(List<Move> moves) {
        if (moves.isEmpty()) {
            return List.of();
        }
        ready();
        PostgresMoves.MovesResult result = sql(
                "a move",
                () -> PostgresMoves.in(connection, sessions.now(), number).apply(moves));
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

    /** A read-only transaction has changed nothing durable, and would not let this change anything. */
    @Override
    public Optional<Moved> moveIfChanged(Move move, long changesBefore) {
        ready();
        return sql(
                "a move",
                () -> connection.unwrap(BaseConnection.class).hintReadOnly()
                        ? Optional.empty()
                        : PostgresMoves.in(connection, sessions.now(), number).applyIfWritten(move));
    }

    @Override
    public List<Enqueued> enqueue(List<Arrival> batch) {
        if (batch.isEmpty()) {
            return List.of();
        }
        ready();
        return sql("queueing messages", () -> {
            PostgresEnqueue enqueue = new PostgresEnqueue(connection, sessions.now(), false);
            List<Enqueued> answers = enqueue.run(batch);
            xid = enqueue.xid() == null ? xid : enqueue.xid();
            return answers;
        });
    }

    /**
     * Not on connections that handlers can reach past the guard: there a savepoint is not seen, and what was held back would not be
     * undone with it.
     */
    @Override
    public boolean holdMessages(Runnable savepoint) {
        beforeSavepoint = savepoint;
        return holdsMessages;
    }

    @Override
    public Optional<List<Enqueued>> enqueueWithCommit(List<Arrival> batch) {
        if (!holdsMessages || parts > 0 || batch.size() > PostgresHeldWrites.MOST_MESSAGES) {
            return Optional.of(enqueue(batch));
        }
        demandUsable();
        held.hold(batch);
        return Optional.empty();
    }

    @Override
    public <T> T part(Transactions.Part<T> part) throws Exception {
        ready();
        Savepoint savepoint = sql("setting a savepoint", connection::setSavepoint);
        parts++;
        List<Evidence> evidenceBefore = List.copyOf(evidence);
        Set<RecordId> absentBefore = Set.copyOf(absent);
        Map<RecordId, PostgresFirstInsert> firstsBefore = Map.copyOf(firsts);
        boolean keep = false;
        try {
            Transactions.Ended<T> ended = part.run();
            keep = ended.keep();
            return ended.value();
        } finally {
            parts--;
            if (!keep) {
                evidence = new ArrayList<>(evidenceBefore);
                absent = new HashSet<>(absentBefore);
                firsts = new HashMap<>(firstsBefore);
            }
            end(savepoint, keep);
        }
    }

    private void end(Savepoint savepoint, boolean keep) {
        sql("releasing a savepoint", () -> {
            if (!keep) {
                connection.rollback(savepoint);
            }
            connection.releaseSavepoint(savepoint);
            return true;
        });
    }

    @Override
    public Connection connection() {
        ready();
        return guarded.seen();
    }

    @Override
    public <T> T unwrap(Class<T> type) {
        if (!type.isAssignableFrom(Connection.class)) {
            throw new SemelException.Invalid(
                    "A transaction on PostgreSQL has a java.sql.Connection, not a " + type.getName() + ".");
        }
        ready();
        return type.cast(guarded.seen());
    }

    /**
     * From here on the handler's connection rejects every call.
     *
     * @throws SemelException.StoreUnavailable when another thread is inside the driver and cannot be got out
     */
    void over() {
        if (over) {
            return;
        }
        over = true;
        if (!guarded.end()) {
            abandoned = true;
            throw new SemelException.StoreUnavailable(
                    sessions.name() + ": another thread is still running a statement on the handler's connection, and"
                            + " could not be stopped; nothing is committed. No thread may use the connection after the"
                            + " handler has returned.");
        }
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
    private interface SqlCall<T> {
        T run() throws SQLException;
    }

    private <T> T sql(String what, SqlCall<T> body) {
        try {
            return Uninterrupted.once(body::run);
        } catch (SQLException e) {
            if (PostgresSameTransaction.isAnother(e) || PostgresErrors.savepointGone(e)) {
                throw ended(e);
            }
            if (PostgresErrors.failedBefore(e)) {
                throw new CommitRefused(e);
            }
            if (assumed && PostgresErrors.otherIsolation(e)) {
                sessions.foundOtherIsolation();
                throw new SemelException.TransactionMustBeRetried(
                        sessions.name() + ": the transaction is not at READ COMMITTED, and is run again at that level.",
                        e);
            }
            if (PostgresErrors.otherServer(e)) {
                sessions.foundOtherServer();
                throw new SemelException.TransactionMustBeRetried(
                        sessions.name()
                                + ": the server was restarted, restored or replaced by another one; fences"
                                + " continue in a new epoch. Roll the transaction back and run it again.",
                        e);
            }
            if (PostgresMessageInsert.isSentBefore(e)) {
                throw new SentBefore(e);
            }
            if (PostgresErrors.mustBeRetried(e)) {
                throw new SemelException.TransactionMustBeRetried(
                        sessions.name() + ": the transaction conflicted with another one on the same records during "
                                + what + " (" + PostgresErrors.brief(e) + "). Roll it back and run it again.",
                        e);
            }
            if (PostgresErrors.locked(e)) {
                throw new SemelException.Locked(
                        sessions.name() + ": " + what + " timed out waiting for a lock (" + PostgresErrors.brief(e)
                                + "); the transaction is rolled back and nothing is committed. "
                                + PostgresErrors.advice(e),
                        e);
            }
            if (PostgresErrors.badData(e)) {
                throw PostgresErrors.dataRefused(what, e);
            }
            throw new SemelException.StoreUnavailable(
                    sessions.name() + ": " + what + " failed (" + PostgresErrors.brief(e)
                            + "); the transaction is rolled back and nothing is committed. " + PostgresErrors.advice(e),
                    e);
        }
    }
}
