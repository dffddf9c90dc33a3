package dev.semel.jdbc.sqlite;

import dev.semel.time.StoreClock;
import dev.semel.time.TimeSource;

/**
 * The time of a ledger in a file, which all processes that have it open share. The shared state is in the ledger's
 * own row, which every write transaction reads at its beginning and writes at its end, so that it costs nothing.
 */
final class SqliteClock {
    private final TimeSource wall;
    private final StoreClock clock;

    SqliteClock(TimeSource wall) {
        this.wall = wall;
        this.clock = new StoreClock(wall);
    }

    /** By which records are judged. */
    TimeSource time() {
        return clock;
    }

    /**
     * Compares the clocks, if it is time to. Under the file's write lock.
     *
     * @param kept as it was read
     * @return what is to be written with the commit
     */
    StoreClock.StoredTime look(StoreClock.StoredTime kept) {
        return clock.due() ? clock.look(kept, wall.millis(), wall.nanos()) : kept;
    }
}
