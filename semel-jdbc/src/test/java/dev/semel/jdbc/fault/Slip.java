package dev.semel.jdbc.fault;

import dev.semel.store.Claimed;
import dev.semel.store.Row;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Planted bugs of a carrier, which the judge must catch. */
enum Slip {
    NONE,
    /** Says "done" and delivers afterwards, on another thread. */
    FINISHES_FIRST,
    /** Begins with the last of those that it was granted. */
    IGNORES_LANES;

    private static final ExecutorService AFTERWARDS = Executors.newSingleThreadExecutor(task -> {
        Thread thread = new Thread(task, "afterwards");
        thread.setDaemon(true);
        return thread;
    });

    @FunctionalInterface
    interface Delivering {
        Object deliver() throws SQLException;
    }

    void deliver(Delivering delivering) throws SQLException {
        if (this == FINISHES_FIRST) {
            AFTERWARDS.submit(() -> {
                Thread.sleep(10);
                return delivering.deliver();
            });
        } else {
            delivering.deliver();
        }
    }

    Claimed claimed(Claimed claimed) {
        if (this != IGNORES_LANES) {
            return claimed;
        }
        List<Row> reversed = new ArrayList<>(claimed.rows());
        Collections.reverse(reversed);
        return new Claimed(reversed, claimed.more(), claimed.last(), claimed.modesChanged());
    }
}
