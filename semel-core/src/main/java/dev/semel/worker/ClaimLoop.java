package dev.semel.worker;

import dev.semel.time.TimeSource;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that claims for all channels of a worker, in turn, each when its schedule says so, and has handler threads started
 * for what was claimed. It sleeps until something wakes it or the next claim is due.
 */
final class ClaimLoop {
    private static final Logger LOG = LoggerFactory.getLogger(ClaimLoop.class);

    private final TimeSource time;
    private final Collection<ChannelConsumer<?, ?>> channels;
    private final ResultWriter results;
    private final @Nullable Thread thread;
    private final ReentrantLock lock = new ReentrantLock();
    private TimeSource.Gate gate;
    private long resultsWoken;
    private volatile boolean draining;
    private volatile boolean closed;

    /** Whether a claim may be under way. Set before {@link #draining} is read, so one of the two sides sees the other. */
    private volatile boolean claiming;

    /**
     * @param channels a live view: channels may be added
     * @param background whether it has a thread; without one, somebody else claims
     */
    ClaimLoop(TimeSource time, Collection<ChannelConsumer<?, ?>> channels, ResultWriter results, boolean background) {
        this.time = time;
        this.channels = channels;
        this.results = results;
        this.gate = time.gate();
        this.resultsWoken = time.nanos();
        this.thread = background ? DaemonThreads.forEver("semel-claims", time, this::round) : null;
    }

    void start() {
        if (thread != null) {
            thread.start();
        }
    }

    /** Ends the sleep of the thread. */
    void wake() {
        lock.lock();
        try {
            gate.open();
        } finally {
            lock.unlock();
        }
    }

    /** Has a channel claimed from now, unless somebody asked for that already. */
    void wake(ClaimSchedule schedule) {
        if (!schedule.isWoken()) {
            schedule.wake();
            wake();
        }
    }

    /** Results were written: there is room again, and the next messages of their lanes can be claimed. */
    void resultsWritten() {
        boolean any = false;
        for (ChannelConsumer<?, ?> channel : channels) {
            if (channel.waitsForResults()) {
                channel.schedule().wake();
                any = true;
            }
        }
        if (any) {
            wake();
        }
    }

    private TimeSource.Gate closedGate() {
        lock.lock();
        try {
            if (gate.isOpen()) {
                gate = time.gate();
            }
            return gate;
        } finally {
            lock.unlock();
        }
    }

    private boolean round() throws InterruptedException {
        TimeSource.Gate woken = closedGate();
        long now = time.nanos();
        long next = now + ClaimSchedule.LONGEST_POLL.toNanos();
        if (now - resultsWoken >= ClaimSchedule.SHORTEST_POLL.toNanos()) {
            results.wakeAll();
            resultsWoken = now;
        }
        for (ChannelConsumer<?, ?> channel : channels) {
            if (channel.schedule().isDue(now)) {
                claimUnlessDraining(channel);
            }
            if (!draining) {
                next = Math.min(next, channel.schedule().next(now));
                HandlerThreads handlers = channel.handlers();
                next = Math.min(
                        next, handlers.startMissing() ? now + handlers.brief().toNanos() : next);
            }
        }
        woken.await(Duration.ofNanos(Math.max(0, next - time.nanos())));
        return !closed;
    }

    private void claimUnlessDraining(ChannelConsumer<?, ?> channel) {
        claiming = true;
        try {
            if (!draining) {
                claim(channel);
            }
        } finally {
            claiming = false;
        }
    }

    private void claim(ChannelConsumer<?, ?> channel) {
        ClaimSchedule schedule = channel.schedule();
        schedule.begin();
        long began = time.nanos();
        try {
            ClaimOutcome outcome = channel.claim();
            schedule.claimed(outcome, began, time.nanos());
        } catch (RuntimeException | Error e) {
            // All channels use the same store: when it is back, each of them begins with small claims.
            channels.forEach(ChannelConsumer::storeFailed);
            schedule.failed(time.nanos());
            if (!closed) {
                LOG.warn(
                        "{}: claim failed ({}); retrying in {} s.",
                        channel.name(),
                        reason(e),
                        ClaimSchedule.LONGEST_POLL.toSeconds(),
                        e);
            }
        }
    }

    /** The message of the innermost cause. */
    private static String reason(Throwable thrown) {
        Throwable innermost = thrown;
        for (int depth = 0; depth < 20 && innermost.getCause() != null; depth++) {
            innermost = innermost.getCause();
        }
        String message = innermost.getMessage();
        return message == null ? innermost.getClass().getSimpleName() : message;
    }

    /** Claims nothing more; handler threads end after their assignment. */
    void drain() {
        draining = true;
    }

    /** Claims again after a drain. */
    void resume() {
        draining = false;
        channels.forEach(channel -> channel.schedule().wake());
        wake();
    }

    boolean isDraining() {
        return draining;
    }

    boolean isClaiming() {
        return claiming;
    }

    /** Has the thread end after its round. */
    void stop() {
        draining = true;
        closed = true;
        wake();
    }

    /** Waits for the end of the thread. */
    void join() {
        DaemonThreads.end(thread);
    }
}
