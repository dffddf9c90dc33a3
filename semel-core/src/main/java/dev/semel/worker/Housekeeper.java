package dev.semel.worker;

import dev.semel.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A daemon thread that performs duties, each when it is due, until it is closed. A duty that fails is logged and retried: the store
 * may be unavailable for a while.
 */
public final class Housekeeper implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Housekeeper.class);
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);

    /** @param work does its duty and returns the time until the next call */
    public record Duty(String name, Supplier<Duration> work) {
        /** A duty with a fixed interval. */
        public static Duty every(Duration pace, String name, Runnable work) {
            return new Duty(name, () -> {
                work.run();
                return pace;
            });
        }
    }

    private final TimeSource time;
    private final List<Duty> duties;
    private final long[] due;
    private final List<PauseStart> pauses;
    private final ReentrantLock lock = new ReentrantLock();
    private final Thread thread;
    private TimeSource.Gate wake;
    private boolean woken;
    private volatile boolean closed;

    public Housekeeper(String name, TimeSource time, List<Duty> duties) {
        this.time = time;
        this.duties = List.copyOf(duties);
        this.due = new long[duties.size()];
        this.pauses = duties.stream().map(duty -> new PauseStart()).toList();
        java.util.Arrays.fill(due, time.nanos());
        this.wake = time.gate();
        this.thread = DaemonThreads.forEver(name, time, this::round);
    }

    public void start() {
        thread.start();
    }

    /** Makes every duty due now. */
    public void wake() {
        lock.lock();
        try {
            woken = true;
            wake.open();
        } finally {
            lock.unlock();
        }
    }

    private boolean round() throws InterruptedException {
        TimeSource.Gate gate = nextRound();
        long now = time.nanos();
        for (int i = 0; i < duties.size() && !closed; i++) {
            if (due[i] - now <= 0) {
                due[i] = perform(duties.get(i), pauses.get(i));
            }
        }
        if (!closed) {
            gate.await(untilNext());
        }
        return !closed;
    }

    /** A call of {@link #wake} during a round counts for the next one, whatever pause the duties return. */
    private TimeSource.Gate nextRound() {
        lock.lock();
        try {
            if (woken) {
                woken = false;
                java.util.Arrays.fill(due, time.nanos());
                wake = time.gate();
            }
            return wake;
        } finally {
            lock.unlock();
        }
    }

    private Duration untilNext() {
        long now = time.nanos();
        long next = Long.MAX_VALUE;
        for (long each : due) {
            next = Math.min(next, each - now);
        }
        return Duration.ofNanos(Math.max(0, next));
    }

    /** When it is due again. */
    private long perform(Duty duty, PauseStart start) {
        long began = time.nanos();
        try {
            long pause = duty.work().get().toNanos();
            return start.of(began, time.nanos(), pause) + pause;
        } catch (RuntimeException e) {
            if (!closed) {
                LOG.warn("Duty \"{}\" failed; retrying in {} s.", duty.name(), AFTER_FAILURE.toSeconds(), e);
            }
            return time.nanos() + AFTER_FAILURE.toNanos();
        }
    }

    /** Ends the thread after the duty it is in. */
    @Override
    public void close() {
        closed = true;
        wake();
        try {
            thread.join(Duration.ofSeconds(5).toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
