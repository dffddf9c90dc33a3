package dev.semel.jdbc.fault;

import dev.semel.store.Claimed;
import dev.semel.store.Row;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Planted bugs of a carrier, which the judge must catch. */
enum Slip {
    NONE,
    /** No bug: its handlers come to a stop once their effect is there, for a kill to find them. */
    STOPS_AFTER_THE_EFFECT,
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
        void deliver() throws SQLException;
    }

    void deliver(Delivering delivering) throws SQLException, InterruptedException {
        if (this == FINISHES_FIRST) {
            AFTERWARDS.submit(() -> {
                Thread.sleep(10);
                delivering.deliver();
                return null;
            });
            return;
        }
        delivering.deliver();
        if (this == STOPS_AFTER_THE_EFFECT) {
            System.out.write(1);
            System.out.flush();
            new CountDownLatch(1).await();
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
