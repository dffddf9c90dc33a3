package dev.semel.worker;

import dev.semel.execution.DeliveryResult;
import dev.semel.execution.GroupedLedger;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.time.TimeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the results of deliveries, many in one commit, while the handler threads continue with the next. A result that cannot be
 * written is dropped: the lease expires, and the message is delivered again or parked as UNKNOWN, as its channel says.
 * Thread-safe.
 */
final class ResultWriter implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ResultWriter.class);
    private static final int LARGEST_BATCH = 512;

    /** When so many wait, another thread helps. */
    private static final int MANY = LARGEST_BATCH / 2;

    /** @param whenWritten called with the store's answer; with nothing when the result could not be written */
    private record PendingResult(DeliveryResult result, Consumer<@Nullable Moved> whenWritten) {}

    private final GroupedLedger ledger;
    private final TimeSource time;
    private final Queue<PendingResult> pending = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waiting = new AtomicInteger();
    private final List<WriterThread> writers = new ArrayList<>();
    private final Runnable whenBatchIsWritten;
    private volatile boolean closed;

    /**
     * @param writers number of threads; with none, the caller of {@link #add} writes
     * @param whenBatchIsWritten called after all results of a batch were reported
     */
    ResultWriter(GroupedLedger ledger, TimeSource time, int writers, Runnable whenBatchIsWritten) {
        this.ledger = ledger;
        this.time = time;
        this.whenBatchIsWritten = whenBatchIsWritten;
        for (int i = 1; i <= writers; i++) {
            this.writers.add(new WriterThread("semel-results-" + i));
        }
        this.writers.forEach(writer -> writer.thread.start());
    }

    /** Has a result written soon. Takes no lock, because all handler threads call it. */
    void add(DeliveryResult result, Consumer<@Nullable Moved> whenWritten) {
        PendingResult added = new PendingResult(result, whenWritten);
        if (writers.isEmpty()) {
            write(List.of(added));
            return;
        }
        pending.add(added);
        int count = waiting.incrementAndGet();
        for (int i = 0; i < writers.size() && i <= count / MANY; i++) {
            writers.get(i).wake();
        }
    }

    /** Writes a result on this thread, and returns when it is written or cannot be. */
    void writeNow(DeliveryResult result, Consumer<@Nullable Moved> whenWritten) {
        write(List.of(new PendingResult(result, whenWritten)));
    }

    /** Wakes all threads if something waits: the one that was woken for it may be blocked by a store that does not answer. */
    void wakeAll() {
        if (waiting.get() > 0) {
            writers.forEach(WriterThread::wake);
        }
    }

    /** A thread, and the gate at which it sleeps; none while it is awake. */
    private final class WriterThread {
        private final Thread thread;
        private final AtomicReference<TimeSource.@Nullable Gate> asleep = new AtomicReference<>();

        WriterThread(String name) {
            this.thread = DaemonThreads.forEver(name, time, this::writeBatch);
        }

        void wake() {
            TimeSource.Gate gate = asleep.get();
            if (gate != null && asleep.compareAndSet(gate, null)) {
                gate.open();
            }
        }

        private boolean writeBatch() throws InterruptedException {
            if (pending.isEmpty()) {
                sleep();
                return !closed || !pending.isEmpty();
            }
            // Whatever needs memory is done before the first result is taken: none may be lost on the way.
            List<PendingResult> batch = new ArrayList<>(LARGEST_BATCH);
            for (PendingResult next = pending.poll(); next != null; next = pending.poll()) {
                batch.add(next);
                waiting.decrementAndGet();
                if (batch.size() == LARGEST_BATCH) {
                    break;
                }
            }
            if (!batch.isEmpty()) {
                write(batch);
                whenBatchIsWritten.run();
            }
            return true;
        }

        /** A thread that adds a result or closes reads the gate afterwards, so one of the two sides sees the other. */
        private void sleep() throws InterruptedException {
            TimeSource.Gate gate = time.gate();
            asleep.set(gate);
            if (pending.isEmpty() && !closed) {
                gate.await();
            }
            asleep.set(null);
        }
    }

    private void write(List<PendingResult> batch) {
        List<Moved> moved = null;
        try {
            List<Move> moves = batch.stream().map(each -> each.result.move()).toList();
            moved = ledger.moveAll(moves);
            warnOfUnwritten(batch, moved);
        } catch (RuntimeException e) {
            // Whatever it was: if the thread ended here, all later results would stay unwritten and held for ever.
            LOG.warn(
                    "Could not record {} delivery results; they will be redelivered when their leases expire.",
                    batch.size(),
                    e);
        } finally {
            tell(batch, moved);
        }
    }

    private static void warnOfUnwritten(List<PendingResult> batch, List<Moved> moved) {
        for (int i = 0; i < moved.size(); i++) {
            if (moved.get(i) instanceof Moved.NotStored refused) {
                LOG.error(
                        "Could not record the delivery result of record {}: the store rejected its data",
                        batch.get(i).result.move().id().prefix(),
                        refused.why());
            }
        }
        long locked = moved.stream().filter(Moved.Locked.class::isInstance).count();
        if (locked > 0) {
            LOG.warn(
                    "Could not record {} delivery results: their records are locked by other transactions; they will be"
                            + " redelivered when their leases expire.",
                    locked);
        }
    }

    /** Reports to each of them, even if another one throws. */
    private static void tell(List<PendingResult> batch, @Nullable List<Moved> moved) {
        Throwable thrown = null;
        for (int i = 0; i < batch.size(); i++) {
            try {
                boolean written = moved != null && !(moved.get(i) instanceof Moved.Locked);
                batch.get(i).whenWritten.accept(written ? moved.get(i) : null);
            } catch (RuntimeException | Error e) {
                thrown = e;
            }
        }
        if (thrown instanceof Error error) {
            throw error;
        } else if (thrown instanceof RuntimeException exception) {
            throw exception;
        }
    }

    /** Writes what waits, then ends the threads. */
    @Override
    public void close() {
        closed = true;
        writers.forEach(WriterThread::wake);
        for (WriterThread writer : writers) {
            try {
                writer.thread.join(10_000);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
