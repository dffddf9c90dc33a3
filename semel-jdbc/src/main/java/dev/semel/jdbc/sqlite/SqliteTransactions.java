package dev.semel.jdbc.sqlite;

import dev.semel.SemelException;
import dev.semel.jdbc.Demarcation;
import dev.semel.store.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

final class SqliteTransactions implements Transactions {
    /** Another process that wrote in between costs another try. */
    private static final int TRIES = 5;

    private final SqliteAccess access;
    private final SqliteJoined.Marks marks;
    private final @Nullable Demarcation demarcation;

    /** The innermost transaction on the writer; touched only by the thread that holds it. */
    private @Nullable SqliteTx current;

    /** @param demarcation who begins and ends transactions; absent when they are the writer's */
    SqliteTransactions(SqliteAccess access, SqliteJoined.Marks marks, @Nullable Demarcation demarcation) {
        this.access = access;
        this.marks = marks;
        this.demarcation = demarcation;
    }

    @Override
    public <T> T run(Work<T> work) throws Exception {
        return demarcation == null ? onWriter(work) : demarcated(demarcation, work);
    }

    private <T> T onWriter(Work<T> work) throws Exception {
        if (access.writer().isMine()) {
            return once(work);
        }
        SqlitePatience patience = new SqlitePatience(access, true);
        while (true) {
            WorkStarted begun = new WorkStarted();
            try {
                return once(tx -> {
                    begun.begun = true;
                    return work.run(tx);
                });
            } catch (SemelException.Locked e) {
                if (begun.begun) {
                    throw e;
                }
                patience.demandMore(e);
            }
        }
    }

    /** Whether the work began: later exceptions are its own. */
    private static final class WorkStarted {
        private boolean begun;
    }

    private <T> T once(Work<T> work) throws Exception {
        return access.writer().run("an atomic handler", db -> {
            SqliteTx outer = current;
            SqliteTx tx = new OnWriter(db);
            current = tx;
            try {
                return work.run(tx);
            } finally {
                current = outer;
                tx.end();
            }
        });
    }

    /**
     * In a transaction on a connection of the application's own. The writer is held meanwhile: so the writes of this
     * process are ordered here, and only other processes are waited for at the file's lock.
     */
    private <T> T demarcated(Demarcation by, Work<T> work) throws Exception {
        for (int attempt = 1; ; attempt++) {
            try {
                return access.writer().aside("an atomic handler", () -> once(by, work));
            } catch (SemelException.TransactionMustBeRetried e) {
                if (attempt == TRIES) {
                    throw access.errors().lostTooOften(e);
                }
            }
        }
    }

    private <T> T once(Demarcation by, Work<T> work) throws Exception {
        Demarcation.Begun begun = begun(by);
        SqliteTx tx = new SqliteJoined(begun.connection(), access.file(), marks, false);
        Ended<T> ended = null;
        boolean over = false;
        try {
            ended = tx.part(() -> {
                Ended<T> done = work.run(tx);
                return new Ended<>(done, done.keep());
            });
        } finally {
            try {
                tx.end();
                over = true;
            } finally {
                if (!over || ended == null || !ended.keep()) {
                    begun.rollback();
                }
            }
        }
        if (ended.keep()) {
            commit(begun);
        }
        return ended.value();
    }

    private Demarcation.Begun begun(Demarcation by) {
        try {
            return by.begin();
        } catch (SemelException e) {
            throw e;
        } catch (RuntimeException e) {
            throw access.errors().notBegun(e);
        }
    }

    /**
     * What SQLite refuses at the commit is rolled back, unless the disk did not say whether it has the log's end. That reason
     * may be hidden behind a rollback for which there was nothing left, which SQLite calls a plain error.
     */
    private void commit(Demarcation.Begun begun) throws Exception {
        try {
            begun.commit();
        } catch (SemelException e) {
            throw e;
        } catch (Exception e) {
            SQLException driver = SqliteErrors.in(e);
            if (driver == null && e instanceof SQLException unknown) {
                throw access.errors().commitFailed(unknown, true);
            }
            if (driver != null) {
                int code = SqliteErrors.code(driver);
                boolean inDoubt = code == SqliteErrors.IOERR || code == SqliteErrors.ERROR;
                throw access.errors().commitFailed(driver, inDoubt);
            }
            throw e;
        }
    }

    /** A connection that an atomic handler was given leads back to its transaction. */
    @Override
    public Tx join(Connection connection) {
        SqliteTx mine = access.writer().isMine() ? current : null;
        return mine != null && mine.gave(connection) ? mine : new SqliteJoined(connection, access.file(), marks, true);
    }

    @Override
    public long changes(Connection connection) {
        try {
            return SqliteTx.changes(connection);
        } catch (SQLException e) {
            throw access.errors().unavailable(e);
        }
    }

    private final class OnWriter extends SqliteTx {
        private final SqliteWriteConnection db;

        OnWriter(SqliteWriteConnection db) {
            super(db.records(), db.session().connection(), db.cache(), access.errors());
            this.db = db;
        }

        @Override
        public void abandon() {
            db.spoil();
        }

        @Override
        void sessionChanges(String by) {
            db.wearOut();
        }

        @Override
        void rolledBack() {
            db.rolledBack();
        }

        @Override
        SemelException translated(SQLException e) {
            return access.errors().writeFailed(e);
        }

        @Override
        public <T> T part(Part<T> part) throws Exception {
            return access.writer().run("a part of an atomic handler", held -> part.run());
        }
    }
}
