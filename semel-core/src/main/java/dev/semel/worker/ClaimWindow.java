package dev.semel.worker;

import dev.semel.execution.ClaimedDelivery;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Back-pressure: how many records of a channel this node may hold at once, and how many it holds. The limit starts at one record
 * for each handler and doubles while the handlers wait for claims, so a node that comes back to a large backlog ramps up. It
 * falls back after an error, and when claimed records wait too long for a handler. Thread-safe.
 */
final class ClaimWindow {
    private static final int LARGEST = 1_024;

    /** So few suspects in addition to the limit, because they run one after the other: other nodes take their share. */
    static final int MOST_SUSPECTS = 8;

    private final int smallest;
    private final LargePayloads large;
    private final AtomicInteger held = new AtomicInteger();
    private final AtomicInteger suspects = new AtomicInteger();
    private final AtomicInteger heldInLanes = new AtomicInteger();
    private int size;

    ClaimWindow(int concurrency, LargePayloads large) {
        this.smallest = concurrency;
        this.large = large;
        this.size = concurrency;
    }

    /** Bounds the bytes of what is held, as this bounds the records. */
    LargePayloads large() {
        return large;
    }

    /** The limit. */
    synchronized int size() {
        return size;
    }

    /** A claim brought all that was requested, and the buffer was empty before it. */
    synchronized void grow() {
        size = (int) Math.min(Math.max(LARGEST, smallest), size * 2L);
    }

    /** Claimed records wait too long for a handler. */
    synchronized void shrink() {
        size = Math.max(smallest, size / 2);
    }

    /** The store failed. */
    synchronized void reset() {
        size = smallest;
    }

    void add(ClaimedDelivery<?, ?> delivery) {
        held.incrementAndGet();
        suspects.addAndGet(delivery.isSuspect() ? 1 : 0);
        heldInLanes.addAndGet(delivery.lane() == null ? 0 : 1);
        large.add(delivery.row());
    }

    void remove(ClaimedDelivery<?, ?> delivery) {
        held.decrementAndGet();
        suspects.addAndGet(delivery.isSuspect() ? -1 : 0);
        heldInLanes.addAndGet(delivery.lane() == null ? 0 : -1);
        large.remove(delivery.row());
    }

    /** Records that this node holds: waiting, running, or without a written result. */
    int held() {
        return held.get();
    }

    boolean holdsLanes() {
        return heldInLanes.get() > 0;
    }

    /** How many more records the limit allows. */
    int open() {
        return size() - (held.get() - Math.min(MOST_SUSPECTS, suspects.get()));
    }

    /** Whether there is too little room for a claim. */
    boolean isFull() {
        return open() < leastRoom();
    }

    /** With less room than this no claim is made: it costs a commit however little it brings, and the handlers have enough. */
    int leastRoom() {
        int limit = size();
        return limit > smallest ? limit / 4 : 1;
    }

    /** How many more suspects may be claimed. */
    int openForSuspects() {
        return MOST_SUSPECTS - suspects.get();
    }
}
