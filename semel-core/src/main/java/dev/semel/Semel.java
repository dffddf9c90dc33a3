package dev.semel;

import java.lang.reflect.Type;
import java.sql.Connection;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.Callable;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Makes operations take effect exactly once. Thread-safe; one instance serves a process. A duplicate of a call that runs in
 * the same process waits in memory, without a connection; across processes the ledger decides.
 */
public interface Semel extends CallStatus.StatusQueries, AutoCloseable {

    /**
     * Opens the ledger in the database that the application already has, beside its own tables: PostgreSQL or SQLite. Installs its
     * schema where there is none, and upgrades an older one.
     *
     * <pre>{@code
     * Semel semel = Semel.open(dataSource);
     * }</pre>
     *
     * <p>The data source stays the application's: {@link #close} does not close it. It must hand out plain connections, not such as
     * are bound to a transaction manager's thread (in Spring Boot the starter opens Semel). A thread takes one connection at a time,
     * for as long as a call or an atomic handler takes. On SQLite the data source says which file it is, and Semel opens connections
     * of its own to it.
     *
     * @throws SemelException.Misconfigured when the database or the settings cannot serve, saying what to do
     * @throws SemelException.StoreUnavailable when the database cannot be reached
     */
    static Semel open(DataSource source) {
        return settings(source).open();
    }

    /**
     * Opens the ledger at a store URL, installing its schema where there is none, and upgrading an older one:
     *
     * <pre>{@code
     * Semel.open("sqlite:orders.db")
     * Semel.open("postgresql://user:secret@host/database")
     * Semel.open("memory:") // for tests: needs semel-testkit
     * }</pre>
     *
     * @throws SemelException.Misconfigured when the URL, the store or the settings cannot serve
     * @throws SemelException.StoreUnavailable when the store cannot be reached
     */
    static Semel open(String storeUrl) {
        return settings(storeUrl).open();
    }

    /** As {@link #open(DataSource)}, with settings to change first. The data source is first used by {@link Settings#open}. */
    static Settings settings(DataSource source) {
        return provider().settings(source);
    }

    /** As {@link #open(String)}, with settings to change first. The store is first used by {@link Settings#open}. */
    static Settings settings(String storeUrl) {
        return provider().settings(storeUrl);
    }

    private static Provider provider() {
        return ServiceLoader.load(Provider.class)
                .findFirst()
                .orElseThrow(() -> new SemelException.Misconfigured(
                        "engine", List.of("no Semel engine is on the class path: add dev.semel:semel-core")));
    }

    /**
     * Runs an atomic operation once: effect, record, audit event and result commit in one transaction.
     *
     * <pre>{@code
     * Receipt receipt = semel.run(CHARGE, Call.of(tenant, Key.of(order.id()), order),
     *                 (o, tx) -> insertPayment(tx.connection(), o))
     *         .orThrow();
     * }</pre>
     *
     * <p>A duplicate gets the stored result and runs nothing; with another payload it is a {@link Answer.Conflict}.
     * If the handler throws, its transaction is rolled back, and the policy decides about retries within this call.
     * Inside the handler of another atomic operation it joins that one's transaction.
     *
     * @throws SemelException.StoreUnavailable when the ledger cannot be reached; nothing was run
     * @throws SemelException.OutcomeUnknown when the reply to a commit was lost and cannot be decided yet; repeat the
     *     call
     * @throws SemelException.Misconfigured when the store cannot run atomic operations, or there is no policy of the
     *     name that the operation gives
     */
    <P, R> Answer<R> run(Operation.Atomic<P, R> operation, Call<P> call, AtomicHandler<P, R> handler);

