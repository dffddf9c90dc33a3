package dev.semel.jdbc.sqlite;

import dev.semel.store.Store;
import java.sql.SQLException;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import org.sqlite.ProgressHandler;

/** What a store on SQLite reads: the statements, and how much work they are in steps of SQLite's machine. */
public final class SqliteReads {
    private static final int STEPS = 100;

    private final SqliteReaders readers;
    private final AtomicLong steps = new AtomicLong();

    public SqliteReads(Store store) {
        this.readers = ((SqliteStore) store).access().readers();
    }

    /** Every statement that was run to read, since the store was opened. */
    public Set<String> texts() {
        Set<String> texts = new TreeSet<>();
        readers.sessions().forEach(session -> texts.addAll(session.texts()));
        return texts;
    }

    /** The work of a task, in which no connection is used for the first time. */
    public long stepsOf(Runnable task) {
        try {
            int known = readers.sessions().size();
            for (SqliteSession session : readers.sessions()) {
                ProgressHandler.setHandler(session.connection(), STEPS, new ProgressHandler() {
                    @Override
                    protected int progress() {
                        steps.addAndGet(STEPS);
                        return 0;
                    }
                });
            }
            long before = steps.get();
            task.run();
            if (known != readers.sessions().size()) {
                throw new IllegalStateException("A connection was used for the first time: its work is not counted.");
            }
            return steps.get() - before;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
