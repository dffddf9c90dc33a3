package dev.semel.worker;

import java.lang.reflect.InvocationTargetException;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Daemon threads for what runs without a caller. */
final class Threads {
    private Threads() {}

    static Thread daemon(String name, Runnable work) {
        Thread thread = new Thread(work, name);
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
