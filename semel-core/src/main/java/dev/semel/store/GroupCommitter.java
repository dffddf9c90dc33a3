package dev.semel.store;

import dev.semel.SemelException;
import dev.semel.time.TimeSource;
import dev.semel.time.Uninterrupted;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Turns the calls of many threads into few calls of a port.
 *
 * <h2>How it works</h2>
 *
 * <p>There is no thread and no timer. A caller that finds a free lane becomes its leader: it takes all queued items,
 * in the order of their arrival, and calls the port once for all of them. Other callers queue up meanwhile; when the
 * call returns, the leader releases the callers that it served and hands the lane to the first waiting one. So an
 * idle call costs one round trip, and under load a batch grows to the number of items that arrive during one round
 * trip.
 *
 * <h2>What it promises</h2>
 *
 * <ul>
 *   <li>An item is in one batch, once; its caller returns after the port has returned, with its own outcome.
 *   <li>Two items about one record are never in the same batch, because ports demand distinct ids. Those left out
 *       keep their place at the head of the queue.
 *   <li>A batch that the port rejects as a whole, unless the store is unavailable, is retried item by item, so that
 *       one bad item fails alone. Ports commit before they return or not at all, which makes that safe.
 *   <li>Waiting is not interruptible: the item may be on its way. The interrupt is kept for the caller to find. A
 *       leader's interrupt does not reach the port, which serves others too; a call that fails because of it
 *       nevertheless is repeated, which ports allow.
 * </ul>
 *
 * @param <I> the items of the port
 * @param <O> its outcomes
 */
public final class GroupCommitter<I, O> {
    private final Function<List<I>, List<O>> port;
    private final Function<I, Object> identity;
    private final int maxBatch;
    private final TimeSource time;
    private final ReentrantLock lock = new ReentrantLock();
    private final ArrayDeque<Ticket<I, O>> queue = new ArrayDeque<>();
    private int freeLanes;

    /**
     * @param identity must be distinct in a batch
     * @param lanes how many batches may be on their way at once
     */
    public GroupCommitter(
            Function<List<I>, List<O>> port, Function<I, Object> identity, int maxBatch, int lanes, TimeSource time) {
        this.port = port;
        this.identity = identity;
        this.maxBatch = maxBatch;
        this.freeLanes = lanes;
        this.time = time;
    }

    /** One item, one outcome. */
    public O submit(I item) {
        return submitAll(List.of(item)).get(0);
    }

    /** Items with distinct identities; outcomes in their order. Lists longer than a batch are cut. */
    public List<O> submitAll(List<I> items) {
        if (items.size() <= maxBatch) {
            return items.isEmpty() ? List.of() : await(new Ticket<>(items, time.gate(), time.gate()));
        }
        List<O> outcomes = new ArrayList<>(items.size());
        for (int i = 0; i < items.size(); i += maxBatch) {
            outcomes.addAll(submitAll(items.subList(i, Math.min(items.size(), i + maxBatch))));
        }
        return outcomes;
    }

    private List<O> await(Ticket<I, O> ticket) {
        boolean leads;
        lock.lock();
        try {
            queue.addLast(ticket);
            leads = freeLanes > 0;
            if (leads) {
                freeLanes--;
            }
        } finally {
            lock.unlock();
        }
        if (!leads) {
            waitAt(ticket.turn);
        }
        if (leads || ticket.promoted) {
            lead(ticket);
        }
        waitAt(ticket.finished);
        return ticket.outcomes();
    }

    /**
     * Serves batches until the leader's own item is served, then hands the lane on. Another lane may have taken the item
     * after its owner was promoted: then there is nothing to serve here.
     */
    private void lead(Ticket<I, O> own) {
        try {
            for (List<Ticket<I, O>> batch = gather(own); !batch.isEmpty(); batch = gather(own)) {
                try {
                    serve(batch);
                } finally {
                    finish(batch, null);
                }
            }
        } finally {
            handOn();
        }
    }

    /**
     * The lane must not be lost when memory runs out. Then it goes to the first of the queue, which is found without
     * allocation; if that one already leads another lane, the lane is free, and the next leader takes the rest of the
     * queue along.
     */
    private void handOn() {
        lock.lock();
        boolean handed = false;
        try {
            handOnTo(nextUnpromoted());
            handed = true;
        } finally {
            try {
                if (!handed) {
                    Ticket<I, O> first = queue.peekFirst();
                    handOnTo(first == null || first.promoted ? null : first);
                }
            } finally {
                lock.unlock();
            }
        }
    }

