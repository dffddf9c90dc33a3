package dev.semel.jdbc.sqlite;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/** A transaction in memory that does what a test says. Used by the holder of the writer only, as the real one is. */
final class ScriptedDatabase implements SqliteWriter.Database {
    final List<String> committed = new ArrayList<>();
    private final List<String> open = new ArrayList<>();
    private final List<Integer> savepoints = new ArrayList<>();
    private Predicate<List<String>> failingCommits = writes -> false;
    private SQLiteErrorCode commitCode = SQLiteErrorCode.SQLITE_FULL;
    private boolean failingBegin;
    private volatile boolean inDoubt;
    private boolean lost;
    private boolean begun;
    private boolean landed;
    private boolean keepsWhatItGivesUp;
    private int untilError;
    int begins;

    /** The n-th command from here on runs out of stack, before or after it was carried out. */
    void failCommand(int number) {
        untilError = number;
    }

    /** A planted bug: the transaction of a caller that died stays open. */
    void plantOpenTransaction() {
        keepsWhatItGivesUp = true;
    }

    boolean hasFailed() {
        return untilError <= 0;
    }

    private void command() {
        if (--untilError == 0) {
            throw new StackOverflowError("scripted");
        }
    }

    void write(String what) {
        open.add(what);
    }

    List<String> seen() {
        List<String> all = new ArrayList<>(committed);
        all.addAll(open);
        return all;
    }

    /** As SQLite does by itself when the disk is full. */
    void loseTransaction() {
        open.clear();
        savepoints.clear();
        lost = true;
    }

    /** As a handler does that says COMMIT. */
    void endTransaction() {
        open.clear();
        savepoints.clear();
        begun = false;
    }

    void failCommits(SQLiteErrorCode code, Predicate<List<String>> of) {
        commitCode = code;
        failingCommits = of;
    }

    void failBegin(boolean failing) {
        failingBegin = failing;
    }

    @Override
    public void begin() throws SQLException {
        command();
        begins++;
        if (begun) {
            throw new SQLiteException("a transaction within a transaction", SQLiteErrorCode.SQLITE_ERROR);
        }
        if (failingBegin) {
            throw new SQLiteException("scripted", SQLiteErrorCode.SQLITE_BUSY);
        }
        inDoubt = false;
        lost = false;
        landed = false;
        begun = true;
        open.clear();
        savepoints.clear();
        command();
    }

    @Override
    public void savepoint(int depth) {
        command();
        while (savepoints.size() <= depth) {
            savepoints.add(0);
        }
        savepoints.set(depth, open.size());
        command();
    }

    @Override
    public void release(int depth) throws SQLException {
        command();
        demand(depth);
        savepoints.subList(depth, savepoints.size()).clear();
    }

    @Override
    public void rollbackTo(int depth) throws SQLException {
        command();
        demand(depth);
        open.subList(savepoints.get(depth), open.size()).clear();
    }

    private void demand(int depth) throws SQLException {
        if (savepoints.size() <= depth) {
            throw new SQLiteException("no such savepoint", SQLiteErrorCode.SQLITE_ERROR);
        }
    }

    @Override
    public void commit() throws SQLException {
        command();
        if (failingCommits.test(open)) {
            inDoubt = commitCode == SQLiteErrorCode.SQLITE_IOERR_FSYNC;
            throw new SQLiteException("scripted", commitCode);
        }
        committed.addAll(open);
        open.clear();
        begun = false;
        landed = true;
        command();
    }

    @Override
    public boolean hasCommitted() {
        return landed;
    }

    @Override
    public void tend() {
        command();
    }

    @Override
    public void rollback() {
        open.clear();
        savepoints.clear();
        begun = false;
        command();
    }

    @Override
    public void giveUp() {
        if (!keepsWhatItGivesUp) {
            rollback();
        }
    }

    @Override
    public boolean isWorn() {
        return false;
    }

    @Override
    public boolean rolledBackByItself() {
        return lost;
    }

    @Override
    public boolean inDoubt() {
        return inDoubt;
    }

    @Override
    public void afterCommit() {}
}