    /**
     * Runs a leased operation once: granted first, run under a lease and a fence, finished under the fence.
     *
     * <pre>{@code
     * Answer<RefundId> answer = semel.run(REFUND, Call.of(tenant, Key.of(refund.orderId()), refund),
     *         (r, run) -> run.step("psp", RefundId.class, key -> psp.refund(r, key)));
     * }</pre>
     *
     * <p>A duplicate gets the stored result and runs nothing. While the first call runs, it gets {@link
     * Answer.InProgress}, or waits up to its patience. A run that is interrupted is repeated only if the operation is
     * declared repeatable; otherwise its record is UNKNOWN until a reconciler or a person decides.
     *
     * @throws SemelException.StoreUnavailable when the ledger cannot be reached; nothing was run
     * @throws SemelException.Misconfigured when there is no policy of the name that the operation gives
     */
    <P, R> Answer<R> run(Operation.Leased<P, R> operation, Call<P> call, LeasedHandler<P, R> handler);

    /**
     * Runs an operation by the handler that {@code handle} registered on this node.
     *
     * @throws SemelException.Invalid when none is registered
     * @see #run(Operation.Atomic, Call, AtomicHandler)
     * @see #run(Operation.Leased, Call, LeasedHandler)
     */
    <P, R> Answer<R> run(Operation<P, R> operation, Call<P> call);

    /**
     * Runs many calls of one operation in a few statements, with one answer each, in the order of the calls.
     * Duplicates inside the list: the first executes, the rest replay. When the store fails half-way nothing is lost:
     * repeat the whole list, and finished calls are replayed.
     *
     * @throws SemelException.StoreUnavailable when the ledger cannot be reached
     */
    <P, R> List<Answer<R>> runAll(Operation.Atomic<P, R> operation, List<Call<P>> calls, AtomicHandler<P, R> handler);

    /** @see #runAll(Operation.Atomic, List, AtomicHandler) */
    <P, R> List<Answer<R>> runAll(Operation.Leased<P, R> operation, List<Call<P>> calls, LeasedHandler<P, R> handler);

    /**
     * Registers the handler of an operation, for runs that have no caller: takeovers, replays, retries. Register it on each node, at
     * start-up.
     *
     * @throws SemelException.Invalid when the operation has a handler on this node already, or another declaration has its name
     */
    <P, R> void handle(Operation.Atomic<P, R> operation, AtomicHandler<P, R> handler);

    /** @see #handle(Operation.Atomic, AtomicHandler) */
    <P, R> void handle(Operation.Leased<P, R> operation, LeasedHandler<P, R> handler);

    /**
     * Stores a message for its channel's handler, unless it is there already. Accepted means durable; HALTED and paused
     * channels accept too.
     *
     * <pre>{@code
     * semel.send(MAIL, Message.of(tenant, Key.of(order.id()), new Mail("c-1", "Paid"))).orThrow();
     * }</pre>
     *
     * To send in the same commit as an effect, use {@link AtomicContext#send}, {@link #inTransaction} or {@link Joined#send}.
     *
     * @throws SemelException.StoreUnavailable when the ledger cannot be reached; send it again, under the same key
     * @throws SemelException.Misconfigured when the store keeps no messages, or there is no policy of the name that the channel
     *     gives
     */
    <P> Sent send(Channel<P> channel, Message<P> message);

    /**
     * Stores many messages in a few statements, with one answer each, in the order of the messages. When the store
     * fails half-way, send the whole list again: stored messages are recognised by their keys.
     *
     * @throws SemelException.StoreUnavailable when the ledger cannot be reached
     */
    <P> List<Sent> sendAll(Channel<P> channel, List<Message<P>> messages);

    /**
     * Handles the messages of a channel on this node from now on, up to sixteen at a time.
     *
     * <pre>{@code
     * semel.handle(MAIL, (mail, run) -> mailer.send(mail, run.downstreamKey()));
     * }</pre>
     *
     * <p>Messages of one lane are handled one at a time, in the order of their sends. A handler that throws is called again when the
     * policy says; what fails for good becomes a dead letter.
     *
     * @throws SemelException.Invalid when the channel has a handler on this node already, another declaration has its name, or the
     *     store keeps no messages
     */
    default <P> void handle(Channel.Atomic<P> channel, Channel.AtomicDelivery<P> handler) {
        handle(channel, Channel.Capacity.DEFAULT, handler);
    }

