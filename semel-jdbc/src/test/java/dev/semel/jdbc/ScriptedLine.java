package dev.semel.jdbc;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/** A transaction in memory that does what a test says. Used by the holder of the writer only, as the real one is. */
final class ScriptedLine implements SqliteWriter.Line {
    final List<String> committed = new ArrayList<>();
    private final List<String> open = new ArrayList<>();
    private final List<Integer> savepoints = new ArrayList<>();
    private Predicate<List<String>> failingCommits = writes -> false;
    private SQLiteErrorCode commitCode = SQLiteErrorCode.SQLITE_FULL;
    private boolean failingBegin;
    private volatile boolean inDoubt;
    int begins;

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
        begins++;
        if (failingBegin) {
            throw new SQLiteException("scripted", SQLiteErrorCode.SQLITE_BUSY);
        }
        inDoubt = false;
        open.clear();
        savepoints.clear();
    }

    @Override
    public void savepoint(int depth) {
        while (savepoints.size() <= depth) {
            savepoints.add(0);
        }
        savepoints.set(depth, open.size());
    }

    @Override
    public void release(int depth) throws SQLException {
        demand(depth);
        savepoints.subList(depth, savepoints.size()).clear();
    }

    @Override
    public void rollbackTo(int depth) throws SQLException {
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
        if (failingCommits.test(open)) {
            inDoubt = commitCode == SQLiteErrorCode.SQLITE_IOERR_FSYNC;
            throw new SQLiteException("scripted", commitCode);
        }
        committed.addAll(open);
        open.clear();
    }

    @Override
    public void rollback() {
        open.clear();
        savepoints.clear();
    }

    @Override
    public boolean inDoubt() {
        return inDoubt;
    }

    @Override
    public void afterCommit() {}
}
