package dev.semel.jdbc.sqlite;

import java.io.IOException;
import java.sql.SQLException;
import java.util.Optional;

/** The state of the whole ledger that a grant needs, inside the transaction that grants. */
interface SqliteFences {
    /** A fence that was never issued before. */
    long nextFence() throws SQLException;

    /** The version of the modes. */
    long modes();

    int EPOCH_SHIFT = 48;

    default long fence(int epoch, long counter) {
        return (long) epoch << EPOCH_SHIFT | counter;
    }

    /**
     * Sees to it that the sidecar's mark is beyond the fence that is issued next. Another process may have raised it
     * already. Called under the database's write lock.
     *
     * @param wanted with the mark to write if it must be raised
     * @return the mark that holds
     */
    static long raise(SqliteSidecar sidecar, SqliteSidecar.Content wanted) throws IOException {
        Optional<SqliteSidecar.Content> found = sidecar.read();
        long mark = found.map(SqliteSidecar.Content::mark).orElse(0L);
        if (mark > wanted.mark() - SqliteWriteConnection.BLOCK) {
            return mark;
        }
        long seen =
                Math.max(wanted.seen(), found.map(SqliteSidecar.Content::seen).orElse(0L));
        sidecar.write(new SqliteSidecar.Content(wanted.ledger(), wanted.epoch(), seen, wanted.mark()));
        return wanted.mark();
    }
}