    /** @see #handle(Channel.Atomic, Channel.AtomicDelivery) */
    default <P> void handle(Channel.Leased<P> channel, Channel.LeasedDelivery<P> handler) {
        handle(channel, Channel.Capacity.DEFAULT, handler);
    }

    /**
     * As {@link #handle(Channel.Atomic, Channel.AtomicDelivery)}, saying how much this node handles at a time.
     *
     * @param capacity of this node; of all nodes together it is the sum
     */
    <P> void handle(Channel.Atomic<P> channel, Channel.Capacity capacity, Channel.AtomicDelivery<P> handler);

    /** @see #handle(Channel.Atomic, Channel.Capacity, Channel.AtomicDelivery) */
    <P> void handle(Channel.Leased<P> channel, Channel.Capacity capacity, Channel.LeasedDelivery<P> handler);

    /**
     * Registers the reconciler for interrupted deliveries of a channel that may not be repeated.
     *
     * @see #reconcile(Operation.Leased, Reconciler)
     */
    default <P> void reconcile(Channel.Leased<P> channel, Reconciler<P, Void> reconciler) {
        reconcile(channel.operation(), reconciler);
    }

    /**
     * Registers what is done when a message of a channel dies: a fallback to a person, a compensation, a notice.
     *
     * <pre>{@code
     * semel.onDead(MAIL, (death, tx) ->
     *         tx.send(REVIEW, death.key("review"), new Review(death.record().id(), death.failure().reason())));
     * }</pre>
     *
     * @see #onDead(Operation, Death.Handler)
     */
    default <P> void onDead(Channel<P> channel, Death.Handler<P> handler) {
        onDead(channel.operation(), handler);
    }

    /**
     * Registers what is done when a message or call of an operation becomes a dead letter. The handler runs in the commit of the
     * dead letter: what it writes and sends is there exactly if the dead letter is, once for each death. A record that is replayed
     * and dies again has died twice.
     *
     * <ul>
     *   <li>If the handler throws, times out or sends what conflicts, nothing is committed, the dead letter neither. A message waits
     *       in its place, and its death is tried again, with pauses from a second to a quarter of an hour. A direct call is not
     *       dead then: its caller gets {@link Answer.RetryLater}.
     *   <li>Failures that are no dead letters do not count: a direct call that failed for good is told to its caller, and a policy
     *       may keep no dead letters.
     * </ul>
     *
     * Register it before the handlers, on each node that handles, runs or reconciles the operation: a node that does not know it
     * records dead letters without it.
     *
     * @throws SemelException.Invalid when the operation has one on this node already, or another declaration has its name
     * @throws SemelException.Misconfigured when the store has no transactions for handlers
     */
    <P> void onDead(Operation<P, ?> operation, Death.Handler<P> handler);

    /**
     * Claims nothing more, lets the handlers under way end, and hands back what has not begun.
     *
     * @return whether all of them ended within the bound; those that did not are interrupted when this is closed
     */
    boolean drain(Duration bound);

    /**
     * Registers the reconciler of an operation. It is asked about a run that was interrupted and may not be repeated, while its record
     * is UNKNOWN, and its verdict decides the record. Register it on each node that can ask the outside world.
     *
     * @throws SemelException.Invalid when the operation has a reconciler on this node already
     */
    <P, R> void reconcile(Operation.Leased<P, R> operation, Reconciler<P, R> reconciler);

    /**
     * Checks that the deliveries of a source are in the ledger. One node at a time queries the source, window by
     * window, and the listener gets the missing ones. Register it on each node that can reach the source.
     *
     * @throws SemelException.Invalid when a source of this name is registered already
     */
    default void checkDeliveries(
            DeliverySource source, DeliverySource.Schedule schedule, DeliverySource.Listener listener) {
        checkDeliveries(source, schedule, DeliverySource.Resend.NONE, listener);
    }

