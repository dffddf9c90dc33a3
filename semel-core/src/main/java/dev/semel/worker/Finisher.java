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
 * Writes what deliveries leave, many in one commit, while their handlers' threads go on with the next. What cannot be written
 * is let go: its lease runs out, and it is delivered again or parked, as its channel says.
 */
final class Finisher implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Finisher.class);
    private static final int LARGEST_BATCH = 512;

    /** @param whenWritten told the answer; nothing when it could not be written */
    private record Item(DeliveryResult ending, Consumer<@Nullable Moved> whenWritten) {}

    /** When so many wait, another writer helps. */
    private static final int CROWD = LARGEST_BATCH / 2;

    private final GroupedLedger commits;
    private final TimeSource time;
    private final Queue<Item> items = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waiting = new AtomicInteger();
    private final List<Writer> writers = new ArrayList<>();
    private final Runnable whenBatchIsWritten;
    private volatile boolean closed;

    /**
     * @param writers threads that write; none, and whoever adds an ending writes it
     * @param whenBatchIsWritten told by a writer once all those of a batch have been told
     */
    Finisher(GroupedLedger commits, TimeSource time, int writers, Runnable whenBatchIsWritten) {
        this.commits = commits;
        this.time = time;
        this.whenBatchIsWritten = whenBatchIsWritten;
        for (int i = 1; i <= writers; i++) {
            this.writers.add(new Writer("semel-finisher-" + i));
        }
        this.writers.forEach(writer -> writer.thread.start());
    }

    /** Takes no lock: the threads of many handlers meet here. */
    void add(DeliveryResult ending, Consumer<@Nullable Moved> whenWritten) {
        Item item = new Item(ending, whenWritten);
        if (writers.isEmpty()) {
            write(List.of(item));
            return;
        }
        items.add(item);
        int crowd = waiting.incrementAndGet();
        for (int i = 0; i < writers.size() && i <= crowd / CROWD; i++) {
            writers.get(i).wake();
        }
    }

    /** Writes an ending on this thread, and comes back when it is written or cannot be. */
    void writeNow(DeliveryResult ending, Consumer<@Nullable Moved> whenWritten) {
        write(List.of(new Item(ending, whenWritten)));
    }

    /** Has everybody help if something waits: whoever was woken for it may be held up by a store that does not answer. */
    void nudge() {
        if (waiting.get() > 0) {
            writers.forEach(Writer::wake);
        }
    }

    /** A thread, and what it sleeps at; nothing while it is awake. */
    private final class Writer {
        private final Thread thread;
        private final AtomicReference<TimeSource.@Nullable Gate> bed = new AtomicReference<>();

        Writer(String name) {
            this.thread = Threads.forEver(name, time, this::round);
        }

        void wake() {
            TimeSource.Gate gate = bed.get();
            if (gate != null && bed.compareAndSet(gate, null)) {
                gate.open();
            }
        }

        private boolean round() throws InterruptedException {
            if (items.isEmpty()) {
                sleep();
                return !closed || !items.isEmpty();
            }
            // Whatever needs memory comes before the first item is taken: none may be lost on the way.
            List<Item> batch = new ArrayList<>(LARGEST_BATCH);
            for (Item item = items.poll(); item != null; item = items.poll()) {
                batch.add(item);
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

        /** Whoever adds something or closes looks for a bed afterwards, so one of the two sides sees the other. */
        private void sleep() throws InterruptedException {
            TimeSource.Gate gate = time.gate();
            bed.set(gate);
            if (items.isEmpty() && !closed) {
                gate.await();
            }
            bed.set(null);
        }
    }

    private void write(List<Item> batch) {
        List<Moved> moved = null;
        try {
            List<Move> moves = batch.stream().map(item -> item.ending.move()).toList();
            moved = commits.moveAll(moves);
            warnOfUnwritten(batch, moved);
        } catch (RuntimeException e) {
            // Whatever it was: a writer that ended here would leave all that follows unwritten and held for ever.
            LOG.warn(
                    "The ends of {} deliveries could not be written; they come again once their leases are over.",
                    batch.size(),
                    e);
        } finally {
            tell(batch, moved);
        }
    }

    private static void warnOfUnwritten(List<Item> batch, List<Moved> moved) {
        for (int i = 0; i < moved.size(); i++) {
            if (moved.get(i) instanceof Moved.NotStored refused) {
                LOG.error(
                        "Could not record the delivery result of record {}: the store rejected its data",
                        batch.get(i).ending.move().id().prefix(),
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

    /** Every one of them, whatever somebody does who is told. */
    private static void tell(List<Item> batch, @Nullable List<Moved> moved) {
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

    /** Writes what is there, then ends. */
    @Override
    public void close() {
        closed = true;
        writers.forEach(Writer::wake);
        for (Writer writer : writers) {
            try {
                writer.thread.join(10_000);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
