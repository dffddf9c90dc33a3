package dev.semel.worker;

import dev.semel.key.RecordId;
import dev.semel.store.Row;
import dev.semel.time.TimeSource;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads on which the application's reconcilers run: a few daemon threads for each operation, so that one that hangs delays no
 * other operation. A call that takes too long is interrupted, and another thread continues with what waits behind it; how many
 * threads may hang that way is bounded. A record is asked about once at a time. Without threads, a call runs on the thread that
 * asks, for as long as it takes.
 */
public final class ReconcilerCalls implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ReconcilerCalls.class);
    private static final int THREADS = 4;
    private static final int MOST_THREADS = 16;
    private static final int WAITING = 100;
    private static final Duration CLOSING = Duration.ofSeconds(5);

    private final TimeSource time;
    private final Duration timeout;
    private final boolean threads;
    private final Map<String, OperationThreads> pools = new ConcurrentHashMap<>();
    private final Map<RecordId, Inquiry> open = new ConcurrentHashMap<>();

    public ReconcilerCalls(TimeSource time, Duration timeout, boolean threads) {
        this.time = time;
        this.timeout = timeout;
        this.threads = threads;
    }

    Duration timeout() {
        return timeout;
    }

    /**
     * Has something done about a record, now or as soon as a thread of its operation is free. Nothing is done when the record
     * is being asked about already or too many wait: it is still overdue in the next round.
     */
    void ask(Row row, Consumer<Inquiry> work) {
        Inquiry inquiry = new Inquiry(row);
        if (!threads) {
            work.accept(inquiry);
        } else if (open.putIfAbsent(row.id(), inquiry) == null) {
            try {
                pools.computeIfAbsent(row.header().operation(), OperationThreads::new)
                        .execute(() -> {
                            try {
                                work.accept(inquiry);
                            } catch (RuntimeException e) {
                                LOG.warn(
                                        "Could not record the verdict about {}/{}; its reconciler is asked again with the next round.",
                                        row.header().operation(),
                                        row.id().prefix(),
                                        e);
                            } finally {
                                open.remove(row.id(), inquiry);
                            }
                        });
            } catch (RejectedExecutionException e) {
                open.remove(row.id(), inquiry);
            }
        }
    }

    /** Interrupts the calls that have taken too long, and tells each of them once. */
    void interruptLate(Consumer<Row> late) {
        for (Inquiry inquiry : open.values()) {
            if (inquiry.interruptIfLate()) {
                late.accept(inquiry.row);
            }
        }
    }

    /** Interrupts all calls and waits a moment for them together; their records stay UNKNOWN and are asked about again. */
    @Override
    public void close() {
        pools.values().forEach(OperationThreads::interrupt);
        long until = time.nanos() + CLOSING.toNanos();
        for (OperationThreads pool : pools.values()) {
            pool.await(Duration.ofNanos(Math.max(0, until - time.nanos())));
        }
    }

    /** One record that is asked about. */
    final class Inquiry {
        private final Row row;
        private @Nullable Thread inside;
        private long began;
        private boolean late;

        private Inquiry(Row row) {
            this.row = row;
        }

        /** Calls the application. The thread may be interrupted during this call, and is not interrupted behind it. */
        <T> T call(Callable<T> application) throws Exception {
            enter();
            try {
                return application.call();
            } finally {
                leave();
            }
        }

        private synchronized void enter() {
            began = time.nanos();
            inside = Thread.currentThread();
        }

        private synchronized void leave() {
            inside = null;
            if (late) {
                Thread.interrupted();
                pool().returned();
            }
        }

        private synchronized boolean interruptIfLate() {
            if (inside == null || late || time.nanos() - began < timeout.toNanos()) {
                return false;
            }
            late = true;
            inside.interrupt();
            pool().heldUp();
            return true;
        }

        /** Whether the call took too long and was interrupted. */
        synchronized boolean late() {
            return late;
        }

        private OperationThreads pool() {
            return pools.computeIfAbsent(row.header().operation(), OperationThreads::new);
        }
    }

    /** The threads of one operation. */
    private static final class OperationThreads {
        private final ThreadPoolExecutor threads;
        private int heldUp;

        OperationThreads(String operation) {
            AtomicInteger number = new AtomicInteger();
            this.threads = new ThreadPoolExecutor(
                    THREADS,
                    THREADS,
                    10,
                    TimeUnit.SECONDS,
                    new LinkedBlockingQueue<>(WAITING),
                    run -> DaemonThreads.daemon("semel-reconciler-" + operation + "-" + number.incrementAndGet(), run));
            threads.allowCoreThreadTimeOut(true);
        }

        void execute(Runnable run) {
            threads.execute(run);
        }

        synchronized void heldUp() {
            heldUp++;
            resize();
        }

        synchronized void returned() {
            heldUp--;
            resize();
        }

        private void resize() {
            int size = Math.min(MOST_THREADS, THREADS + heldUp);
            if (size > threads.getMaximumPoolSize()) {
                threads.setMaximumPoolSize(size);
                threads.setCorePoolSize(size);
            } else {
                threads.setCorePoolSize(size);
                threads.setMaximumPoolSize(size);
            }
        }

        void interrupt() {
            threads.shutdownNow();
        }

        void await(Duration bound) {
            DaemonThreads.await(threads, bound);
        }
    }
}
