package dev.semel.spring;

import dev.semel.Answer;
import dev.semel.AtomicHandler;
import dev.semel.Call;
import dev.semel.CallStatus;
import dev.semel.CallStatus.CallStory;
import dev.semel.Cancellation;
import dev.semel.Cancellation.Cancelled;
import dev.semel.Channel;
import dev.semel.Death;
import dev.semel.DeliverySource;
import dev.semel.Key;
import dev.semel.LeasedHandler;
import dev.semel.Message;
import dev.semel.Operation;
import dev.semel.Reconciler;
import dev.semel.Semel;
import dev.semel.SemelException;
import dev.semel.Sent;
import dev.semel.Tenant;
import dev.semel.engine.Engine;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The engine as a bean of the application. Atomic operations and sends join a transaction of the application. A leased operation is
 * rejected inside a transaction: its grant must be committed before it runs, which would need a second connection while the first
 * is held. Channel handlers start with the context.
 */
final class SpringSemel implements Semel, Engine.Backed {
    private final Engine engine;
    private final @Nullable SpringTransactions transactions;
    private final Map<String, AtomicHandler<?, ?>> handlers = new ConcurrentHashMap<>();
    private final List<Runnable> beforeStart = new ArrayList<>();
    private volatile Consumer<String> commits = why -> {};
    private boolean started;

    /** @param transactions null when the ledger is not in a data source of the application */
    SpringSemel(Engine engine, @Nullable SpringTransactions transactions) {
        this.engine = engine;
        this.transactions = transactions;
    }

    /**
     * @param listener receives a sentence when the calling thread commits something outside the transactions of the application
     */
    void onCommitsOfItsOwn(Consumer<String> listener) {
        commits = listener;
    }

    @Override
    public Engine engine() {
        return engine;
    }

    @Override
    public <P, R> Answer<R> run(Operation.Atomic<P, R> operation, Call<P> call, AtomicHandler<P, R> handler) {
        SpringTransactions spring = transactions;
        if (spring == null) {
            return engine.run(operation, call, handler);
        }
        AtomicHandler<P, R> inside = inside(spring, handler);
        return isJoined()
                ? joined(spring, joined -> joined.run(operation, call, inside))
                : engine.run(operation, call, inside);
    }

    @Override
    public <P, R> Answer<R> run(Operation.Leased<P, R> operation, Call<P> call, LeasedHandler<P, R> handler) {
        return leased(operation, () -> List.of(engine.run(operation, call, handler)))
                .get(0);
    }

    @Override
    public <P, R> Answer<R> run(Operation<P, R> operation, Call<P> call) {
        if (operation instanceof Operation.Atomic<P, R> atomic && handlers.containsKey(operation.name())) {
            return run(atomic, call, known(atomic));
        }
        return operation instanceof Operation.Leased<P, R>
                ? leased(operation, () -> List.of(engine.run(operation, call))).get(0)
                : engine.run(operation, call);
    }

    @SuppressWarnings("unchecked") // the operation was registered with a handler of its own types
    private <P, R> AtomicHandler<P, R> known(Operation.Atomic<P, R> operation) {
        return (AtomicHandler<P, R>) handlers.get(operation.name());
    }

    @Override
    public <P, R> List<Answer<R>> runAll(
            Operation.Atomic<P, R> operation, List<Call<P>> calls, AtomicHandler<P, R> handler) {
        SpringTransactions spring = transactions;
        if (spring == null) {
            return engine.runAll(operation, calls, handler);
        }
        if (spring.place() == SpringTransactions.CurrentTransaction.OUTSIDE) {
            return engine.runAll(operation, calls, inside(spring, handler));
        }
        List<Answer<R>> answers = new ArrayList<>(calls.size());
        for (Call<P> call : calls) {
            answers.add(run(operation, call, handler));
        }
        return answers;
    }

    @Override
    public <P, R> List<Answer<R>> runAll(
            Operation.Leased<P, R> operation, List<Call<P>> calls, LeasedHandler<P, R> handler) {
        return leased(operation, () -> engine.runAll(operation, calls, handler));
    }

    @Override
    public <P, R> void handle(Operation.Atomic<P, R> operation, AtomicHandler<P, R> handler) {
        handlers.put(operation.name(), handler);
        engine.handle(operation, transactions == null ? handler : inside(transactions, handler));
    }

    @Override
    public <P, R> void handle(Operation.Leased<P, R> operation, LeasedHandler<P, R> handler) {
        engine.handle(operation, handler);
    }

    @Override
    public <P> void handle(Channel.Atomic<P> channel, Channel.Capacity capacity, Channel.AtomicDelivery<P> handler) {
        SpringTransactions spring = transactions;
        Channel.AtomicDelivery<P> inside = spring == null
                ? handler
                : (payload, tx) -> spring.<@Nullable Void, Exception>handled(() -> {
                    handler.handle(payload, tx);
                    return null;
                });
        onceStarted(() -> engine.handle(channel, capacity, inside));
    }

    @Override
    public <P> void handle(Channel.Leased<P> channel, Channel.Capacity capacity, Channel.LeasedDelivery<P> handler) {
        onceStarted(() -> engine.handle(channel, capacity, handler));
    }

    private synchronized void onceStarted(Runnable registration) {
        if (started) {
            registration.run();
        } else {
            beforeStart.add(registration);
        }
    }

    /** Starts the channels, for the first time or again after a drain. */
    synchronized void start() {
        started = true;
        engine.resume();
        beforeStart.forEach(Runnable::run);
        beforeStart.clear();
    }

    @Override
    public <P> Sent send(Channel<P> channel, Message<P> message) {
        SpringTransactions spring = transactions;
        return spring != null && isJoined()
                ? joined(spring, joined -> joined.send(channel, message))
                : alone(channel, () -> engine.send(channel, message));
    }

