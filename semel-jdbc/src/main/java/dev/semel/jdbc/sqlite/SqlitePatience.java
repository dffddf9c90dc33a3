package dev.semel.jdbc.sqlite;

import dev.semel.SemelException;
import dev.semel.time.TimeSource;
import java.util.concurrent.TimeUnit;

/**
 * How long one caller keeps trying for the file's write lock, which another process holds. As long as other processes
 * commit one after the other its turn may come at any moment. One transaction that holds the lock all the time is the
 * handler of another engine, or somebody's long transaction: a caller that can do something else meanwhile is
 * answered soon.
 */
final class SqlitePatience {
    private static final long STUCK_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long LONGEST_NANOS = TimeUnit.MILLISECONDS.toNanos(SqliteFile.BUSY_MILLIS);

    private final SqliteAccess access;
    private final boolean hasty;
    private final TimeSource time = TimeSource.system();
    private final long since = time.nanos();
    private long seenAt = since;
    private long seen = -1;

    /** @param hasty whether a single transaction that holds the lock is not waited for */
    SqlitePatience(SqliteAccess access, boolean hasty) {
        this.access = access;
        this.hasty = hasty;
    }

    /** Returns if another try is worth while. */
    void demandMore(SemelException.Locked e) {
        long now = time.nanos();
        if (now - since >= LONGEST_NANOS) {
            throw e;
        }
        if (!hasty) {
            return;
        }
        long fence = access.committedFence();
        if (seen >= 0 && fence != seen) {
            seenAt = now;
        }
        seen = fence;
        if (now - seenAt >= STUCK_NANOS) {
            throw e;
        }
    }
}
