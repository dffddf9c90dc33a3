package dev.semel.jdbc.sqlite;

import dev.semel.SemelException;
import dev.semel.jdbc.shared.StatementCache;
import dev.semel.store.Transactions.Ended;
import dev.semel.store.Transactions.Part;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The caller's own transaction on its own connection to the file. Before anything is looked at it takes the file's write lock,
 * by counting the ledger's fence up: so what it finds stands until the caller's transaction ends. If somebody else is writing,
 * or has written since the caller's transaction first read, the caller must begin again.
 */
final class SqliteJoined extends SqliteTx {
    private final Fences fences;
    private final SqliteSession session;
    private final SqliteErrors errors;
    private final boolean callersOwn;
    private int depth;
    private boolean rolledBack;

    /** @param callersOwn whether the caller began the transaction itself, and keeps the connection afterwards */
    SqliteJoined(Connection connection, SqliteFile file, Marks marks, boolean callersOwn) {
        this(new Fences(new SqliteSession(connection), file, marks), file, callersOwn);
    }

    private SqliteJoined(Fences fences, SqliteFile file, boolean callersOwn) {
        super(
                new SqliteRecords(fences.session, fences, file.time()),
                fences.session.connection(),
                StatementCache.NONE,
                file.errors());
        this.fences = fences;
        this.callersOwn = callersOwn;
        this.session = fences.session;
        this.errors = file.errors();
    }

    @Override
    void enter() throws SQLException {
        demandTransaction();
        fences.count();
    }

    /** SQLite tells only by refusing whether there is a transaction. */
    private void demandTransaction() throws SQLException {
        try {
            session.execute("BEGIN");
        } catch (SQLException e) {
            if (SqliteErrors.code(e) == SqliteErrors.ERROR) {
                return;
            }
            throw e;
        }
        session.execute("ROLLBACK");
        throw new SemelException.Invalid("The connection to join is not in a transaction, so nothing would hold the"
                + " effect and its record together. Call setAutoCommit(false) first, or run without joining.");
    }

    /** The application's pool would hand the connection to the next caller as it is. */
    @Override
    void sessionChanges(String by) throws SQLException {
        if (!callersOwn) {
            throw new SQLException(
                    by + " was refused: it would stay on the connection, which belongs to the application's pool. Do it"
                            + " outside of Semel, on a connection of your own.",
                    "2D000");
        }
    }

    @Override
    void end() {
        super.end();
        try {
            session.forget();
        } catch (SQLException e) {
            // The connection closes its statements itself; the commit reports the outcome of their work.
            return;
        }
    }

    @Override
    SemelException translated(SQLException e) {
        return SqliteErrors.isBusy(e) ? errors.mustBeRetried(e) : errors.writeFailed(e);
    }

    @Override
    public <T> T part(Part<T> part) throws Exception {
        String name = "semel_part_" + Integer.toHexString(System.identityHashCode(this)) + "_" + depth++;
        session.execute("SAVEPOINT " + name);
        boolean keep = false;
        try {
            Ended<T> ended = part.run();
            keep = ended.keep();
            return ended.value();
        } finally {
            depth--;
            close(name, keep);
        }
    }

    private void close(String name, boolean keep) throws SQLException {
        try {
            if (!keep) {
                session.execute("ROLLBACK TO " + name);
            }
            session.execute("RELEASE " + name);
        } catch (SQLException e) {
            if (SqliteErrors.code(e) == SqliteErrors.ERROR && !rolledBack && !session.failed()) {
                throw errors.endedByHandler(e);
            }
            throw e;
        }
    }

    @Override
    void rolledBack() {
        rolledBack = true;
    }

    /** How far the sidecar is known to allow fences, and to which ledger it belongs. */
    static final class Marks {
        private final SqliteSidecar sidecar;
        private final String ledger;
        private final AtomicLong known = new AtomicLong();

        Marks(SqliteSidecar sidecar, String ledger) {
            this.sidecar = sidecar;
            this.ledger = ledger;
        }
    }

    private static final class Fences implements SqliteFences {
        private static final String COUNT =
                "UPDATE semel_meta SET fence = fence + 1, mark = max(mark, ?) RETURNING ledger, epoch, fence, modes";

        private final SqliteSession session;
        private final SqliteFile file;
        private final Marks marks;
        private long modes;

        Fences(SqliteSession session, SqliteFile file, Marks marks) {
            this.session = session;
            this.file = file;
            this.marks = marks;
        }

        long count() throws SQLException {
            return session.first(
                            COUNT, statement -> statement.setLong(1, file.time().millis()), row -> {
                                demandSame(row.getString(1));
                                modes = row.getLong(4);
                                demandMark(row.getInt(2), row.getLong(3));
                                return fence(row.getInt(2), row.getLong(3));
                            })
                    .orElseThrow(() -> file.errors().replaced());
        }

        private void demandSame(String ledger) {
            if (!ledger.equals(marks.ledger)) {
                throw new SemelException.Invalid("The connection to join leads to another file than "
                        + file.errors().store() + ". Open both on one file.");
            }
        }

        private void demandMark(int epoch, long counter) {
            if (counter <= marks.known.get()) {
                return;
            }
            try {
                long mark = SqliteFences.raise(
                        marks.sidecar,
                        new SqliteSidecar.Content(marks.ledger, epoch, 0, counter - 1 + SqliteWriteConnection.BLOCK));
                marks.known.accumulateAndGet(mark, Math::max);
            } catch (IOException e) {
                throw file.errors().sidecar(marks.sidecar.path(), e);
            }
        }

        @Override
        public long nextFence() throws SQLException {
            return count();
        }

        @Override
        public long modes() {
            return modes;
        }
    }
}
