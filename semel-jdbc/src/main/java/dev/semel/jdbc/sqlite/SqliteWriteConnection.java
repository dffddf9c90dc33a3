package dev.semel.jdbc.sqlite;

import dev.semel.SemelException;
import dev.semel.time.StoreClock;
import java.io.IOException;
import java.security.SecureRandom;
import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.sqlite.SQLiteConnection;

/**
 * The write connection: its transactions, the fences that are issued on it, and the care of the log.
 *
 * <p>The counter of fences is read at the beginning of a transaction, counted up in memory and written once at its
 * end. Every commit moves it by at least one, so that it also tells one state of the file from an earlier one.
 * Numbers of a rolled back transaction are not used again.
 */
final class SqliteWriteConnection implements SqliteWriter.Database, SqliteFences {
    /** How many fences the sidecar allows at a time: each block costs two syncs, and a crash skips the rest of one. */
    static final long BLOCK = 1 << 16;

    private static final String BEGIN = "BEGIN IMMEDIATE";
    private static final String READ_META = "SELECT epoch, fence, modes, mark, ahead FROM semel_meta";
    private static final String WRITE_FENCE = "UPDATE semel_meta SET fence = ?, mark = ?, ahead = ?";
    private static final String LOG = "PRAGMA wal_checkpoint(NOOP)";
    private static final String CHECKPOINT = "PRAGMA wal_checkpoint(PASSIVE)";

    /** Pages of the log that are worth a checkpoint: 16 MB. */
    private static final int CHECKPOINT_AT = 4_000;

    /** Pages that a commit may copy by itself: 1 MB. */
    private static final int FEW = 256;

    /** Below so many pages nothing is copied, however little is left of the disk. */
    private static final int LEAST = 16;

    private static final int PAGE = 4_096;

    private final SqliteFile file;
    private final SqliteSidecar sidecar;
    private final String ledger;
    private final SqliteClock clock;
    private final AtomicReference<Copying> copying = new AtomicReference<>(Copying.ended());
    private final AtomicBoolean copyDue = new AtomicBoolean();
    private final SqliteSession copier;
    private final Optional<Object> identity;

    /** In the names of savepoints, so that none is there by accident. */
    private final String token = Long.toHexString(new SecureRandom().nextLong());

    private SqliteSession session;
    private SqliteRecords records;
    private SqliteStatementCache cache = new SqliteStatementCache();
    private int epoch;
    private long counter;
    private long committed;
    private long modes;
    private long mark;
    private StoreClock.StoredTime time = StoreClock.StoredTime.NOTHING;
    private boolean metaTouched;
    private volatile boolean unsound;
    private boolean worn;
    private boolean rolledBack;
    private boolean full;
    private boolean keptWaiting;
    private int triedAt;
    private volatile boolean inDoubt;

    SqliteWriteConnection(SqliteFile file, SqliteSidecar sidecar, String ledger, SqliteClock clock)
            throws SQLException {
        this.clock = clock;
        this.file = file;
        this.sidecar = sidecar;
        this.ledger = ledger;
        this.identity = file.identity();
        this.copier = file.connect(SqliteFile.Role.CHECKPOINT);
        this.session = forWriting();
        this.records = new SqliteRecords(session, this, file.time());
    }

    SqliteSession session() {
        return session;
    }

    SqliteRecords records() {
        return records;
    }

    /** The statements that handlers have prepared on the session. */
    SqliteStatementCache cache() {
        return cache;
    }

    @Override
    public void begin() throws SQLException {
        if (unsound || worn) {
            reopen();
        }
        rolledBack = false;
        session.forgetFailure();
        session.connection()
                .unwrap(SQLiteConnection.class)
                .getConnectionConfig()
                .setAutoCommit(true);
        if (full) {
            full = false;
            makeRoom();
        }
        if (inDoubt) {
            overwriteTail();
        }
        start();
    }

    /** A log that was copied back is written again from its beginning, and needs no more of the disk for that. */
    private void makeRoom() {
        try {
            log(CHECKPOINT);
        } catch (SQLException e) {
            // There is no room for that either; the next statement reports it.
            copyDue.set(false);
        }
    }

    private void start() throws SQLException {
        // A file that was removed or replaced still accepts commits, which nobody would ever find.
        if (!file.identity().equals(identity)) {
            throw file.errors().replaced();
        }
        try {
            session.execute(BEGIN);
        } catch (SQLException e) {
            // A handler that left a cursor open holds an old snapshot on this connection; only closing it helps.
            unsound |= SqliteErrors.isStaleSnapshot(e);
            keptWaiting(SqliteErrors.isBusy(e));
            throw e;
        }
        keptWaiting(false);
        readMeta();
    }

