package dev.semel.http.ingress;

import dev.semel.SemelException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores the webhooks of many requests in few commits, without a waiting thread for each.
 *
 * <p>A request that finds a free lane stores its own webhook on its own thread, so that a single one takes no detour. One that finds all
 * lanes busy leaves its webhook in the queue, and its thread is free for the next request. When a lane's work ends, a thread of this class
 * stores all that has gathered in one commit, and so on until the queue is empty. When the queue is full, a request stores its webhook on
 * its own thread: senders are slowed down, and memory is bounded.
 *
 * <p>A lane that is lost would be missing for ever, so it comes back whatever is thrown. Lanes never run on threads of waiting requests:
 * a request may end before a task that was started through it, and its container then drops the task. Thread-safe.
 *
 * @param <M> the messages
 * @param <A> the answers to them
 */
final class SharedStoring<M, A> {
    private static final Logger LOG = LoggerFactory.getLogger(SharedStoring.class);
    private static final int LANES = 2;
    private static final int LARGEST_BATCH = 256;
    private static final long LARGEST_BATCH_BYTES = 8 << 20;
    private static final int MOST_WAITING = 1_024;
    private static final long MOST_WAITING_BYTES = 32 << 20;
    private static final long IDLE_SECONDS = 10;

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

        /** Two of the same are never in one batch. */
        Object identity();

        /** As given to {@link #enter}. */
        long bytes();

        /** It is durable, or surely not stored. Must not block. */
        void answered(A answer);

        /** It may not be stored. */
        void failed(RuntimeException why);
    }

    private final Function<List<M>, List<A>> store;
    private final Executor threads;
    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<Waiting<M, A>> queue = new ArrayDeque<>();
    private int freeLanes = LANES;
    private int waiting;
    private long waitingBytes;

    /** @param store commits before it returns; answers in the order of the messages */
    SharedStoring(Function<List<M>, List<A>> store) {
        this(store, threads());
    }

    /** @param threads on which lanes are served */
    SharedStoring(Function<List<M>, List<A>> store, Executor threads) {
        this.store = store;
        this.threads = threads;
    }

    /** They end when there is nothing to do. */
    private static Executor threads() {
        ThreadPoolExecutor threads = new ThreadPoolExecutor(
                LANES, LANES, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), work -> {
                    Thread thread = new Thread(work, "semel-ingress");
                    thread.setDaemon(true);
                    return thread;
                });
        threads.allowCoreThreadTimeOut(true);
        return threads;
    }

    /** @param bytes which its message takes */
    Turn enter(long bytes) {
        lock.lock();
        try {
            if (freeLanes > 0) {
                freeLanes--;
                return Turn.STORE_NOW;
            }
            if (waiting >= MOST_WAITING || waitingBytes + bytes > MOST_WAITING_BYTES) {
                return Turn.STORE_ALONE;
            }
            waiting++;
            waitingBytes += bytes;
            return Turn.QUEUE;
        } finally {
            lock.unlock();
        }
    }

    /** A lane may have become free since {@link #enter}: then it is used. */
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
            start();
        }
    }

    /** A request that could not be added after all. */
    void giveUp(long bytes) {
        lock.lock();
        try {
            waiting--;
            waitingBytes -= bytes;
        } finally {
            lock.unlock();
        }
    }

    /** The lane is free, or goes on to those that wait. */
    void leave() {
        boolean more;
        lock.lock();
        try {
            more = !queue.isEmpty();
            if (!more) {
                freeLanes++;
            }
        } finally {
            lock.unlock();
        }
        if (more) {
            start();
        }
    }

    /** Without a thread, those that wait are failed: their senders send again. */
    private void start() {
        try {
            threads.execute(() -> serve(this::storeAll));
        } catch (RuntimeException | Error e) {
            RuntimeException why = new IllegalStateException("no thread could be started to store webhooks", e);
            serve(batch -> batch.forEach(each -> fail(each, why)));
        }
    }

    private void serve(Consumer<List<Waiting<M, A>>> way) {
        boolean mine = true;
        try {
            for (List<Waiting<M, A>> batch = gather(); !batch.isEmpty(); batch = gather()) {
                way.accept(batch);
            }
            mine = false;
        } finally {
            if (mine) {
                giveBack();
            }
        }
    }

    /** If somebody still waits, the next request has the lane and passes it on. */
    private void giveBack() {
        lock.lock();
        try {
            freeLanes++;
        } finally {
            lock.unlock();
        }
    }

    /** Empty when nobody waits any more: then the lane is free. */
    private List<Waiting<M, A>> gather() {
        lock.lock();
        try {
            List<Waiting<M, A>> batch = new ArrayList<>();
            Set<Object> taken = new HashSet<>();
            long bytes = 0;
            Iterator<Waiting<M, A>> each = queue.iterator();
            while (each.hasNext() && batch.size() < LARGEST_BATCH) {
                Waiting<M, A> next = each.next();
                if (!batch.isEmpty() && bytes + next.bytes() > LARGEST_BATCH_BYTES) {
                    break;
                }
                if (taken.add(next.identity())) {
                    batch.add(next);
                    bytes += next.bytes();
                    each.remove();
                }
            }
            waiting -= batch.size();
            waitingBytes -= bytes;
            if (batch.isEmpty()) {
                freeLanes++;
            }
            return batch;
        } finally {
            lock.unlock();
        }
    }

    /**
     * A batch that fails for another reason than the store is stored one by one, so that one webhook fails alone; so is one in which a
     * key is locked: the others may be stored already, and are duplicates then.
     */
    private void storeAll(List<Waiting<M, A>> batch) {
        List<A> answers;
        try {
            answers = store.apply(batch.stream().map(Waiting::message).toList());
            if (answers.size() != batch.size()) {
                throw new SemelException.OutcomeUnknown(
                        answers.size() + " answers to " + batch.size() + " webhooks", new IllegalStateException());
            }
        } catch (RuntimeException e) {
            if (batch.size() == 1 || isOfTheStore(e) && !isOfALock(e)) {
                batch.forEach(each -> fail(each, e));
            } else {
                batch.forEach(each -> storeAll(List.of(each)));
            }
            return;
        } catch (Error e) {
            RuntimeException why = new IllegalStateException("storing webhooks failed", e);
            batch.forEach(each -> fail(each, why));
            return;
        }
        for (int i = 0; i < batch.size(); i++) {
            answer(batch.get(i), answers.get(i));
        }
    }

    private static boolean isOfTheStore(RuntimeException why) {
        return why instanceof SemelException.StoreUnavailable || why instanceof SemelException.OutcomeUnknown;
    }

    private static boolean isOfALock(RuntimeException why) {
        return why instanceof SemelException.Locked || why.getCause() instanceof SemelException.Locked;
    }

    /** An answer that cannot be given is no reason to leave the others without one. */
    private void answer(Waiting<M, A> request, A answer) {
        try {
            request.answered(answer);
        } catch (RuntimeException | Error e) {
            LOG.warn("A stored webhook could not be acknowledged; its sender sends it again.", e);
        }
    }

    private void fail(Waiting<M, A> request, RuntimeException why) {
        try {
            request.failed(why);
        } catch (RuntimeException | Error e) {
            LOG.warn("A webhook that failed could not be answered; its sender sends it again.", e);
        }
    }
}
