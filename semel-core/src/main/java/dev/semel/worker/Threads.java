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
final class Threads {
    private static final Logger LOG = LoggerFactory.getLogger(Threads.class);
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);

    private Threads() {}

    /** What a thread does again and again, until it says that it is over or is interrupted. */
    @FunctionalInterface
    interface Round {
        boolean again() throws InterruptedException;
    }

    /** Goes on whatever a round throws: a node that ran out of memory for a moment would otherwise stand still for ever. */
    static Thread forEver(String name, TimeSource time, Round round) {
        return daemon(name, () -> {
            boolean goesOn = true;
            Throwable broken = null;
            while (goesOn) {
                try {
                    if (broken != null) {
                        time.sleep(AFTER_FAILURE);
                        told(name, broken);
                        broken = null;
                    }
                    goesOn = round.again();
                } catch (InterruptedException e) {
                    goesOn = false;
                } catch (Throwable thrown) {
                    // without memory neither the pause nor the telling need come to an end
                    broken = thrown;
                }
            }
        });
    }

    static void told(String name, Throwable broken) {
        LOG.error("{} met what it does not expect; it goes on.", name, broken);
    }

    static Thread daemon(String name, Runnable work) {
        Thread thread = new Thread(OwnThreads.working(work), name);
        thread.setDaemon(true);
        return thread;
    }

    /** For handlers: virtual where they may be and the runtime has them. */
    static ExecutorService handlers(boolean virtual) {
        try {
            if (virtual) {
                return (ExecutorService) Executors.class
                        .getMethod("newVirtualThreadPerTaskExecutor")
                        .invoke(null);
            }
        } catch (NoSuchMethodException | IllegalAccessException | InvocationTargetException e) {
            // An older runtime: the others will do.
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
