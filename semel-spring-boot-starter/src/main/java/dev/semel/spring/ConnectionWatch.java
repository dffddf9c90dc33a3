package dev.semel.spring;

import dev.semel.http.Hooks;
import dev.semel.http.IdempotentExchange;
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
 * Observes the connections that the handler of a request takes, to classify a failure at the level MARKER. The request may be
 * retried only if every connection was in a transaction of the ledger's manager, and each of these transactions was rolled back,
 * wrote nothing, or is marked.
 *
 * <p>A connection that an unknown thread takes while the request runs may belong to the request, so it counts against every request
 * that runs at that moment. Threads that serve other requests, and Semel's own threads, are known. Work for an executor bean is
 * observed when it is submitted ({@link WatchedExecutors}). Thread-safe.
 */
final class ConnectionWatch implements Hooks.Effects {
    private final AtomicLong strangers = new AtomicLong();
    private final ThreadLocal<@Nullable Boolean> serving = new ThreadLocal<>();
    private final ThreadLocal<@Nullable WatchedTransaction> innermost = new ThreadLocal<>();
    private final AtomicReference<@Nullable String> always = new AtomicReference<>();
    private volatile Set<DataSource> ledger = Set.of();
    private volatile boolean otherThreads = true;

    /** @param sources the data source of the ledger's manager, and the data sources behind it */
    void ledgerIs(Set<DataSource> sources) {
        Set<DataSource> same = Collections.newSetFromMap(new IdentityHashMap<>());
        same.addAll(sources);
        ledger = same;
    }

    /** Handlers stay on the request's thread, so connections of other threads are ignored. */
    void withoutOtherThreads() {
        otherThreads = false;
    }

    /** Something in the application cannot be observed, so every unmarked failure may have taken effect. */
    void cannotTell(String why) {
        always.compareAndSet(null, why);
    }

    @Override
    public HandlerWatch watch(IdempotentExchange exchange) {
        innermost.remove();
        return new WatchedRequest(strangers.get());
    }

    /** Runs work that does not belong to a watched request, or has its own watch. */
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
     * This thread takes a connection.
     *
     * @return the callback for a write on the connection; null where its transaction is observed
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
        WatchedRequest request = request(exchange);
        if (request == null || isOfTheTransaction(exchange, source)) {
            return null;
        }
        request.doubt("The handler used a connection of " + name + " outside the ledger's transactions.");
        return () -> request.wrote(
                "The handler wrote on a connection of " + name + " outside the ledger's" + " transactions.");
    }

    /** This thread may commit something outside the request's transactions. */
    void beside(String why) {
        IdempotentExchange.current().map(ConnectionWatch::request).ifPresent(request -> request.doubt(why));
    }

    /** Work was submitted to another thread, which may take a connection after the request has ended. */
    void handedOn(String executor) {
        if (otherThreads) {
            beside("The handler submitted work to the executor " + executor + ", which may commit later.");
        }
    }

    /** A manager takes one connection: when the transaction begins, or with its first statement. */
    private boolean isOfTheTransaction(IdempotentExchange exchange, DataSource source) {
        WatchedTransaction transaction = innermost.get();
        if (transaction == null || transaction.exchange != exchange) {
            return false;
        }
        boolean itsTurn = transaction.beginning
                || ledger.contains(source) && TransactionSynchronizationManager.isActualTransactionActive();
        return itsTurn && (transaction.taken.add(source) || transaction.beginning);
    }

    static @Nullable WatchedRequest request(IdempotentExchange exchange) {
        return exchange.watched()
                .filter(WatchedRequest.class::isInstance)
                .map(WatchedRequest.class::cast)
                .orElse(null);
    }

    /** The innermost transaction of the ledger's manager on this thread, if it belongs to a request at MARKER. */
    @Nullable
    WatchedTransaction innermost() {
        return innermost.get();
    }

    WatchedTransaction begins(IdempotentExchange exchange, WatchedRequest request, Object status) {
        WatchedTransaction transaction = new WatchedTransaction(exchange, request, status, innermost.get());
        innermost.set(transaction);
        request.open.incrementAndGet();
        return transaction;
    }

    void ended(WatchedTransaction transaction) {
        transaction.request.open.decrementAndGet();
        if (transaction.outer == null) {
            innermost.remove();
        } else {
            innermost.set(transaction.outer);
        }
    }

    /** The watch on one request. */
    final class WatchedRequest implements HandlerWatch {
        private final long strangersBefore;
        private final AtomicInteger open = new AtomicInteger();
        private final AtomicReference<@Nullable String> doubt = new AtomicReference<>();
        private final AtomicReference<@Nullable String> wrote = new AtomicReference<>();

        WatchedRequest(long strangersBefore) {
            this.strangersBefore = strangersBefore;
        }

        /** An unmarked effect may have been committed. Keeps the first reason. */
        void doubt(String why) {
            doubt.compareAndSet(null, why);
        }

        /** An unmarked effect was committed. Keeps the first. */
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
                return Optional.of("A transaction of the handler is still open.");
            }
            return otherThreads && strangers.get() != strangersBefore
                    ? Optional.of("Another thread took a connection while the handler ran, possibly for it.")
                    : Optional.empty();
        }
    }

    /** A transaction that a handler began with the ledger's manager. */
    static final class WatchedTransaction {
        final IdempotentExchange exchange;
        final WatchedRequest request;
        final Object status;
        final @Nullable WatchedTransaction outer;
        private final Set<DataSource> taken = Collections.newSetFromMap(new IdentityHashMap<>());
        boolean beginning = true;

        /** Whether its commit may be an unmarked effect. */
        boolean doubted;

        IdempotentExchange.@Nullable HandlerTransaction begun;

        WatchedTransaction(
                IdempotentExchange exchange,
                WatchedRequest request,
                Object status,
                @Nullable WatchedTransaction outer) {
            this.exchange = exchange;
            this.request = request;
            this.status = status;
            this.outer = outer;
        }

        /** An inner transaction may commit although the outer one rolls back. */
        boolean isInside() {
            return outer != null && outer.exchange == exchange;
        }
    }
}
