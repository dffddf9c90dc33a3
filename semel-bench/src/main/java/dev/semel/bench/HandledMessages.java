package dev.semel.bench;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** Counts the handled messages, and checks how often each was handled and whether lanes kept their order. Thread-safe. */
final class HandledMessages implements LongConsumer {
    private static final long LONGEST_PARK = Duration.ofMillis(20).toNanos();

    private final AtomicIntegerArray times;
    private final AtomicIntegerArray lastOfLane;
    private final AtomicLong handled = new AtomicLong();
    private final AtomicLong disorder = new AtomicLong();
    private volatile long began;
    private volatile long at;
    private volatile long expected = Long.MAX_VALUE;
    private volatile @Nullable Thread waiter;

    /**
     * @param messages numbered from 0
     * @param lanes number n goes to lane n modulo so many; 0 for none
     */
    HandledMessages(int messages, int lanes) {
        this.times = new AtomicIntegerArray(messages);
        this.lastOfLane = new AtomicIntegerArray(lanes);
    }

    @Override
    public void accept(long number) {
        at = System.nanoTime();
        int place = (int) number;
        times.incrementAndGet(place);
        if (lastOfLane.length() > 0 && lastOfLane.getAndSet(place % lastOfLane.length(), place + 1) > place) {
            disorder.incrementAndGet();
        }
        long count = handled.incrementAndGet();
        if (count == 1) {
            began = at;
        }
        if (count == expected) {
            LockSupport.unpark(waiter);
        }
    }

    /** When the first one was handled, by {@link System#nanoTime}. */
    long began() {
        return began;
    }

    /** When the last one so far was handled. */
    long at() {
        return at;
    }

    long handled() {
        return handled.get();
    }

    /** Waits until so many were handled, for so long at most; says whether they were. */
    boolean await(long count, Duration bound) throws InterruptedException {
        long until = System.nanoTime() + bound.toNanos();
        waiter = Thread.currentThread();
        expected = count;
        while (handled.get() < count) {
            long left = until - System.nanoTime();
            if (left <= 0) {
                return false;
            }
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            LockSupport.parkNanos(this, Math.min(left, LONGEST_PARK));
        }
        return true;
    }

    /** A bench that lost, repeated or disordered a message measured something else. */
    void verify(String who, int sent) {
        int lost = 0;
        int repeated = 0;
        for (int i = 0; i < sent; i++) {
            lost += times.get(i) == 0 ? 1 : 0;
            repeated += times.get(i) > 1 ? 1 : 0;
        }
        if (lost > 0 || repeated > 0 || disorder.get() > 0) {
            throw new IllegalStateException(who + ": of " + sent + " messages " + lost + " were lost, " + repeated
                    + " handled more than once and " + disorder + " out of the order of their lane.");
        }
    }
}
