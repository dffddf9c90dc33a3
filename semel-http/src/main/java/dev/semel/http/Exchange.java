package dev.semel.http;

import dev.semel.AtomicContext;
import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.execution.GatewayRun;
import jakarta.servlet.ServletRequest;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A request under its key, as its handler sees it. Found by {@link #of} or, on the request's thread, by {@link #current};
 * there is none for a request that came without a key. A replay never gets as far as a handler. Thread-safe.
 */
public final class Exchange {
    private static final String ATTRIBUTE = Exchange.class.getName();
    private static final ThreadLocal<@Nullable Exchange> CURRENT = new ThreadLocal<>();

    private final Level level;
    private final Tenant tenant;
    private final Ids ids;
    private final List<Runnable> afterwards = new ArrayList<>();
    private volatile @Nullable GatewayRun run;
    private volatile @Nullable AtomicContext transaction;
    private volatile Hooks.Effects.@Nullable Watched watched;
    private volatile boolean withoutEffect;

    Exchange(Level level, Tenant tenant, Ids ids) {
        this.level = level;
        this.tenant = tenant;
        this.ids = ids;
    }

    /** The one that this thread is serving. */
    public static Optional<Exchange> current() {
        return Optional.ofNullable(CURRENT.get());
    }

    /** The one of a request, on any thread. */
    public static Optional<Exchange> of(ServletRequest request) {
        return Optional.ofNullable((Exchange) request.getAttribute(ATTRIBUTE));
    }

    void attachTo(ServletRequest request) {
        request.setAttribute(ATTRIBUTE, this);
    }

    /** Makes it the thread's, and says whose the thread was. */
    @Nullable
    Exchange enter() {
        Exchange outer = CURRENT.get();
        CURRENT.set(this);
        return outer;
    }

    static void leave(@Nullable Exchange outer) {
        if (outer == null) {
            CURRENT.remove();
        } else {
            CURRENT.set(outer);
        }
    }

    void under(GatewayRun granted) {
        run = granted;
    }

    /** Begins anew: callbacks of an earlier try, which was rolled back, are forgotten. */
    void inside(AtomicContext tx) {
        synchronized (afterwards) {
            afterwards.clear();
        }
        transaction = tx;
    }

    void outside() {
        transaction = null;
    }

    public Level level() {
        return level;
    }

    public Tenant tenant() {
        return tenant;
    }

    public String correlationId() {
        return ids.correlation();
    }

    public String requestId() {
        return ids.request();
    }

    /**
     * At the level MARKER: writes into the handler's transaction that its effect is committed. To be called last before the
     * commit, once for the transaction that holds the effect; calling it again is harmless. If the transaction rolls back,
     * nothing was marked.
     *
     * @param connection in a transaction on the ledger's database
     * @throws SemelException.LeaseLost when another run has the request meanwhile: the transaction must be rolled back
     * @throws SemelException.TransactionMustBeRetried when the transaction's isolation does not let it see the record
     * @throws SemelException.Invalid at another level, or when the connection is not in such a transaction
     */
    public void mark(Connection connection) {
        granted().mark(connection);
    }

    private GatewayRun granted() {
        GatewayRun granted = run;
        if (level != Level.MARKER || granted == null) {
            throw new SemelException.Invalid("mark() failed: the request runs at level " + level
                    + ". Only a request at level MARKER can be marked (see level()).");
        }
        return granted;
    }

    /**
     * At the level MARKER: a transaction that begins now, of which is not known yet whether it will write. To be asked for when
     * it begins, by whoever begins transactions for others.
     *
     * @param connection on the ledger's database
     */
    public Begun begun(Connection connection) {
        GatewayRun granted = granted();
        return new Begun(granted, connection, granted.changes(connection));
    }

    /**
     * As {@link #begun}, for a transaction that has begun without being looked at: it counts as one that has written, and can
     * only be {@linkplain Begun#holdIfWritten held}.
     */
    public Begun begunUnseen(Connection connection) {
        return new Begun(granted(), connection, null);
    }

    /** A transaction of the handler's at the level MARKER. Used by one thread. */
    public static final class Begun {
        private final GatewayRun run;
        private final Connection connection;
        private final @Nullable Long changesBefore;
        private boolean marked;
        private boolean held;

        private Begun(GatewayRun run, Connection connection, @Nullable Long changesBefore) {
            this.run = run;
            this.connection = connection;
            this.changesBefore = changesBefore;
        }

        /**
         * As {@link Exchange#mark}, if the transaction has written anything; otherwise there is no effect to tell of. To be
         * called last before the commit.
         *
         * @return whether it has written
         * @throws SemelException.LeaseLost when another run has the request meanwhile: the transaction must be rolled back
         * @throws SemelException.Invalid when it was not looked at when it began
         */
        public boolean markIfWritten() {
            if (changesBefore == null) {
                throw new SemelException.Invalid(
                        "markIfWritten() failed: the transaction was not observed from its beginning. Use"
                                + " holdIfWritten().");
            }
            marked = run.markIfChanged(connection, changesBefore);
            return marked;
        }

        /**
         * For a transaction that may commit although the one that holds the effect does not, such as one inside another. If it
         * has written, a process that dies from its commit on leaves the request UNKNOWN: neither run again nor done. A request
         * that goes on may end in any way. To be called last before the commit.
         *
         * @return whether it has written, and no other transaction of the request was marked and committed
         * @throws SemelException.LeaseLost when another run has the request meanwhile: the transaction must be rolled back
         */
        public boolean holdIfWritten() {
            if (changesBefore == null) {
                run.hold(connection);
                held = true;
            } else {
                held = run.holdIfChanged(connection, changesBefore);
            }
            return held;
        }

        /** It was committed. */
        public void committed() {
            if (marked) {
                run.committed();
            } else if (held) {
                run.rolledBack();
            }
        }

        /** It was rolled back, and its mark with it. */
        public void rolledBack() {
            if (marked || held) {
                run.rolledBack();
            }
        }
    }

    void watch(Hooks.Effects effects) {
        watched = effects.watch(this);
    }

    /** Who watches what the handler does beside its marked transactions; at the level MARKER, if somebody does. */
    public Optional<Hooks.Effects.Watched> watched() {
        return Optional.ofNullable(watched);
    }

    /** Whether a transaction was marked. */
    public boolean isMarked() {
        GatewayRun granted = run;
        return granted != null && granted.marked();
    }

    /**
     * At the level SPAN: the transaction in which the handler works and the answer is kept. Valid on the handler's thread until
     * it returns.
     *
     * @throws SemelException.Invalid at another level
     */
    public AtomicContext transaction() {
        AtomicContext tx = transaction;
        if (tx == null) {
            throw new SemelException.Invalid(
                    "No transaction: the request runs at level " + level
                            + ", or its handler has returned. Use level SPAN for this route.");
        }
        return tx;
    }

    /** The connection of {@link #transaction}: it cannot commit, roll back or close. */
    public Connection connection() {
        return transaction().connection();
    }

    /**
     * At the levels MARKER and PLAIN: stable for the request, whatever the attempt. The idempotency key to hand to a downstream
     * service.
     */
    public Optional<String> downstreamKey() {
        GatewayRun granted = run;
        return granted == null ? Optional.empty() : Optional.of(granted.downstreamKey());
    }

    /**
     * Says that nothing took effect, whatever the answer: at the levels PLAIN and MARKER a failure may then be tried again,
     * unless a marked transaction was committed. For a gateway that could not reach its upstream, or a handler whose transaction
     * rolled back.
     */
    public void noEffect() {
        withoutEffect = true;
    }

    boolean isWithoutEffect() {
        return withoutEffect;
    }

    /**
     * Runs once the effect is committed, before the answer leaves; at most once, never for a replay, and not at all when the
     * process dies in between. An exception is logged and changes nothing.
     */
    public void afterFirstCommit(Runnable callback) {
        synchronized (afterwards) {
            afterwards.add(callback);
        }
    }

    List<Runnable> callbacks() {
        synchronized (afterwards) {
            List<Runnable> all = List.copyOf(afterwards);
            afterwards.clear();
            return all;
        }
    }
}
