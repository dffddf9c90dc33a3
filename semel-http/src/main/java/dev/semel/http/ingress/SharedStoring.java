package dev.semel.http.ingress;

import dev.semel.SemelException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/**
 * Stores the webhooks of many requests in few commits, without a waiting thread for each.
 *
 * <p>A request that finds a free lane stores its own webhook on its own thread, so that a single one takes no detour. One that finds all
 * lanes busy leaves its webhook in the queue, and its thread is free for the next request. Whoever ends a lane's work passes the lane on to
 * a thread of the container, which stores all that has gathered in one commit, and so on until the queue is empty. When the queue is full,
 * a request stores its webhook on its own thread: senders are slowed down, and memory is bounded. Thread-safe.
 *
 * @param <M> the messages
 * @param <A> the answers to them
 */
final class SharedStoring<M, A> {
    private static final int LANES = 2;
    private static final int LARGEST_BATCH = 256;
    private static final int MOST_WAITING = 1_024;

    /** What a request is to do with its webhook. */
    enum Turn {
        /** Store it, then call {@link #leave}. */
        STORE_NOW,
        /** Call {@link #add}. */
        QUEUE,
        /** Store it; nothing follows. */
        STORE_ALONE
    }

    /** A request whose thread is gone. */
    interface Waiting<M, A> {
        M message();

        /** It is durable, or surely not stored. Must not block. */
        void answered(A answer);

        /** It may not be stored. */
        void failed(RuntimeException why);

        /** Runs this on a thread of the container. */
        void start(Runnable work);
    }

    private final Function<List<M>, List<A>> store;
    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<Waiting<M, A>> queue = new ArrayDeque<>();
    private int freeLanes = LANES;
    private int waiting;

    /** @param store commits before it returns; answers in the order of the messages */
    SharedStoring(Function<List<M>, List<A>> store) {
        this.store = store;
    }

    Turn enter() {
        lock.lock();
        try {
            if (freeLanes > 0) {
                freeLanes--;
                return Turn.STORE_NOW;
            }
            if (waiting >= MOST_WAITING) {
                return Turn.STORE_ALONE;
            }
            waiting++;
            return Turn.QUEUE;
        } finally {
            lock.unlock();
        }
    }

    /** A lane may have become free since {@link #enter}: then this request has it served. */
    void add(Waiting<M, A> request) {
        boolean serves;
        lock.lock();
        try {
            queue.addLast(request);
            serves = freeLanes > 0;
            if (serves) {
                freeLanes--;
            }
        } finally {
            lock.unlock();
        }
        if (serves) {
            start(request);
        }
    }

    /** A request that could not be added after all. */
    void giveUp() {
        lock.lock();
        try {
            waiting--;
        } finally {
            lock.unlock();
        }
    }

    /** The lane is free, or goes on to those that wait. */
    void leave() {
        Waiting<M, A> next;
        lock.lock();
        try {
            next = queue.peekFirst();
            if (next == null) {
                freeLanes++;
            }
        } finally {
            lock.unlock();
        }
        if (next != null) {
            start(next);
        }
    }

    /** The request may have timed out meanwhile; the lane must not be lost with it. */
    private void start(Waiting<M, A> any) {
        try {
            any.start(this::serve);
        } catch (RuntimeException e) {
            serve();
        }
    }

    private void serve() {
        for (List<Waiting<M, A>> batch = gather(); !batch.isEmpty(); batch = gather()) {
            storeAll(batch);
        }
    }

    /** Empty when nobody waits any more: then the lane is free. */
    private List<Waiting<M, A>> gather() {
        lock.lock();
        try {
            List<Waiting<M, A>> batch = new ArrayList<>(Math.min(queue.size(), LARGEST_BATCH));
            while (batch.size() < LARGEST_BATCH && !queue.isEmpty()) {
                batch.add(queue.removeFirst());
            }
            waiting -= batch.size();
            if (batch.isEmpty()) {
                freeLanes++;
            }
            return batch;
        } finally {
            lock.unlock();
        }
    }

    /** A batch that fails for another reason than the store is stored one by one, so that one webhook fails alone. */
    private void storeAll(List<Waiting<M, A>> batch) {
        List<A> answers;
        try {
            answers = store.apply(batch.stream().map(Waiting::message).toList());
        } catch (SemelException.StoreUnavailable | SemelException.OutcomeUnknown e) {
            batch.forEach(each -> each.failed(e));
            return;
        } catch (RuntimeException e) {
            if (batch.size() == 1) {
                batch.get(0).failed(e);
            } else {
                batch.forEach(each -> storeAll(List.of(each)));
            }
            return;
        } catch (Error e) {
            batch.forEach(each -> each.failed(new IllegalStateException("storing webhooks failed", e)));
            return;
        }
        for (int i = 0; i < batch.size(); i++) {
            batch.get(i).answered(answers.get(i));
        }
    }
}