    private <T> T alone(Channel<?> channel, Supplier<T> sending) {
        commits.accept("The handler sent a message to the channel " + channel.name() + " outside a transaction.");
        return sending.get();
    }

    @Override
    public <P> List<Sent> sendAll(Channel<P> channel, List<Message<P>> messages) {
        SpringTransactions spring = transactions;
        if (spring == null || !isJoined()) {
            return alone(channel, () -> engine.sendAll(channel, messages));
        }
        return joined(spring, joined -> {
            List<Sent> sent = new ArrayList<>(messages.size());
            for (Message<P> message : messages) {
                sent.add(joined.send(channel, message));
            }
            return sent;
        });
    }

    @Override
    public Optional<CallStatus> status(Operation<?, ?> operation, Tenant tenant, Key key) {
        return engine.status(operation, tenant, key);
    }

    @Override
    public Optional<CallStatus> status(Tenant tenant, String recordId) {
        return engine.status(tenant, recordId);
    }

    @Override
    public CallStory story(Tenant tenant, String correlationId) {
        return engine.story(tenant, correlationId);
    }

    @Override
    public Cancelled cancel(Operation<?, ?> operation, Tenant tenant, Key key, Cancellation by) {
        return cancelled(() -> engine.cancel(operation, tenant, key, by));
    }

    @Override
    public Cancelled cancel(Tenant tenant, String recordId, Cancellation by) {
        return cancelled(() -> engine.cancel(tenant, recordId, by));
    }

    private Cancelled cancelled(Supplier<Cancelled> cancelling) {
        if (transactions != null && transactions.place() != SpringTransactions.CurrentTransaction.OUTSIDE) {
            throw new SemelException.Invalid("Cancellation rejected: it commits by itself and was called inside a"
                    + " transaction. Call it before or after the transaction.");
        }
        commits.accept("The handler cancelled a call or message, which commits by itself.");
        return cancelling.get();
    }

    @Override
    public boolean drain(Duration bound) {
        return engine.drain(bound);
    }

    @Override
    public <P, R> void reconcile(Operation.Leased<P, R> operation, Reconciler<P, R> reconciler) {
        engine.reconcile(operation, reconciler);
    }

    @Override
    public <P> void onDead(Operation<P, ?> operation, Death.Handler<P> handler) {
        SpringTransactions spring = transactions;
        Death.Handler<P> inside = spring == null
                ? handler
                : (death, tx) -> spring.<@Nullable Void, Exception>handled(() -> {
                    handler.died(death, tx);
                    return null;
                });
        engine.onDead(operation, inside);
    }

    @Override
    public void checkDeliveries(
            DeliverySource source,
            DeliverySource.Schedule schedule,
            DeliverySource.Resend resend,
            DeliverySource.Listener listener) {
        onceStarted(() -> engine.checkDeliveries(source, schedule, resend, listener));
    }

    @Override
    public <T, X extends Exception> T inTransaction(TransactionWork<T, X> work) throws X {
        SpringTransactions spring = transactions;
        if (spring == null) {
            return engine.inTransaction(work);
        }
        TransactionWork<T, X> inside = tx -> spring.handled(() -> work.run(tx));
        return isJoined()
                ? spring.participate((connection, holder) ->
                        JoinedTransaction.in(engine, connection, holder).inTransaction(inside))
                : engine.inTransaction(inside);
    }

    @Override
    public <T> T retry(Call.Keyless work, Callable<T> attempt) {
        return engine.retry(work, attempt);
    }

    @Override
    public Joined join(Connection connection) {
        return engine.join(connection);
    }

    @Override
    public void close() {
        engine.close();
    }

    /** Flushes at the end of a handler, so that a failure is visible to the handler. */
    void settle() {
        if (transactions != null) {
            transactions.settle();
        }
    }

    private boolean isJoined() {
        return transactions != null && transactions.place() == SpringTransactions.CurrentTransaction.IN_THE_CALLERS;
    }

    private <T> T joined(SpringTransactions spring, Function<Joined, T> body) {
        return spring.participate((connection, holder) -> body.apply(JoinedTransaction.in(engine, connection, holder)));
    }

    private static <P, R> AtomicHandler<P, R> inside(SpringTransactions spring, AtomicHandler<P, R> handler) {
        return (payload, tx) -> spring.handled(() -> handler.run(payload, tx));
    }

    private <R> List<Answer<R>> leased(Operation<?, R> operation, Supplier<List<Answer<R>>> running) {
        if (transactions != null && transactions.place() != SpringTransactions.CurrentTransaction.OUTSIDE) {
            throw new SemelException.Invalid("Operation " + operation.name()
                    + " rejected: it is leased and was called inside a transaction. Its grant must be committed before"
                    + " it runs, which would need a second connection while the first is held. Call it outside"
                    + " the transaction, send it to a channel, or declare it atomic if it only writes to this"
                    + " database.");
        }
        boolean ran = true;
        try {
            List<Answer<R>> answers = running.get();
            ran = !answers.stream().allMatch(SpringSemel::isWithoutRun);
            return answers;
        } finally {
            if (ran) {
                commits.accept(
                        "The handler ran the leased operation " + operation.name() + ", which commits by" + " itself.");
            }
        }
    }

    /** An answer from another call: nothing was committed for this one. */
    private static boolean isWithoutRun(Answer<?> answer) {
        return answer instanceof Answer.Replayed
                || answer instanceof Answer.Conflict
                || answer instanceof Answer.InProgress
                || answer instanceof Answer.Rejected
                || answer instanceof Answer.Halted;
    }
}
