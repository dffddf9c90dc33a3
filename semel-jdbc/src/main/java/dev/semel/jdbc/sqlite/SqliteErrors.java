package dev.semel.jdbc.sqlite;

import dev.semel.SemelException;
import dev.semel.store.CommitRefused;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/**
 * What SQLite's result codes mean for a caller of this store.
 *
 * @param store its name, for messages
 */
record SqliteErrors(String store) {
    static final int ERROR = SQLiteErrorCode.SQLITE_ERROR.code;
    static final int BUSY = SQLiteErrorCode.SQLITE_BUSY.code;
    static final int LOCKED = SQLiteErrorCode.SQLITE_LOCKED.code;
    static final int READONLY = SQLiteErrorCode.SQLITE_READONLY.code;
    static final int IOERR = SQLiteErrorCode.SQLITE_IOERR.code;
    static final int CORRUPT = SQLiteErrorCode.SQLITE_CORRUPT.code;
    static final int FULL = SQLiteErrorCode.SQLITE_FULL.code;
    static final int CANTOPEN = SQLiteErrorCode.SQLITE_CANTOPEN.code;
    static final int CONSTRAINT = SQLiteErrorCode.SQLITE_CONSTRAINT.code;
    static final int NOTADB = SQLiteErrorCode.SQLITE_NOTADB.code;
    static final int TOOBIG = SQLiteErrorCode.SQLITE_TOOBIG.code;
    static final int MISMATCH = SQLiteErrorCode.SQLITE_MISMATCH.code;

    private static final int DEEPEST = 20;

    /** SQLite's primary result code. */
    static int code(SQLException e) {
        return e.getErrorCode() & 0xff;
    }

    /** Whether SQLite may have rolled the transaction back because of it: no room, no memory, a broken disk. */
    static boolean mayRollBack(SQLException e) {
        int code = code(e);
        return code != ERROR && code != CONSTRAINT;
    }

    /** SQLite refuses the data itself, and would again: a constraint, a value that is too big or of another type. */
    static boolean badData(SQLException e) {
        int code = code(e);
        return code == CONSTRAINT || code == TOOBIG || code == MISMATCH;
    }

    static boolean isBusy(SQLException e) {
        int code = code(e);
        return code == BUSY || code == LOCKED;
    }

    /** The driver's own exception, unwrapped. */
    static @Nullable SQLException in(Throwable thrown) {
        Throwable cause = thrown;
        for (int depth = 0; cause != null && depth < DEEPEST; depth++) {
            if (cause instanceof SQLiteException sqlite) {
                return sqlite;
            }
            cause = cause.getCause();
        }
        return null;
    }

    /** Whether another transaction has written since this one first read. */
    static boolean isStaleSnapshot(SQLException e) {
        return e instanceof SQLiteException sqlite && sqlite.getResultCode() == SQLiteErrorCode.SQLITE_BUSY_SNAPSHOT;
    }

    SemelException.StoreUnavailable unavailable(SQLException e) {
        return new SemelException.StoreUnavailable(
                store + ": " + reason(e) + " Nothing was committed; the same call may be repeated.", e);
    }

    /** For a failed write of Semel's own. */
    SemelException writeFailed(SQLException e) {
        return badData(e)
                ? new SemelException.DataRefused(
                        "the store rejected its data (SQLite result code " + code(e)
                                + "); nothing was written for it. Repeating it is rejected again: correct the data.",
                        e)
                : unavailable(e);
    }

    SemelException.StoreUnavailable cannotBegin(SQLException e) {
        if (isBusy(e)) {
            return new SemelException.Locked(
                    store
                            + ": timed out waiting for the file's write lock, which another process holds; nothing was run."
                            + " Repeat the call later, and look for a long transaction on this file.",
                    e);
        }
        return new SemelException.StoreUnavailable(store + ": could not begin a write transaction: " + reason(e), e);
    }

    /** @throws CommitRefused when a constraint that was deferred to the commit refused what the work had written */
    SemelException commitFailed(@Nullable Exception cause, boolean inDoubt) {
        if (!inDoubt && cause instanceof SQLException e && code(e) == CONSTRAINT) {
            throw new CommitRefused(e);
        }
        String why = cause instanceof SQLException e ? reason(e) : String.valueOf(cause);
        if (inDoubt) {
            return new SemelException.OutcomeUnknown(
                    store
                            + ": could not sync the commit to the disk, and it may still take effect if this process dies:"
                            + " " + why + " Repeat the same call to learn the outcome.",
                    cause == null ? new IllegalStateException(why) : cause);
        }
        String message =
                store + ": the commit failed: " + why + " Nothing was committed; the same call may be repeated.";
        return cause == null
                ? new SemelException.StoreUnavailable(message)
                : new SemelException.StoreUnavailable(message, cause);
    }

    SemelException.OutcomeUnknown stillInDoubt(SemelException.StoreUnavailable e) {
        return new SemelException.OutcomeUnknown(
                store
                        + ": could not sync the commit to the disk, nor overwrite what it left in the log."
                        + " Check the disk, then repeat the same call to learn the outcome.",
                e);
    }

