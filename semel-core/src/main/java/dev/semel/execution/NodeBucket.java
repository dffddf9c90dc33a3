package dev.semel.execution;

import dev.semel.store.Permits;
import dev.semel.time.TimeSource;
import java.util.concurrent.atomic.AtomicLong;

/** Permits that this node counts for itself, by its monotonic clock. */
final class NodeBucket implements PermitBucket {
    private final BucketKey key;
    private final TimeSource time;
    private final AtomicLong usedUntil;

    NodeBucket(BucketKey key, TimeSource time) {
        this.key = key;
        this.time = time;
        this.usedUntil = new AtomicLong(time.nanos());
    }

    @Override
    public long tryTake() {
        Permits.Taken taken = take(key.take(1, false));
        return taken.permits() == 1 ? 0 : taken.waitNanos();
    }

    private Permits.Taken take(Permits.Take take) {
        while (true) {
            long old = usedUntil.get();
            Permits.Taken taken = take.from(old, time.nanos());
            if (taken.permits() == 0 || usedUntil.compareAndSet(old, taken.usedUntil())) {
                return taken;
            }
        }
    }

    @Override
    public void giveBack() {
        usedUntil.addAndGet(-key.stepNanos());
    }

    @Override
    public int free(int wanted) {
        return key.take(wanted, false).from(usedUntil.get(), time.nanos()).permits();
    }

    @Override
    public void spend(int count) {
        take(key.take(count, true));
    }

    @Override
    public long waitNanos() {
        return key.take(0, false).from(usedUntil.get(), time.nanos()).waitNanos();
    }

    @Override
    public boolean isUnused() {
        return usedUntil.get() - time.nanos() <= 0;
    }
}
