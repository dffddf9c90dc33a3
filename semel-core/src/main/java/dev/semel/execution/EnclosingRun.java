package dev.semel.execution;

import dev.semel.key.RecordId;
import dev.semel.store.Transactions;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The atomic run that the current thread is in. A call made inside joins its transaction: it never needs a second connection
 * while the first is held.
 */
final class EnclosingRun {
    private static final ThreadLocal<@Nullable EnclosingRun> CURRENT = new ThreadLocal<>();

    private final Transactions.Tx tx;
    private final EngineServices engine;
    private final Set<RecordId> locks = new HashSet<>();
    private final Set<String> sent = new HashSet<>();

    private EnclosingRun(Transactions.Tx tx, EngineServices engine) {
        this.tx = tx;
        this.engine = engine;
    }

    /** The run that the thread is in, if it is one of this engine. */
    static @Nullable EnclosingRun current(EngineServices engine) {
        EnclosingRun current = CURRENT.get();
        return current != null && current.engine == engine ? current : null;
    }

    Transactions.Tx tx() {
        return tx;
    }

    /** Runs the body with the record marked as under way on this thread. */
    static <T> T inside(EngineServices engine, Transactions.Tx tx, RecordId lock, RunBody<T> body) throws Exception {
        EnclosingRun outer = CURRENT.get();
        boolean same = outer != null && outer.engine == engine && outer.tx == tx;
        EnclosingRun mine = same ? outer : new EnclosingRun(tx, engine);
        CURRENT.set(mine);
        mine.locks.add(lock);
        try {
            return body.run(mine);
        } finally {
            mine.locks.remove(lock);
            if (outer == null) {
                CURRENT.remove();
            } else {
                CURRENT.set(outer);
            }
        }
    }

    /** The channels that were sent to, to be woken after the commit. */
    Set<String> sent() {
        return sent;
    }

    boolean holds(RecordId lock) {
        return locks.contains(lock);
    }

    @FunctionalInterface
    interface RunBody<T> {
        T run(EnclosingRun enclosing) throws Exception;
    }
}