    SemelException.StoreUnavailable writerHeld(int seconds, String holder) {
        return new SemelException.StoreUnavailable(store + ": could not get the writer within " + seconds + " s: "
                + holder + ". Nothing was run. Look at what that thread waits for; the same call may be repeated.");
    }

    SemelException.OutcomeUnknown batchHeld(int seconds, String holder) {
        String message = store + ": the commit that this call shares with others did not come within " + seconds
                + " s: " + holder + ". Repeat the same call to learn the outcome.";
        return new SemelException.OutcomeUnknown(message, new IllegalStateException(holder));
    }

    SemelException.TransactionEnded endedByHandler(SQLException e) {
        return new SemelException.TransactionEnded(
                store + ": the handler has ended the transaction in which it ran, which is Semel's. What it had written"
                        + " may be committed without its record; it was not run again. Remove COMMIT, ROLLBACK and the"
                        + " like from the handler, then look at what it has written before you repeat the call.",
                e);
    }

    SemelException.StoreUnavailable rolledBackByItself() {
        return new SemelException.StoreUnavailable(store
                + ": SQLite rolled the transaction back after an error that the handler did not rethrow. Nothing was"
                + " committed; the same call may be repeated.");
    }

    SemelException.StoreUnavailable stillInUse() {
        return new SemelException.StoreUnavailable(store
                + ": another thread is still running a statement on the handler's connection, and could not be stopped."
                + " Nothing was committed. No thread may use the connection after the handler has returned.");
    }

    SemelException.StoreUnavailable closed() {
        return new SemelException.StoreUnavailable(store + " is closed. Nothing was run.");
    }

    SemelException.StoreUnavailable interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new SemelException.StoreUnavailable(
                store + ": interrupted while waiting for the writer. Nothing was run.", e);
    }

    SemelException.TransactionMustBeRetried mustBeRetried(SQLException e) {
        return new SemelException.TransactionMustBeRetried(
                store
                        + ": another transaction is writing, or has written since yours began to read. Roll yours back and"
                        + " run it again; beginning it with BEGIN IMMEDIATE avoids this.",
                e);
    }

    SemelException.Locked lostTooOften(SemelException.TransactionMustBeRetried e) {
        return new SemelException.Locked(
                store
                        + ": could not get the file's write lock; nothing was committed. Look for a long transaction on"
                        + " this file, then repeat the call.",
                e);
    }

    SemelException.StoreUnavailable notBegun(RuntimeException e) {
        return new SemelException.StoreUnavailable(
                store + ": could not begin a transaction (" + e.getMessage()
                        + "); nothing was run. Repeat the call later.",
                e);
    }

    SemelException.Invalid insideAnother() {
        return new SemelException.Invalid(store
                + ": this call would write outside of the transaction that the calling thread has open on the same file,"
                + " and would wait for it for ever. Make the call before or after the transaction.");
    }

    SemelException.StoreUnavailable replaced() {
        return new SemelException.StoreUnavailable(store
                + ": the file was replaced or emptied while it was open. Nothing was run. Put the right file back and start"
                + " this process again.");
    }

    SemelException.StoreUnavailable sidecar(Path path, IOException e) {
        return new SemelException.StoreUnavailable(
                store + ": " + path + " could not be written, so no fence can be issued ("
                        + e.getMessage()
                        + "). Free disk space or fix its permissions; no restart is needed. Nothing was committed.",
                e);
    }

    SemelException.Misconfigured refused(String fault) {
        return new SemelException.Misconfigured(store + " cannot be opened", List.of(fault));
    }

    SemelException.Misconfigured noLedger() {
        return refused(
                "there is no ledger in this place, and it may not be created here: check the path, or let the application"
                        + " that uses the ledger open it first");
    }

    /** For a failure while the store is being opened. */
    SemelException cannotOpen(SQLException e) {
        return isBusy(e) ? unavailable(e) : refused(reasonWithoutStop(e));
    }

    private static String reason(SQLException e) {
        return reasonWithoutStop(e) + ".";
    }

    private static String reasonWithoutStop(SQLException e) {
        int code = code(e);
        if (code == BUSY || code == LOCKED) {
            return "timed out waiting for the write lock, which another process or connection holds: look for a long"
                    + " transaction on this file, then repeat";
        }
        if (code == FULL) {
            return "the disk is full: free some space; no restart is needed";
        }
        if (code == IOERR) {
            return "the disk reported an error (" + e.getMessage() + "): check the device and the system's log";
        }
        if (code == READONLY || code == CANTOPEN) {
            return "the file cannot be written: check that it, its directory and its -wal and -shm files belong to the user"
                    + " this process runs as, and that the file system is mounted for writing";
        }
        if (code == NOTADB || code == CORRUPT) {
            return "the file is damaged or is not a SQLite database: put back an intact copy, or name another file; it is"
                    + " never replaced by an empty ledger";
        }
        return "SQLite reported " + e.getMessage();
    }
}
