package dev.semel.worker;

import dev.semel.time.TimeSource;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads that run one channel's handlers. Handlers that take no time are best run by few threads: more would only get in each
 * other's way. So there are few besides those that have been in a handler for longer than a moment, and more as more of those are.
 */
final class HandlerThreads {
    private static final Logger LOG = LoggerFactory.getLogger(HandlerThreads.class);

    /** More threads than this do not get through brief handlers any sooner. */
    private static final int FEW = Runtime.getRuntime().availableProcessors();

    private static final Duration BRIEF_CALL = Duration.ofMillis(1);
    private static final Duration BRIEF_TRANSACTION = Duration.ofMillis(10);

    private final String channel;
    private final int concurrency;
    private final Duration brief;
    private final TimeSource time;
    private final AssignmentRunner<?, ?> runner;
    private final ClaimSchedule schedule;
    private final ClaimLoop claims;
    private final @Nullable Executor executor;
    private final Set<HandlerLoop> loops = ConcurrentHashMap.newKeySet();

    /** @param executor starts the threads; without one, somebody else calls the runner */
    HandlerThreads(
            ChannelContext<?, ?> context,
            AssignmentRunner<?, ?> runner,
            ClaimSchedule schedule,
            ClaimLoop claims,
            @Nullable Executor executor) {
        this.channel = context.name();
        this.concurrency = context.capacity().concurrency();
        this.brief = context.isAtomic() ? BRIEF_TRANSACTION : BRIEF_CALL;
        this.time = context.time();
        this.runner = runner;
        this.schedule = schedule;
        this.claims = claims;
        this.executor = executor;
    }

    /** How long a thread may be in a handler before another one is started for what waits. */
    Duration brief() {
        return brief;
    }

    /**
     * Starts the threads that are missing for what waits.
     *
     * @return whether to look again in a moment
     */
    boolean startMissing() {
        int waiting = runner.startable();
        if (executor == null || waiting == 0) {
            return false;
        }
        long longAgo = time.nanos() - brief.toNanos();
        int slow = (int) loops.stream().filter(loop -> loop.since - longAgo < 0).count();
        int wanted = Math.min(concurrency, Math.min(loops.size() + waiting, FEW + 2 * slow));
        while (loops.size() < wanted) {
            if (!start(executor)) {
                return false;
            }
        }
        return loops.size() < concurrency;
    }

    private boolean start(Executor threads) {
        HandlerLoop loop = new HandlerLoop();
        loops.add(loop);
        try {
            threads.execute(OwnThreads.working(loop));
            return true;
        } catch (RejectedExecutionException e) {
            loops.remove(loop);
        } catch (RuntimeException | Error e) {
            loops.remove(loop);
            LOG.warn("{}: could not start a handler thread; continuing with {}.", channel, loops.size(), e);
        }
        return false;
    }

    /** Runs assignments on one thread until none is left. */
    private final class HandlerLoop implements Runnable {
        /** When the last assignment ended. */
        private volatile long since = time.nanos();

        @Override
        public void run() {
            try {
                while (!claims.isDraining() && runner.runNext(() -> !claims.isDraining())) {
                    since = time.nanos();
                    if (runner.isRunningLow()) {
                        claims.wake(schedule);
                    }
                }
            } catch (RuntimeException | Error e) {
                DaemonThreads.logUnexpected("Handler thread of " + channel, e);
            } finally {
                loops.remove(this);
                claims.wake(schedule);
            }
        }
    }
}
