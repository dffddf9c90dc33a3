package dev.semel.jdbc.fault;

import dev.semel.store.Claim;
import dev.semel.store.Claimed;
import dev.semel.store.Line;
import dev.semel.store.Row;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** Planted bugs of a carrier or a sender, which the judge must catch. */
enum FleetBug {
    NONE,
    /** No bug: its handlers come to a stop once their effect is there, for a kill to find them. */
    STOPS_AFTER_THE_EFFECT,
    /** Commits the effect by itself, and stops there for a kill to find it. */
    COMMITS_THE_EFFECT_ALONE,
    /** No bug: its first handlers take all the memory there is. */
    HOARDS,
    /** Delivers to a receiver that checks neither keys nor fences. */
    IS_RECEIVED_BLINDLY,
    /** Says "done" and delivers afterwards, on another thread. */
    FINISHES_FIRST,
    /** Begins with the last of those that it was granted. */
    IGNORES_LANES,
    /** Reads by a cursor: a message that arrives before one that it has read is never handled. */
    SKIPS_WHAT_COMES_LATE,
    /** Asks for as much as there is. */
    STORMS,
    /** Ends at SIGTERM with what it is handling, and calls that a good end. */
    ENDS_AT_ONCE,
    /** A sender that takes any answer for an acceptance. */
    BELIEVES_IT_WAS_SENT;

    private static final int MOST = 512;
    private static final AtomicInteger HOARDERS = new AtomicInteger(24);

    private static final ExecutorService AFTERWARDS = Executors.newSingleThreadExecutor(task -> {
        Thread thread = new Thread(task, "afterwards");
        thread.setDaemon(true);
        return thread;
    });

    @FunctionalInterface
    interface Delivering {
        void deliver() throws SQLException;
    }

    /** Has the effect, in the transaction of the message where it should. */
    void deliver(Connection transaction, RunDatabases place, ReceiverDatabase.Delivery delivery)
            throws SQLException, InterruptedException {
        deliver(() -> {
            if (this == COMMITS_THE_EFFECT_ALONE) {
                try (Connection own = place.connect()) {
                    ReceiverDatabase.applied(own, delivery);
                }
            } else {
                ReceiverDatabase.applied(transaction, delivery);
            }
        });
    }

    void deliver(ReceiverDatabase outside, ReceiverDatabase.Delivery delivery)
            throws SQLException, InterruptedException {
        deliver(() -> {
            if (this == IS_RECEIVED_BLINDLY) {
                outside.receiveBlindly(delivery);
            } else {
                outside.receive(delivery);
            }
        });
    }

    private void deliver(Delivering delivering) throws SQLException, InterruptedException {
        if (this == FINISHES_FIRST) {
            AFTERWARDS.submit(() -> {
                // Sleeps because the delay is the bug: the effect comes after its record is finished.
                Thread.sleep(1_000);
                delivering.deliver();
                return null;
            });
            return;
        }
        if (this == HOARDS && HOARDERS.getAndDecrement() > 0) {
            hoard();
        }
        delivering.deliver();
        if (this == STOPS_AFTER_THE_EFFECT || this == COMMITS_THE_EFFECT_ALONE || this == ENDS_AT_ONCE) {
            System.out.write(1);
            System.out.flush();
            new CountDownLatch(1).await();
        }
    }

    private static void hoard() {
        List<byte[]> hoard = new ArrayList<>();
        while (hoard.size() < Integer.MAX_VALUE) {
            hoard.add(new byte[1 << 18]);
        }
    }

    Claim asked(Claim claim) {
        if (this != STORMS) {
            return claim;
        }
        return new Claim(
                claim.operation(),
                claim.modesVersion(),
                claim.grant(),
                new Claim.Amount(MOST, claim.amount().run(), claim.amount().budget()),
                claim.turns(),
                claim.takenOver());
    }

    Claimed claimed(Claimed claimed, Cursor cursor) {
        List<Row> rows = new ArrayList<>(claimed.rows());
        if (this == IGNORES_LANES) {
            Collections.reverse(rows);
        } else if (this == SKIPS_WHAT_COMES_LATE) {
            rows.removeIf(cursor::passed);
        } else {
            return claimed;
        }
        return new Claimed(rows, claimed.more(), claimed.last(), claimed.modesChanged(), claimed.partial());
    }

    static boolean nothing(Claimed claimed) {
        return claimed.rows().isEmpty() && !claimed.more() && !claimed.modesChanged();
    }

    /** How far a carrier has read of those that follow nobody: up to the highest when there was nothing more. */
    static final class Cursor {
        private long highest;
        private long passed;

        void read(Claimed claimed) {
            for (Row row : claimed.rows()) {
                Line line = Objects.requireNonNull(row.line());
                highest = line.lane() == null ? Math.max(highest, line.place()) : highest;
            }
            passed = nothing(claimed) ? highest : passed;
        }

        private boolean passed(Row row) {
            Line line = Objects.requireNonNull(row.line());
            return line.lane() == null && line.place() < passed;
        }
    }
}