    /**
     * As {@link #checkDeliveries(DeliverySource, DeliverySource.Schedule, DeliverySource.Listener)}, and sends missing deliveries to
     * their channels. A node that dies meanwhile repeats or loses none of them: they are messages under their own keys.
     *
     * @throws SemelException.Invalid when a source of this name is registered already, or the policy of a channel removes records too
     *     early to tell a missing delivery from one that was handled
     */
    void checkDeliveries(
            DeliverySource source,
            DeliverySource.Schedule schedule,
            DeliverySource.Resend resend,
            DeliverySource.Listener listener);

    /**
     * Runs work in a transaction of the ledger's database and commits it together with the messages that it sends: an outbox.
     *
     * <pre>{@code
     * semel.inTransaction(tx -> {
     *     insertOrder(tx.connection(), order);
     *     tx.send(MAIL, Message.of(tenant, Key.of(order.id()), mail));
     *     return order.id();
     * });
     * }</pre>
     *
     * <p>The work has no record: it is done as often as this is called, and only its messages have keys. Use {@link #run} for work
     * that must be done once. It may be run more than once within one call, after a conflict with another transaction; its writes
     * are committed once. Inside the handler of an atomic operation it joins that one's transaction.
     *
     * @throws SemelException.NotSent when a message conflicts or is invalid; everything is rolled back
     * @throws SemelException.StoreUnavailable when the database cannot be reached; nothing was committed
     * @throws SemelException.OutcomeUnknown when the reply to the commit was lost: look at what the work writes before repeating it
     * @throws X which the work throws, and which rolls everything back
     */
    <T, X extends Exception> T inTransaction(TransactionWork<T, X> work) throws X;

    /**
     * Runs work under a policy, for code that has nothing to deduplicate: to connect, to read, to publish under an id of its own.
     *
     * <pre>{@code
     * Connection nats = semel.retry(Call.Keyless.of("nats.connect", Policy.NATS_CONNECT), () -> Nats.connect(options));
     * }</pre>
     *
     * <p>There is no key and no record: the work is done as often as this is called, and again after each attempt that failed. Attempts,
     * delays, Retry-After, time-outs, the deadline and the classification of exceptions are those of {@link #run}, and so are audit
     * events and metrics. Between attempts nothing is held. The ledger need not be reachable: events that cannot be written meanwhile are
     * missing from the audit.
     *
     * @return what the work returns
     * @throws SemelException.RetryFailed when the last attempt failed, with its failure and the number of attempts
     * @throws SemelException.NoResult with {@link Answer.Halted} while the work's name or tenant is HALTED; or in SHADOW, unless it is
     *     declared {@linkplain Call.Keyless#asHarmless harmless}
     * @throws SemelException.Invalid inside an atomic handler, whose transaction would stay open meanwhile
     * @throws SemelException.Misconfigured when there is no policy of the given name
     */
    <T> T retry(Call.Keyless work, Callable<T> attempt);

    /**
     * Runs atomic operations inside a transaction that the caller already has. The answers are provisional until the caller
     * commits and says so; closing without {@link Joined#committed} counts as a rollback.
     *
     * <pre>{@code
     * try (Semel.Joined joined = semel.join(connection)) {
     *     joined.run(CHARGE, call, handler).orThrow();
     *     connection.commit();
     *     joined.committed();
     * }
     * }</pre>
     *
     * @param connection to the ledger's own database, with auto-commit off
     * @throws SemelException.Invalid when the store has no JDBC transactions to join
     */
    Joined join(Connection connection);

    /**
     * Hands back what workers hold, writes what is buffered and releases the store; a data source of the application's stays open.
     * Waits for no caller: runs under way end by themselves. Call {@link #drain} first to let handlers end.
     */
    @Override
    void close();

    /** A transaction that Semel commits. Valid on the thread of the work until it returns. */
    interface Transaction {
        /**
         * The transaction's connection. It cannot commit, roll back or close: Semel does, once, for all that is written in it.
         *
         * @throws SemelException.Invalid when the store has no JDBC connection
         */
        Connection connection();

