package dev.semel.jdbc.sqlite;

import dev.semel.time.TimeSource;
import java.time.Duration;

/**
 * Writes that nobody waits for, such as purges, in many small transactions. Between them the writer belongs to the callers: as long
 * as there are any, a write is followed by a pause of {@value #SHARE} times its length, so that it takes at most a tenth of the
 * writer, and never by a longer one than {@link #LONGEST}, so that a purge ends however busy the store is. On an idle store there
 * is no pause.
 */
final class SqliteBackground {
    private static final int SHARE = 9;
    private static final Duration LOOK = Duration.ofMillis(2);
    private static final Duration SHORTEST = Duration.ofMillis(20);
    private static final Duration LONGEST = Duration.ofMillis(150);

    private final SqliteAccess access;
    private final TimeSource time;
    private volatile long lastNanos;
    private volatile long servedByLast;

    /** @param time by which is waited: never a clock that is moved by hand */
    SqliteBackground(SqliteAccess access, TimeSource time) {
        this.access = access;
        this.time = time;
    }

    <T> T write(SqliteAccess.Write<T> write) {
        giveWay();
        return access.write(db -> {
            long since = time.nanos();
            try {
                return write.run(db);
            } finally {
                lastNanos = time.nanos() - since;
                servedByLast = access.writer().served();
            }
        });
    }

    /** No caller waits, and no caller has written since the last background write. */
    private boolean isIdle() {
        return access.writer().queued() == 0 && access.writer().served() == servedByLast;
    }

    /** An interrupt ends the pause, not the write. */
    private void giveWay() {
        if (access.writer().isMine() || isIdle()) {
            return;
        }
        long pause = Math.min(LONGEST.toNanos(), Math.max(SHORTEST.toNanos(), SHARE * lastNanos));
        long since = time.nanos();
        try {
            boolean busy = true;
            while (busy && time.nanos() - since < pause) {
                long served = access.writer().served();
                time.sleep(LOOK);
                busy = access.writer().queued() > 0 || access.writer().served() != served;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