    private void handOnTo(@Nullable Ticket<I, O> next) {
        if (next == null) {
            freeLanes++;
        } else {
            next.promoted = true;
            next.turn.open();
        }
    }

    /** Each of them, even if another one fails: each has a caller who would wait for ever. */
    private static <I, O> void finish(List<Ticket<I, O>> batch, @Nullable Throwable error) {
        Throwable thrown = null;
        for (int i = 0; i < batch.size(); i++) {
            try {
                batch.get(i).finish(error);
            } catch (RuntimeException | Error e) {
                thrown = e;
            }
        }
        if (thrown instanceof Error e) {
            throw e;
        }
        if (thrown instanceof RuntimeException e) {
            throw e;
        }
    }

    private @Nullable Ticket<I, O> nextUnpromoted() {
        for (Ticket<I, O> ticket : queue) {
            if (!ticket.promoted) {
                return ticket;
            }
        }
        return null;
    }

    /** The next batch, or nothing once the leader's own item is out of the queue. */
    private List<Ticket<I, O>> gather(Ticket<I, O> own) {
        List<Ticket<I, O>> batch = new ArrayList<>();
        lock.lock();
        try {
            if (own.taken) {
                return batch;
            }
            Set<Object> taken = new HashSet<>();
            int size = 0;
            Iterator<Ticket<I, O>> waiting = queue.iterator();
            while (waiting.hasNext() && size < maxBatch) {
                Ticket<I, O> ticket = waiting.next();
                if (size + ticket.items.size() > maxBatch) {
                    break;
                }
                if (fits(ticket, taken)) {
                    batch.add(ticket);
                    ticket.taken = true;
                    size += ticket.items.size();
                    waiting.remove();
                }
            }
            return batch;
        } catch (RuntimeException | Error e) {
            // Those that are out of the queue already are found by nobody else.
            finish(batch, e);
            throw e;
        } finally {
            lock.unlock();
        }
    }

    /** Whether none of the ticket's records is in the batch yet; they are from now on. */
    private boolean fits(Ticket<I, O> ticket, Set<Object> taken) {
        if (ticket.items.size() == 1) {
            return taken.add(identity.apply(ticket.items.get(0)));
        }
        List<Object> ids = new ArrayList<>(ticket.items.size());
        for (I item : ticket.items) {
            Object id = identity.apply(item);
            if (taken.contains(id)) {
                return false;
            }
            ids.add(id);
        }
        taken.addAll(ids);
        return true;
    }

    private void serve(List<Ticket<I, O>> batch) {
        List<I> items = new ArrayList<>();
        batch.forEach(ticket -> items.addAll(ticket.items));
        if (items.isEmpty()) {
            return;
        }
        try {
            List<O> outcomes = Uninterrupted.repeating(() -> port.apply(items));
            int from = 0;
            for (Ticket<I, O> ticket : batch) {
                ticket.outcomes = outcomes.subList(from, from += ticket.items.size());
            }
        } catch (SemelException.StoreUnavailable | SemelException.OutcomeUnknown e) {
            batch.forEach(ticket -> ticket.error = e);
        } catch (RuntimeException | Error e) {
            if (batch.size() == 1) {
                batch.get(0).error = e;
            } else {
                batch.forEach(ticket -> serve(List.of(ticket)));
            }
        }
    }

    private static void waitAt(TimeSource.Gate gate) {
        boolean interrupted = false;
        while (true) {
            try {
                gate.await();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static final class Ticket<I, O> {
        private final List<I> items;
        private final TimeSource.Gate turn;
        private final TimeSource.Gate finished;
        private boolean taken;
        private volatile boolean promoted;
        private @Nullable List<O> outcomes;
        private @Nullable Throwable error;

        Ticket(List<I> items, TimeSource.Gate turn, TimeSource.Gate finished) {
            this.items = items;
            this.turn = turn;
            this.finished = finished;
        }

        /** @param why there is no outcome, if that is so and it is known */
        void finish(@Nullable Throwable why) {
            try {
                if (outcomes == null && error == null) {
                    error = why != null
                            ? why
                            : new IllegalStateException("The port gave no outcome for an item of its batch.");
                }
            } finally {
                finished.open();
                turn.open();
            }
        }

        List<O> outcomes() {
            if (error instanceof RuntimeException e) {
                throw e;
            }
            if (error instanceof Error e) {
                throw e;
            }
            return java.util.Objects.requireNonNull(outcomes);
        }
    }
}