        /** The store's own transaction type, for stores without JDBC. */
        <T> T unwrap(Class<T> type);

        /**
         * Sends a message in this transaction: it is there exactly if the transaction is committed. Where the store can, the
         * message is stored together with the commit. If its key was used before, the same payload is a duplicate and stores
         * nothing; another payload is a conflict, which rolls everything back and makes the work fail with
         * {@link SemelException.NotSent}. A conflict shows here or when the work has returned, depending on the store; catching it
         * here does not prevent the rollback.
         *
         * @throws SemelException.NotSent when the message is invalid, or is found to conflict
         */
        <P> void send(Channel<P> channel, Message<P> message);
    }

    /**
     * Work for {@link #inTransaction}: writes to the database, and messages.
     *
     * @param <T> what it returns to the caller
     * @param <X> what it may throw
     */
    @FunctionalInterface
    interface TransactionWork<T, X extends Exception> {
        /**
         * Runs on the calling thread, inside the transaction.
         *
         * @return the result for the caller
         * @throws X to roll the transaction back with its messages
         */
        T run(Transaction tx) throws X;
    }

    /** Operations inside the caller's own transaction. Used by one thread. */
    interface Joined extends AutoCloseable {
        /**
         * Under a savepoint of the caller's transaction; without inline retries and without a durable failure record.
         *
         * @throws SemelException.TransactionMustBeRetried when a duplicate ran at the same time, at REPEATABLE READ
         *     or above
         */
        <P, R> Answer<R> run(Operation.Atomic<P, R> operation, Call<P> call, AtomicHandler<P, R> handler);

        /**
         * Sends a message in the caller's transaction: it is there exactly if the caller commits.
         *
         * @throws SemelException.NotSent when it conflicts or is invalid
         */
        <P> Sent.Accepted send(Channel<P> channel, Message<P> message);

        /**
         * As {@link Semel#inTransaction}, under a savepoint of the caller's transaction: an exception undoes only the work.
         *
         * @throws SemelException.NotSent when a message conflicts or is invalid; the work is undone
         * @throws X which the work throws
         */
        <T, X extends Exception> T inTransaction(TransactionWork<T, X> work) throws X;

        /** The caller's commit succeeded: the answers given are final. */
        void committed();

        /** Tells waiters that nothing came of it, unless {@link #committed} was called. */
        @Override
        void close();
    }

    /**
     * What may be set before opening, each at most once:
     *
     * <pre>{@code
     * Semel semel = Semel.settings(dataSource)
     *         .withPolicy(Policy.named("psp").withMaxAttempts(5).build())
     *         .withMetrics()
     *         .withLocalCache(10_000)
     *         .open();
     * }</pre>
     *
     * Settings are checked together when {@link #open} is called, which names every fault. Not thread-safe.
     */
    interface Settings {
        /** Adds a policy that operations name, or replaces one of the catalogue. */
        Settings withPolicy(Policy policy);

        /**
         * This node's own mode; the stricter of it and what an operator has set for all nodes ({@code semel mode set}) applies. By
         * default the mode that the environment variable {@code SEMEL_MODE} names, or LIVE.
         */
        Settings withMode(Mode mode);

        /**
         * Counts and times go to Micrometer's global registry. Where Micrometer is not on the class path {@link #open} says what to
         * add. For a registry of your own, and for traces, see {@link #withWatch}.
         */
        Settings withMetrics();

        /**
         * Is told what happens. Metrics and traces in registries of your own:
         *
         * <pre>{@code
         * .withWatch(MicrometerWatch.of(meters).withObservations(observations))
         * }</pre>
         */
        Settings withWatch(Observer watch);

        /** Handlers of channels run on platform threads, also where the runtime has virtual ones, which are used by default. */
        Settings withPlatformThreads();

