package dev.semel.spring;

import dev.semel.http.IdempotentExchange;
import dev.semel.http.Hooks;
import dev.semel.worker.OwnThreads;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Notes which connections the handler of a request takes, so that a failure at the level MARKER can be judged: it may be tried
 * again only if every connection was in a transaction of the ledger's manager, and each of those was rolled back, or wrote
 * nothing, or is marked.
 *
 * <p>A connection that is taken on another thread, while the request runs, belongs to nobody that is known. It might be the
 * request's, handed to somebody, and so counts for each request that runs at that moment. Threads that serve other requests and
 * Semel's own are known. What is handed to an executor that is a bean is seen at once ({@link WatchedExecutors}). Thread-safe.
 */
final class ConnectionWatch implements Hooks.Effects {
    private final AtomicLong strangers = new AtomicLong();
    private final ThreadLocal<@Nullable Boolean> serving = new ThreadLocal<>();
    private final ThreadLocal<@Nullable Transaction> innermost = new ThreadLocal<>();
    private final AtomicReference<@Nullable String> always = new AtomicReference<>();
    private volatile Set<DataSource> ledger = Set.of();
    private volatile boolean otherThreads = true;

    /** @param sources of the ledger: what its manager uses, and what that hands on to */
    void ledgerIs(Set<DataSource> sources) {
        Set<DataSource> same = Collections.newSetFromMap(new IdentityHashMap<>());
        same.addAll(sources);
        ledger = same;
    }

    /** Handlers stay on the request's thread, so connections of other threads are not theirs. */
    void withoutOtherThreads() {
        otherThreads = false;
    }

    /** There is something in the application of which it can never be told what it did. */
    void cannotTell(String why) {
        always.compareAndSet(null, why);
    }

    @Override
    public HandlerWatch watch(IdempotentExchange exchange) {
        innermost.remove();
        return new Request(strangers.get());
    }

    /** Runs what is known to be no request's handler, or one that has a watch of its own. */
    boolean enterServing() {
        boolean before = Boolean.TRUE.equals(serving.get());
        serving.set(true);
        return before;
    }

    void leaveServing(boolean before) {
        if (!before) {
            serving.remove();
        }
    }

    /**
     * A connection was taken on this thread, which is about to get it.
     *
     * @return whom to tell that it was used for more than queries; nobody where the transactions tell
     */
    @Nullable
    Runnable taken(DataSource source, String name) {
        IdempotentExchange exchange = IdempotentExchange.current().orElse(null);
        if (exchange == null) {
            if (serving.get() == null && !OwnThreads.isCurrent()) {
                strangers.incrementAndGet();
            }
            return null;
        }
        Request request = request(exchange);
        if (request == null || isOfTheTransaction(exchange, source)) {
            return null;
        }
        request.doubt("It used a connection of " + name + " outside the transactions of the ledger's manager.");
        return () -> request.wrote("It wrote with a connection of " + name + " outside the ledger's transactions.");
    }

    /** This thread did something, or is about to, that may be committed beside the request's transactions. */
    void beside(String why) {
        IdempotentExchange.current().map(ConnectionWatch::request).ifPresent(request -> request.doubt(why));
    }

    /** Work was handed to another thread, which may take a connection when the request has long been answered. */
    void handedOn(String executor) {
        if (otherThreads) {
            beside("It handed work to the executor " + executor + ", which may commit it later.");
        }
    }

    /** A manager takes its connection when it begins, or later, with the first statement; and takes one only. */
    private boolean isOfTheTransaction(IdempotentExchange exchange, DataSource source) {
        Transaction transaction = innermost.get();
        if (transaction == null || transaction.exchange != exchange) {
            return false;
        }
        boolean itsTurn = transaction.beginning
                || ledger.contains(source) && TransactionSynchronizationManager.isActualTransactionActive();
        return itsTurn && (transaction.taken.add(source) || transaction.beginning);
    }

    static @Nullable Request request(IdempotentExchange exchange) {
        return exchange.watched()
                .filter(Request.class::isInstance)
                .map(Request.class::cast)
                .orElse(null);
    }

    /** The innermost transaction of the ledger's manager that this thread is in, if it is one of a request at MARKER. */
    @Nullable
    Transaction innermost() {
        return innermost.get();
    }

    Transaction begins(IdempotentExchange exchange, Request request, Object status) {
        Transaction transaction = new Transaction(exchange, request, status, innermost.get());
        innermost.set(transaction);
        request.open.incrementAndGet();
        return transaction;
    }

    void ended(Transaction transaction) {
        transaction.request.open.decrementAndGet();
        if (transaction.outer == null) {
            innermost.remove();
        } else {
            innermost.set(transaction.outer);
        }
    }

    /** One request's handler. */
    final class Request implements HandlerWatch {
        private final long strangersBefore;
        private final AtomicInteger open = new AtomicInteger();
        private final AtomicReference<@Nullable String> doubt = new AtomicReference<>();
        private final AtomicReference<@Nullable String> wrote = new AtomicReference<>();

        Request(long strangersBefore) {
            this.strangersBefore = strangersBefore;
        }

        /** Something may have been committed that no mark tells of. The first reason is kept. */
        void doubt(String why) {
            doubt.compareAndSet(null, why);
        }

        /** Something was committed that no mark tells of. The first is kept. */
        void wrote(String how) {
            wrote.compareAndSet(null, how);
        }

        @Override
        public Optional<String> wrote() {
            return Optional.ofNullable(wrote.get());
        }

        @Override
        public Optional<String> doubt() {
            String why = doubt.get() == null ? always.get() : doubt.get();
            if (why != null) {
                return Optional.of(why);
            }
            if (open.get() > 0) {
                return Optional.of("A transaction that it began is still open.");
            }
            return otherThreads && strangers.get() != strangersBefore
                    ? Optional.of("Meanwhile another thread took a connection, perhaps for it.")
                    : Optional.empty();
        }
    }

    /** A transaction of the ledger's manager that a handler began. */
    static final class Transaction {
        final IdempotentExchange exchange;
        final Request request;
        final Object status;
        final @Nullable Transaction outer;
        private final Set<DataSource> taken = Collections.newSetFromMap(new IdentityHashMap<>());
        boolean beginning = true;

        /** Whether its commit leaves it open what became of the request. */
        boolean doubted;

        IdempotentExchange.@Nullable HandlerTransaction begun;

        Transaction(IdempotentExchange exchange, Request request, Object status, @Nullable Transaction outer) {
            this.exchange = exchange;
            this.request = request;
            this.status = status;
            this.outer = outer;
        }

        /** One that is begun inside another may commit although the other rolls back. */
        boolean isInside() {
            return outer != null && outer.exchange == exchange;
        }
    }
}
