package dev.semel.worker;

import dev.semel.time.TimeSource;
import java.lang.reflect.InvocationTargetException;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Daemon threads for what runs without a caller. */
final class DaemonThreads {
    private static final Logger LOG = LoggerFactory.getLogger(DaemonThreads.class);
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);

    private DaemonThreads() {}

    /** The work that a thread repeats, until it returns false or the thread is interrupted. */
    @FunctionalInterface
    interface RepeatedWork {
        boolean run() throws InterruptedException;
    }

    /**
     * Continues after any exception or error: a node that ran out of memory for a moment would otherwise stop for
     * ever.
     */
    static Thread forEver(String name, TimeSource time, RepeatedWork work) {
        return daemon(name, () -> {
            boolean goesOn = true;
            Throwable broken = null;
            while (goesOn) {
                try {
                    if (broken != null) {
                        time.sleep(AFTER_FAILURE);
                        logUnexpected(name, broken);
                        broken = null;
                    }
                    goesOn = work.run();
                } catch (InterruptedException e) {
                    goesOn = false;
                } catch (Throwable thrown) {
                    // Without memory neither the pause nor the logging need succeed.
                    broken = thrown;
                }
            }
        });
    }

    static void logUnexpected(String name, Throwable thrown) {
        LOG.error("{}: unexpected error; continuing.", name, thrown);
    }

    static Thread daemon(String name, Runnable work) {
        Thread thread = new Thread(OwnThreads.working(work), name);
        thread.setDaemon(true);
        return thread;
    }

    /** For handlers: virtual threads if wanted and the runtime has them. */
    static ExecutorService handlers(boolean virtual) {
        try {
            if (virtual) {
                return (ExecutorService) Executors.class
                        .getMethod("newVirtualThreadPerTaskExecutor")
                        .invoke(null);
            }
        } catch (NoSuchMethodException | IllegalAccessException | InvocationTargetException e) {
            // An older runtime: platform threads will do.
        }
        AtomicInteger number = new AtomicInteger();
        return Executors.newCachedThreadPool(work -> daemon("semel-handler-" + number.incrementAndGet(), work));
    }

    static void await(ExecutorService threads, Duration bound) {
        try {
            threads.awaitTermination(bound.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void end(@Nullable Thread thread) {
        if (thread != null) {
            thread.interrupt();
            try {
                thread.join(Duration.ofSeconds(5).toMillis());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
