package dev.semel.worker;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads on which expired runs are taken over: a few daemon threads. A takeover that finds no thread free is left for the
 * next sweep. Without threads, it runs on the thread that sweeps.
 */
public final class Takeovers implements Executor, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Takeovers.class);
    private static final int MOST = 16;

    private final @Nullable ExecutorService threads;

    public Takeovers(boolean background) {
        AtomicInteger number = new AtomicInteger();
        this.threads = !background
                ? null
                : new ThreadPoolExecutor(
                        0,
                        MOST,
                        10,
                        TimeUnit.SECONDS,
                        new SynchronousQueue<>(),
                        run -> DaemonThreads.daemon("semel-takeover-" + number.incrementAndGet(), run));
    }

    @Override
    public void execute(Runnable run) {
        if (threads == null) {
            run.run();
            return;
        }
        try {
            threads.execute(() -> {
                try {
                    run.run();
                } catch (RuntimeException e) {
                    LOG.warn("Takeover failed; retrying with the next sweep.", e);
                }
            });
        } catch (RejectedExecutionException e) {
            LOG.debug("No thread is free for a takeover; retrying with the next sweep.");
        }
    }

    /** Interrupts what still runs; its records are taken over by other nodes when their leases expire. */
    @Override
    public void close() {
        if (threads != null) {
            threads.shutdownNow();
        }
    }
}