        /**
         * Where the time is read, in place of the machine's clock and the store's: for tests that move a clock. A
         * retry or a delayed message waits until this clock reaches its time, and never while the clock stands still.
         *
         * <pre>{@code
         * AtomicReference<Instant> now = new AtomicReference<>(Instant.now());
         * Semel semel = Semel.settings("memory:").withClock(now::get).open();
         * now.set(now.get().plus(Duration.ofDays(2)));
         * }</pre>
         *
         * @param clock a {@link java.time.Clock}, or anything else that tells the time; the same for all nodes on one
         *     store
         */
        Settings withClock(InstantSource clock);

        /** Keeps up to so many small results in memory, so that their replays need no transaction. None by default. */
        Settings withLocalCache(int results);

        /** Writes an audit event for each replay and conflict before it is answered, instead of counting them. */
        Settings withAuditOfEachReplay();

        /** Writes no audit events for outcomes; operators' actions are audited all the same. */
        Settings withoutAudit();

        /**
         * How long audit events are kept, at least; 365 days by default, a day or more. They are removed with their
         * seals, a sealed segment at a time, and the rest can still be verified.
         */
        Settings withAuditRetention(Duration retention);

        /**
         * Records no history of activity: the overview shows the present alone. By default each node writes its counts to the store
         * every ten seconds, a few small rows for each operation.
         */
        Settings withoutActivityHistory();

        /**
         * How long a reconciler may take to answer; 30 seconds by default. One that takes longer is interrupted: its record stays
         * UNKNOWN and is asked about again later, and other records do not wait for it.
         */
        Settings withReconcilerTimeout(Duration timeout);

        /** How payloads and results become JSON and back; by default Jackson 3 with its defaults. See {@link Codec}. */
        Settings withCodec(Codec codec);

        /** Largest payload and largest result, in bytes; 1 MiB by default. */
        Settings withLargestValue(int bytes);

        /**
         * Opens the store and starts what runs without a caller.
         *
         * @throws SemelException.Misconfigured naming every fault of the settings, or why the store cannot serve
         * @throws SemelException.StoreUnavailable when the store cannot be reached
         */
        Semel open();
    }

    /**
     * How payloads and results become JSON and back. {@code dev.semel.key.JacksonCodec} is the default; with a mapper
     * of your own:
     *
     * <pre>{@code
     * Semel.settings(dataSource).withCodec(JacksonCodec.of(mapper)).open();
     * }</pre>
     *
     * <p>It must be JSON, in UTF-8, for three reasons. Two payloads mean the same if their canonical JSON is the
     * same, in any order of fields and form of numbers; transport fields, defaults and nulls are told apart by name;
     * and the command line shows payloads with their secrets blotted out. A payload that is not JSON is refused. For
     * any other format, declare {@code byte[]} and write the bytes yourself: they are kept as they are, and every
     * byte of a payload counts.
     *
     * <p>What was stored by one codec is read by the next. Change it only to one that reads the older form, and that
     * writes payloads with the same names and values: otherwise a retry of an older request is a {@link
     * Answer.Conflict}.
     *
     * <p>Thread-safe. Never asked about null, which is kept as nothing, nor about {@code byte[]}.
     */
    interface Codec {
        /**
         * The JSON of a value.
         *
         * @param type as the operation declares it; the value may be of a subclass
         * @throws Exception when the value cannot be written; nothing is run or stored then
         */
        byte[] encode(Object value, Type type) throws Exception;

        /**
         * The value of JSON that {@link #encode} gave, perhaps long ago.
         *
         * @param type as the operation declares it
         * @throws Exception when it cannot be read; its message is not shown, since it may hold what was stored
         */
        @Nullable
        Object decode(byte[] json, Type type) throws Exception;
    }

    /**
     * Is told what happens. A name for what the engine accepts: {@code dev.semel.watch.Watch}, which has the methods, and
     * {@code dev.semel.watch.MicrometerWatch}, which counts and traces.
     */
    interface Observer {}

    /** Found by {@link ServiceLoader}: the engine behind the front door. */
    interface Provider {
        /** @see Semel#settings(String) */
        Settings settings(String storeUrl);

        /** @see Semel#settings(DataSource) */
        Settings settings(DataSource source);
    }
}