    private void readMeta() throws SQLException {
        metaTouched = false;
        long stored = session.first(READ_META, SqliteSession.NOTHING, row -> {
                    epoch = row.getInt(1);
                    modes = row.getLong(3);
                    time = clock.look(new StoreClock.StoredTime(row.getLong(4), row.getLong(5)));
                    return row.getLong(2);
                })
                .orElseThrow(() -> file.errors().replaced());
        if (stored < committed) {
            throw file.errors().replaced();
        }
        committed = stored;
        counter = Math.max(counter, stored);
    }

    private void overwriteTail() throws SQLException {
        start();
        writeAndCommit();
        inDoubt = false;
    }

    private SqliteSession forWriting() throws SQLException {
        SqliteSession fresh = file.connect(SqliteFile.Role.WRITE);
        waitForLock(fresh, keptWaiting);
        return fresh;
    }

    /** A caller that waits here blocks the writer for all others, who would each wait as long again. */
    private static void waitForLock(SqliteSession session, boolean again) throws SQLException {
        session.connection()
                .unwrap(SQLiteConnection.class)
                .setBusyTimeout(again ? SqliteFile.BEGIN_AGAIN_MILLIS : SqliteFile.BEGIN_MILLIS);
    }

    private void keptWaiting(boolean now) throws SQLException {
        if (keptWaiting != now) {
            keptWaiting = now;
            waitForLock(session, now);
        }
    }

    /** The old connection is closed first, with a transaction that it may have open. */
    private void reopen() throws SQLException {
        session.connection().close();
        SqliteSession fresh = forWriting();
        records = new SqliteRecords(fresh, this, file.time());
        cache = new SqliteStatementCache();
        session = fresh;
        worn = false;
        unsound = false;
    }

    /**
     * A handler left something on the connection that the next caller must not see: it is replaced after this transaction.
     */
    void wearOut() {
        worn = true;
    }

    /** The connection may be in the middle of something: nothing is committed on it any more. */
    void spoil() {
        unsound = true;
    }

    /** SQLite has ended the transaction after an error of the handler's. */
    void rolledBack() {
        rolledBack = true;
    }

    @Override
    public boolean isWorn() {
        return worn || unsound;
    }

    @Override
    public boolean rolledBackByItself() {
        return rolledBack || session.failed();
    }

    @Override
    public void giveUp() {
        unsound = true;
        try {
            rollback();
        } catch (RuntimeException | Error e) {
            // The connection is closed before the next transaction, which rolls back as well.
            return;
        }
    }

    @Override
    public void savepoint(int depth) throws SQLException {
        session.execute("SAVEPOINT " + name(depth));
    }

    @Override
    public void release(int depth) throws SQLException {
        session.execute("RELEASE " + name(depth));
    }

    @Override
    public void rollbackTo(int depth) throws SQLException {
        session.execute("ROLLBACK TO " + name(depth));
        if (metaTouched) {
            readMeta();
        }
    }

    private String name(int depth) {
        return "semel_" + token + "_" + depth;
    }

    @Override
    public void commit() throws SQLException {
        if (unsound) {
            throw new SQLException("The connection was given up after an error inside the driver.");
        }
        try {
            if (counter == committed) {
                nextFence();
            }
            writeAndCommit();
        } catch (SQLException e) {
            inDoubt |= SqliteErrors.code(e) == SqliteErrors.IOERR;
            full |= SqliteErrors.code(e) == SqliteErrors.FULL;
            throw e;
        }
    }

    /**
     * By another connection: this one would see what it has not committed. Each commit moves the counter. Another process may
     * have moved it further since, but only after this commit: until then this connection has the file locked.
     */
    @Override
    public boolean hasCommitted() {
        unsound = true;
        try {
            SqliteSession other = file.connect(SqliteFile.Role.CHECKPOINT);
            try {
                long stored = other.first(READ_META, SqliteSession.NOTHING, row -> row.getLong(2))
                        .orElse(-1L);
                return stored >= counter && counter > committed;
            } finally {
                other.close();
            }
        } catch (SQLException e) {
            return false;
        }
    }

    private void writeAndCommit() throws SQLException {
        session.update(WRITE_FENCE, statement -> {
            statement.setLong(1, counter);
            statement.setLong(2, time.mark());
            statement.setLong(3, time.ahead());
        });
        session.execute("COMMIT");
        committed = counter;
    }

