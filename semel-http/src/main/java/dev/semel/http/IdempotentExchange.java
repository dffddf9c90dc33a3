package dev.semel.http;

import dev.semel.AtomicContext;
import dev.semel.Operation;
import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.execution.GatewayRun;
import dev.semel.http.shared.RequestIds;
import dev.semel.key.Fingerprints;
import dev.semel.key.RecordId;
import jakarta.servlet.ServletRequest;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A request under its key, as its handler sees it. Use {@link #of}, or {@link #current} on the request's thread. A request
 * without a key has none. A replay never reaches a handler. Thread-safe.
 */
public final class IdempotentExchange {
    private static final String ATTRIBUTE = IdempotentExchange.class.getName();
    private static final ThreadLocal<@Nullable IdempotentExchange> CURRENT = new ThreadLocal<>();

    /** Enough to keep the calls of one request apart. */
    private static final int CALL_BYTES = 8;

    private final Level level;
    private final Tenant tenant;
    private final RequestIds ids;
    private final List<Runnable> afterwards = new ArrayList<>();
    private volatile @Nullable GatewayRun run;
    private volatile @Nullable AtomicContext transaction;
    private volatile Hooks.Effects.@Nullable HandlerWatch watched;
    private volatile boolean withoutEffect;
    private volatile @Nullable RequestRecord record;

    /** @param digest the content of the request, which is the payload of its operation */
    private record RequestRecord(String operation, RecordId id, byte[] digest) {
        String payloadHash() {
            Operation.Atomic<byte[], byte[]> meaning = Operation.atomic(operation, byte[].class, byte[].class);
            return Fingerprints.of(meaning.definition(), digest).toString();
        }
    }

    IdempotentExchange(Level level, Tenant tenant, RequestIds ids) {
        this.level = level;
        this.tenant = tenant;
        this.ids = ids;
    }

    /** The exchange that this thread is serving. */
    public static Optional<IdempotentExchange> current() {
        return Optional.ofNullable(CURRENT.get());
    }

    /** The exchange of a request, on any thread. */
    public static Optional<IdempotentExchange> of(ServletRequest request) {
        return Optional.ofNullable((IdempotentExchange) request.getAttribute(ATTRIBUTE));
    }

    void attachTo(ServletRequest request) {
        request.setAttribute(ATTRIBUTE, this);
    }

    /** Makes this the current exchange of the thread, and returns the previous one. */
    @Nullable
    IdempotentExchange enter() {
        IdempotentExchange outer = CURRENT.get();
        CURRENT.set(this);
        return outer;
    }

    static void leave(@Nullable IdempotentExchange outer) {
        if (outer == null) {
            CURRENT.remove();
        } else {
            CURRENT.set(outer);
        }
    }

    void about(String operation, RecordId id, byte[] digest) {
        record = new RequestRecord(operation, id, digest);
    }

    private RequestRecord known() {
        RequestRecord known = record;
        if (known == null) {
            throw new SemelException.Invalid(
                    "The record of the request is not known yet: its body has not been read. Ask in the handler.");
        }
        return known;
    }

    void under(GatewayRun granted) {
        run = granted;
    }

    /** Starts a try: callbacks of an earlier try, which was rolled back, are removed. */
    void inside(AtomicContext tx) {
        synchronized (afterwards) {
            afterwards.clear();
        }
        transaction = tx;
    }

    void outside() {
        transaction = null;
    }

    /** The guarantee of the route. */
    public Level level() {
        return level;
    }

    /** The tenant of the caller. */
    public Tenant tenant() {
        return tenant;
    }

    /** As in the header {@code X-Correlation-ID} of the response. */
    public String correlationId() {
        return ids.correlation();
    }

    /** As in the header {@code X-Request-ID} of the response. */
    public String requestId() {
        return ids.request();
    }

    /** The method and the route's template, as audit events name it: {@code POST /orders/{id}}. */
    public String operation() {
        return known().operation;
    }

    /**
     * The id of the request's record: 64 hexadecimal digits, as in {@link dev.semel.Answer.Notice#recordId}. Stored with what the
     * handler writes, it leads to Semel's audit events of the request, also to those of later replays.
     */
    public String recordId() {
        return known().id.hex();
    }

    /**
     * The hash of the request's content (path values, query and body), as it is stored to detect another request under the same key:
     * {@code v1:} and 64 hexadecimal digits.
     */
    public String payloadHash() {
        return known().payloadHash();
    }

    /**
     * At the level MARKER: writes the mark "effect committed" into the handler's transaction. Call it last before the commit, in
     * the transaction that holds the effect; a second call is harmless. If the transaction rolls back, there is no mark.
     *
     * @param connection in a transaction on the ledger's database
     * @throws SemelException.LeaseLost when another run has taken over the request: roll the transaction back
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
     * At the level MARKER: a transaction that begins now and may or may not write. For a transaction manager, which calls this
     * when it begins a transaction.
     *
     * @param connection on the ledger's database
     */
    public HandlerTransaction begun(Connection connection) {
        GatewayRun granted = granted();
        return new HandlerTransaction(granted, connection, granted.changes(connection));
    }

    /**
     * As {@link #begun}, for a transaction that was not observed from its beginning: it counts as one that has written, and can
     * only be {@linkplain HandlerTransaction#holdIfWritten held}.
     */
    public HandlerTransaction begunUnseen(Connection connection) {
        return new HandlerTransaction(granted(), connection, null);
    }

    /** A transaction of the handler at the level MARKER. Used by one thread. */
    public static final class HandlerTransaction {
        private final GatewayRun run;
        private final Connection connection;
        private final @Nullable Long changesBefore;
        private boolean marked;
        private boolean held;

        private HandlerTransaction(GatewayRun run, Connection connection, @Nullable Long changesBefore) {
            this.run = run;
            this.connection = connection;
            this.changesBefore = changesBefore;
        }

        /**
         * As {@link IdempotentExchange#mark}, if the transaction has written anything. Call it last before the commit.
         *
         * @return whether it has written
         * @throws SemelException.LeaseLost when another run has taken over the request: roll the transaction back
         * @throws SemelException.Invalid when it was not observed from its beginning
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
         * For a transaction that may commit although the one that holds the effect does not, such as a nested one. If it has
         * written and the process crashes after its commit, the request is UNKNOWN: neither run again nor done. A request that
         * continues may end in any way. Call it last before the commit.
         *
         * @return whether it has written, and no other transaction of the request was marked and committed
         * @throws SemelException.LeaseLost when another run has taken over the request: roll the transaction back
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

        /** Reports that it was committed. */
        public void committed() {
            if (marked) {
                run.committed();
            } else if (held) {
                run.rolledBack();
            }
        }

        /** Reports that it was rolled back, with its mark. */
        public void rolledBack() {
            if (marked || held) {
                run.rolledBack();
            }
        }
    }

    void watch(Hooks.Effects effects) {
        watched = effects.watch(this);
    }

    /** The watch on effects outside marked transactions; present at the level MARKER if the application has one. */
    public Optional<Hooks.Effects.HandlerWatch> watched() {
        return Optional.ofNullable(watched);
    }

    /** Whether a transaction was marked. */
    public boolean isMarked() {
        GatewayRun granted = run;
        return granted != null && granted.marked();
    }

    /**
     * At the level SPAN: the transaction of the handler and of the stored response. Valid on the handler's thread until it
     * returns.
     *
     * @throws SemelException.Invalid at another level
     */
    public AtomicContext transaction() {
        AtomicContext tx = transaction;
        if (tx == null) {
            throw new SemelException.Invalid("No transaction: the request runs at level " + level
                    + ", or its handler has returned. Use level SPAN for this route.");
        }
        return tx;
    }

    /** The connection of {@link #transaction}: it cannot commit, roll back or close. */
    public Connection connection() {
        return transaction().connection();
    }

    /**
     * At the levels MARKER and PLAIN: the idempotency key for calls to downstream services. The same for all attempts of a
     * request.
     */
    public Optional<String> downstreamKey() {
        GatewayRun granted = run;
        return granted == null ? Optional.empty() : Optional.of(granted.downstreamKey());
    }

    /**
     * As {@link #downstreamKey()}, for a handler that makes several calls: each name has a key of its own, the same for all
     * attempts of the request.
     *
     * @param call names the call, by its method and URL for example
     */
    public Optional<String> downstreamKey(String call) {
        return downstreamKey().map(key -> key + "-" + digits(call));
    }

    private static String digits(String text) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash, 0, CALL_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java runtime must have SHA-256; this one does not.", e);
        }
    }

    /** At the levels MARKER and PLAIN: the fence of this run. A later run of the same request has a higher one. */
    public OptionalLong fence() {
        GatewayRun granted = run;
        return granted == null ? OptionalLong.empty() : OptionalLong.of(granted.fence());
    }

    /**
     * Declares that nothing took effect, for any response: at the levels PLAIN and MARKER a failure may then be
     * retried, unless a marked transaction was committed. For a gateway that could not reach its upstream, or a
     * handler whose transaction rolled back.
     */
    public void noEffect() {
        withoutEffect = true;
    }

    boolean isWithoutEffect() {
        return withoutEffect;
    }

    /**
     * Runs the callback after the effect is committed and before the response is sent: at most once, never for a replay, and not
     * at all when the process crashes in between. An exception is logged and changes nothing.
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
