package dev.semel.worker;

import dev.semel.execution.Commits;
import dev.semel.execution.Ending;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.time.TimeSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
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
    private record Item(Ending ending, Consumer<@Nullable Moved> whenWritten) {}

    private final Commits commits;
    private final TimeSource time;
    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<Item> items = new ArrayDeque<>();
    private final List<Thread> threads = new ArrayList<>();
    private final Runnable whenBatchIsWritten;
    private TimeSource.Gate gate;
    private boolean closed;

    /**
     * @param writers threads that write; none, and whoever adds an ending writes it
     * @param whenBatchIsWritten told by a writer once all those of a batch have been told
     */
    Finisher(Commits commits, TimeSource time, int writers, Runnable whenBatchIsWritten) {
        this.commits = commits;
        this.time = time;
        this.whenBatchIsWritten = whenBatchIsWritten;
        this.gate = time.gate();
        for (int i = 1; i <= writers; i++) {
            threads.add(Threads.forEver("semel-finisher-" + i, time, this::round));
        }
        threads.forEach(Thread::start);
    }

    void add(Ending ending, Consumer<@Nullable Moved> whenWritten) {
        Item item = new Item(ending, whenWritten);
        if (threads.isEmpty()) {
            write(List.of(item));
            return;
        }
        lock.lock();
        try {
            items.add(item);
            gate.open();
        } finally {
            lock.unlock();
        }
    }

    private boolean round() throws InterruptedException {
        List<Item> batch;
        TimeSource.Gate wait;
        lock.lock();
        try {
            // Whatever needs memory comes before the first item is taken: none may be lost on the way.
            batch = new ArrayList<>(Math.min(LARGEST_BATCH, items.size()));
            if (items.isEmpty() && closed) {
                return false;
            }
            if (items.isEmpty() && gate.isOpen()) {
                gate = time.gate();
            }
            wait = gate;
            while (batch.size() < LARGEST_BATCH && !items.isEmpty()) {
                batch.add(items.poll());
            }
        } finally {
            lock.unlock();
        }
        if (batch.isEmpty()) {
            wait.await();
        } else {
            write(batch);
            whenBatchIsWritten.run();
        }
        return true;
    }

    private void write(List<Item> batch) {
        List<Moved> moved = null;
        try {
            List<Move> moves = batch.stream().map(item -> item.ending.move()).toList();
            moved = commits.moveAll(moves);
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

    /** Every one of them, whatever somebody does who is told. */
    private static void tell(List<Item> batch, @Nullable List<Moved> moved) {
        Throwable thrown = null;
        for (int i = 0; i < batch.size(); i++) {
            try {
                batch.get(i).whenWritten.accept(moved == null ? null : moved.get(i));
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
        lock.lock();
        try {
            closed = true;
            gate.open();
        } finally {
            lock.unlock();
        }
        for (Thread thread : threads) {
            try {
                thread.join(10_000);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