    @Override
    public void rollback() {
        try {
            session.execute("ROLLBACK");
        } catch (SQLException e) {
            // A plain error says that there is no transaction: SQLite has rolled it back by itself.
            unsound |= SqliteErrors.code(e) != SqliteErrors.ERROR;
        }
    }

    @Override
    public boolean inDoubt() {
        return inDoubt;
    }

    @Override
    public long nextFence() throws SQLException {
        if (counter >= mark) {
            raiseMark();
        }
        counter++;
        return fence(epoch, counter);
    }

    /** So many fences, each one more than the last; tells the first. */
    long nextFences(int count) throws SQLException {
        long first = nextFence();
        for (int i = 1; i < count; i++) {
            nextFence();
        }
        return first;
    }

    @Override
    public long modes() {
        return modes;
    }

    /** The work has changed the epoch or the modes. */
    void metaChanged(int newEpoch, long newModes) {
        metaTouched = true;
        epoch = newEpoch;
        modes = newModes;
    }

    int epoch() {
        return epoch;
    }

    private void raiseMark() {
        try {
            mark = SqliteFences.raise(sidecar, new SqliteSidecar.Content(ledger, epoch, committed, counter + BLOCK));
        } catch (IOException e) {
            throw file.errors().sidecar(sidecar.path(), e);
        }
    }

    /** Writes down the epoch in the sidecar before the database may commit it. */
    void raiseEpoch(int to) {
        try {
            Optional<SqliteSidecar.Content> old = sidecar.read();
            long floor = old.map(SqliteSidecar.Content::mark).orElse(0L);
            long raised = Math.max(floor, counter + BLOCK);
            sidecar.write(new SqliteSidecar.Content(ledger, to, committed, raised));
            mark = raised;
        } catch (IOException e) {
            throw file.errors().sidecar(sidecar.path(), e);
        }
    }

    /**
     * Two steps keep the log short without holding the writer for long. Once enough has gathered, the committing
     * thread copies it into the database on another connection, after everyone was answered. Writers continue
     * meanwhile, so a little is always left, and the log starts again from its beginning only when nothing is: the
     * next commit copies that little itself.
     *
     * <p>On a small disk less is enough: the log may not grow beyond the free space, or there would be no room to
     * copy it to.
     */
    @Override
    public void tend() {
        try {
            int[] log = log(LOG);
            int left = log[0] - log[1];
            int enough = (int) Math.max(LEAST, Math.min(CHECKPOINT_AT, file.room() / PAGE));
            copyDue.set(left >= enough);
            if (log[0] < triedAt) {
                triedAt = 0;
            }
            if (log[0] - triedAt >= enough && left < Math.max(FEW, enough / 4)) {
                triedAt = log[0];
                log(CHECKPOINT);
            }
        } catch (SQLException e) {
            // The commit stands. A log that is not copied now is copied later.
            copyDue.set(false);
        }
    }

    private int[] log(String pragma) throws SQLException {
        return session.first(pragma, SqliteSession.NOTHING, row -> new int[] {row.getInt(2), row.getInt(3)})
                .orElse(new int[] {0, 0});
    }

    @Override
    public void afterCommit() {
        Copying last = copying.get();
        Copying mine = new Copying();
        if (!copyDue.get() || !last.over || !copying.compareAndSet(last, mine)) {
            return;
        }
        try {
            copyDue.set(false);
            copier.first(CHECKPOINT, SqliteSession.NOTHING, row -> row.getInt(1));
        } catch (SQLException e) {
            copyDue.set(false);
        } finally {
            // A field can be written without stack and without memory.
            mine.over = true;
        }
    }

    /** One caller that copies the log. */
    private static final class Copying {
        private volatile boolean over;

        static Copying ended() {
            Copying ended = new Copying();
            ended.over = true;
            return ended;
        }
    }

    /** A clean shutdown writes the last fence to the sidecar, so that any older copy is recognised. */
    void close() throws SQLException {
        try {
            start();
            sidecar.write(new SqliteSidecar.Content(
                    ledger,
                    epoch,
                    committed,
                    Math.max(
                            mark,
                            sidecar.read().map(SqliteSidecar.Content::mark).orElse(0L))));
        } catch (SQLException | IOException | SemelException e) {
            // Without it the next opening skips to the mark, as after a crash.
            unsound = true;
        } finally {
            rollback();
            copier.close();
            session.close();
        }
    }
}
