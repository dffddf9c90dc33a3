package dev.semel.worker;

import dev.semel.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Lets one suspect at a time run on this node, of all operations together. A message that was held by a node that died may be what
 * killed it. If it kills this node too, no other suspect was running beside it, so only its own attempt is spent. The permit is
 * held until the suspect's result is written, but not longer than the time-out of its attempt: by then it has killed nobody, and
 * a handler that ignores its interrupt must not stop all others. Operations take turns. Thread-safe.
 */
final class SuspectPermit {
    /** The longest attempt before it is interrupted, under any policy. */
    private static final Duration LONGEST = Duration.ofDays(1);

    private static final long SOON = Duration.ofSeconds(1).toNanos();

    private final TimeSource time;
    private final Runnable whenFree;
    private final ReentrantLock lock = new ReentrantLock();
    private final List<SharingOperation> operations = new CopyOnWriteArrayList<>();
    private @Nullable SoleRun current;
    private long turns;

    /** @param whenFree called when others may try */
    SuspectPermit(TimeSource time, Runnable whenFree) {
        this.time = time;
        this.whenFree = whenFree;
    }

    /** A run that holds the permit. */
    final class SoleRun {
        private final long bound;
        private long since;

        private SoleRun(Duration bound) {
            this.bound = bound.toNanos();
            this.since = time.nanos();
        }

        private boolean isOver() {
            return time.nanos() - since >= bound;
        }

        /** Whether the next suspect of the same run may begin: not if another operation has the permit by now. */
        boolean goesOn() {
            lock.lock();
            try {
                since = time.nanos();
                return current == this;
            } finally {
                lock.unlock();
            }
        }

        void giveBack() {
            lock.lock();
            try {
                current = current == this ? null : current;
            } finally {
                lock.unlock();
            }
            whenFree.run();
        }
    }

    /** An operation that takes turns with the others. */
    final class SharingOperation {
        private final BooleanSupplier waits;
        private final Duration bound;
        private long lastTurn;

        private SharingOperation(BooleanSupplier waits, Duration bound) {
            this.waits = waits;
            this.bound = bound.compareTo(LONGEST) > 0 ? LONGEST : bound;
        }

        /** Nothing while another run has the permit, or it is another operation's turn. */
        @Nullable
        SoleRun tryTake() {
            lock.lock();
            try {
                if (!mayTake()) {
                    return null;
                }
                lastTurn = ++turns;
                current = new SoleRun(bound);
                return current;
            } finally {
                lock.unlock();
            }
        }

        boolean mayTake() {
            lock.lock();
            try {
                return (current == null || current.isOver())
                        && operations.stream()
                                .noneMatch(other -> other.lastTurn < lastTurn && other.waits.getAsBoolean());
            } finally {
                lock.unlock();
            }
        }
    }

    /**
     * @param waits whether it has a suspect that could begin now; asked under a lock
     * @param bound the time-out of its attempts
     */
    SharingOperation join(BooleanSupplier waits, Duration bound) {
        SharingOperation operation = new SharingOperation(waits, bound);
        operations.add(operation);
        return operation;
    }

    /** Whether a suspect that is taken over now need not wait long. */
    boolean isFreeSoon() {
        lock.lock();
        try {
            return current == null || current.isOver() || time.nanos() - current.since < SOON;
        } finally {
            lock.unlock();
        }
    }
}
