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
final class Nesting {
    private static final ThreadLocal<@Nullable Nesting> CURRENT = new ThreadLocal<>();

    private final Transactions.Tx tx;
    private final Object engine;
    private final Set<RecordId> locks = new HashSet<>();
    private final Set<String> sent = new HashSet<>();

    private Nesting(Transactions.Tx tx, Object engine) {
        this.tx = tx;
        this.engine = engine;
    }

    /** The run that the thread is in, if it is one of this engine. */
    static @Nullable Nesting current(Object engine) {
        Nesting current = CURRENT.get();
        return current != null && current.engine == engine ? current : null;
    }

    Transactions.Tx tx() {
        return tx;
    }

    /** Runs the part with the record marked as under way on this thread. */
    static <T> T inside(Object engine, Transactions.Tx tx, RecordId lock, Inner<T> body) throws Exception {
        Nesting outer = CURRENT.get();
        boolean same = outer != null && outer.engine == engine && outer.tx == tx;
        Nesting mine = same ? outer : new Nesting(tx, engine);
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

    /** What runs inside. */
    @FunctionalInterface
    interface Body<T> {
        T run() throws Exception;
    }

    /** What runs inside, and is told where it is. */
    @FunctionalInterface
    interface Inner<T> {
        T run(Nesting nesting) throws Exception;
    }
}
