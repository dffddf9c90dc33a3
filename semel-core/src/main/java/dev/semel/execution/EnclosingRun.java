package dev.semel.execution;

import dev.semel.key.RecordId;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * The atomic run that the current thread is in. A call made inside joins its transaction: it never needs a second connection
 * while the first is held.
 */
final class EnclosingRun {
    private static final ThreadLocal<@Nullable EnclosingRun> CURRENT = new ThreadLocal<>();

    private final Outbox outbox;
    private final Set<RecordId> locks = new HashSet<>();

    private EnclosingRun(Outbox outbox) {
        this.outbox = outbox;
    }

    /** The run that the thread is in, if it is one of the engine that this is the sender of. */
    static @Nullable EnclosingRun current(MessageSender engine) {
        EnclosingRun current = CURRENT.get();
        return current != null && current.outbox.isOf(engine) ? current : null;
    }

    /** The transaction, and what was sent in it. */
    Outbox outbox() {
        return outbox;
    }

    /**
     * Runs the body inside the transaction.
     *
     * @param lock of the record that is under way on this thread meanwhile; none outside any operation
     */
    static <T> T inside(Outbox outbox, @Nullable RecordId lock, Callable<T> body) throws Exception {
        EnclosingRun outer = CURRENT.get();
        EnclosingRun mine = outer != null && outer.outbox.tx() == outbox.tx() ? outer : new EnclosingRun(outbox);
        CURRENT.set(mine);
        if (lock != null) {
            mine.locks.add(lock);
        }
        try {
            return body.call();
        } finally {
            mine.locks.remove(lock);
            if (outer == null) {
                CURRENT.remove();
            } else {
                CURRENT.set(outer);
            }
        }
    }

    boolean holds(RecordId lock) {
        return locks.contains(lock);
    }
}
