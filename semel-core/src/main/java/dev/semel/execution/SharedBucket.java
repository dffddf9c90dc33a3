package dev.semel.execution;

import dev.semel.SemelException;
import dev.semel.store.Permits;
import dev.semel.time.TimeSource;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Permits of all nodes together, which the store counts. A node takes a chunk ahead, larger while its chunks are used up in time, so that
 * a call normally does not ask the store. What is left of a chunk after a tenth of a second is dropped: nobody saves permits up beside
 * the burst, so the number of nodes does not matter to the limit.
 *
 * <p>One thread asks at a time; the others wait at a gate for what it gets. If there is none, the node knows when the next permit comes and
 * asks nobody until then. Messages are counted when they have been claimed ({@link #spend}), so that a node with nothing to do takes
 * nothing; while the store cannot be told, the node owes it.
 */
final class SharedBucket implements PermitBucket {
    private final BucketKey key;
    private final Permits permits;
    private final TimeSource time;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable Asking asking;
    private int waiting;
    private int held;
    private long heldUntil;
    private long emptyUntil;
    private int owed;
    private int size = 1;

    SharedBucket(BucketKey key, Permits permits, TimeSource time) {
        this.key = key;
        this.permits = permits;
        this.time = time;
        this.emptyUntil = time.nanos();
        this.heldUntil = emptyUntil - 1;
    }

    /** One question to the store, with those who wait for its answer. */
    private static final class Asking {
        private final TimeSource.Gate gate;
        private volatile @Nullable RuntimeException failed;

        Asking(TimeSource.Gate gate) {
            this.gate = gate;
        }
    }

    @Override
    public long tryTake() {
        boolean alone = false;
        while (true) {
            Asking mine = null;
            Asking other;
            int wanted = 1;
            lock.lock();
            try {
                long now = time.nanos();
                if (held > 0 && heldUntil - now >= 0) {
                    held--;
                    return 0;
                }
                if (emptyUntil - now > 0) {
                    return emptyUntil - now;
                }
                other = alone ? null : asking;
                if (other == null) {
                    wanted = nextSize(now);
                    mine = new Asking(time.gate());
                    asking = mine;
                } else {
                    waiting++;
                }
            } finally {
                lock.unlock();
            }
            if (mine == null) {
                alone = !await(other);
            } else if (ask(mine, wanted)) {
                return 0;
            }
        }
    }

    /** Doubles while chunks are used up before they are too old. */
    private int nextSize(long now) {
        boolean usedUp = held == 0 && heldUntil - now >= 0;
        size = usedUp ? size * 2 : Math.max(1, size / 2);
        size = Math.min(key.chunk(), Math.max(size, waiting + 1));
        held = 0;
        return size;
    }

    /** @return false when this thread was interrupted meanwhile and goes on by itself */
    private boolean await(Asking other) {
        try {
            other.gate.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            lock.lock();
            waiting--;
            lock.unlock();
        }
        if (other.failed != null) {
            throw unavailable(other.failed);
        }
        return true;
    }

    /** Takes a chunk; says whether one permit of it is the caller's. */
    private boolean ask(Asking mine, int wanted) {
        try {
            int debt = owed();
            Permits.Taken taken = permits.take(key.take(wanted + debt, false));
            return received(taken, debt);
        } catch (RuntimeException e) {
            mine.failed = e;
            throw e instanceof SemelException.OutcomeUnknown ? unavailable(e) : e;
        } finally {
            lock.lock();
            if (asking == mine) {
                asking = null;
            }
            lock.unlock();
            mine.gate.open();
        }
    }

    private boolean received(Permits.Taken taken, int debt) {
        lock.lock();
        try {
            long now = time.nanos();
            int paid = Math.min(debt, taken.permits());
            int mine = taken.permits() - paid;
            owed -= paid;
            emptyUntil = now + taken.waitNanos();
            if (mine > 0) {
                held += mine - 1;
                heldUntil = now + BucketKey.CHUNK.toNanos();
            }
            return mine > 0;
        } finally {
            lock.unlock();
        }
    }

    private static SemelException.StoreUnavailable unavailable(RuntimeException why) {
        return new SemelException.StoreUnavailable(
                "The store could not be asked for a permit of the rate limit; nothing was run. Repeat the call later. "
                        + why.getMessage(),
                why);
    }

    private int owed() {
        lock.lock();
        try {
            return owed;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void giveBack() {
        lock.lock();
        try {
            held++;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int free(int wanted) {
        return waitNanos() > 0 ? 0 : Math.min(wanted, key.chunk());
    }

    @Override
    public void spend(int count) {
        int debt = owed() + count;
        try {
            Permits.Taken taken = permits.take(key.take(debt, true));
            told(debt - count, 0, taken.waitNanos());
        } catch (SemelException.StoreUnavailable | SemelException.OutcomeUnknown e) {
            told(0, count, key.stepNanos() * debt);
        }
    }

    private void told(int paid, int borrowed, long waitNanos) {
        lock.lock();
        try {
            owed += borrowed - paid;
            emptyUntil = time.nanos() + waitNanos;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public long waitNanos() {
        lock.lock();
        try {
            return Math.max(0, emptyUntil - time.nanos());
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean isUnused() {
        lock.lock();
        try {
            long now = time.nanos();
            boolean holdsNone = held == 0 || heldUntil - now < 0;
            return holdsNone && owed == 0 && asking == null && waiting == 0 && emptyUntil - now <= 0;
        } finally {
            lock.unlock();
        }
    }
}
