package dev.semel.spring;

import dev.semel.http.IdempotentExchange;
import dev.semel.http.Level;
import dev.semel.spring.ConnectionWatch.WatchedTransaction;
import java.sql.Connection;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionStatus;

/**
 * At the level MARKER: adds the mark "effect committed" to the handler's transaction just before its commit, if it has written.
 *
 * <p>Only the outermost transaction of a thread gets the mark. An inner transaction (REQUIRES_NEW, a listener after the commit) may
 * commit although the outer one rolls back, so its mark would be wrong. It writes a hold instead: if the request fails afterwards,
 * or its process crashes, the request is UNKNOWN and does not run again. The same holds for a transaction that was not observed
 * from its beginning.
 *
 * <p>This listener never throws after a transaction has begun: the manager would leave the transaction bound to the thread.
 */
final class MarkingTransactions implements TransactionExecutionListener {
    private static final Logger LOG = LoggerFactory.getLogger(MarkingTransactions.class);

    private final Supplier<Connection> connection;
    private final ConnectionWatch watch;

    /** @param connection the connection of the current transaction */
    MarkingTransactions(Supplier<Connection> connection, ConnectionWatch watch) {
        this.connection = connection;
        this.watch = watch;
    }

    @Override
    public void beforeBegin(TransactionExecution transaction) {
        IdempotentExchange exchange = IdempotentExchange.current().orElse(null);
        if (exchange == null || exchange.level() != Level.MARKER) {
            return;
        }
        ConnectionWatch.WatchedRequest request = ConnectionWatch.request(exchange);
        if (request != null) {
            watch.begins(exchange, request, transaction);
        }
    }

    @Override
    public void afterBegin(TransactionExecution execution, @Nullable Throwable failure) {
        WatchedTransaction transaction = watched(execution);
        if (transaction == null) {
            return;
        }
        if (failure != null) {
            watch.ended(transaction);
        } else {
            transaction.begun = seen(transaction);
        }
        transaction.beginning = false;
    }

    /** Null when the connection cannot be obtained, for example from an exhausted pool. */
    private IdempotentExchange.@Nullable HandlerTransaction seen(WatchedTransaction transaction) {
        try {
            return transaction.exchange.begun(connection.get());
        } catch (Throwable e) {
            LOG.debug("Could not obtain the connection of a new transaction; continuing without observing it.", e);
            return null;
        }
    }

    /**
     * Called just before the commit. Flushes the persistence context first, as the commit would, unless the transaction is
     * read-only.
     */
    @Override
    public void beforeCommit(TransactionExecution execution) {
        WatchedTransaction transaction = watched(execution);
        if (transaction == null) {
            return;
        }
        if (!execution.isReadOnly() && execution instanceof TransactionStatus status) {
            status.flush();
        }
        IdempotentExchange.HandlerTransaction begun = transaction.begun;
        if (begun == null) {
            holdUnseen(transaction, execution.isReadOnly());
        } else if (transaction.isInside()) {
            transaction.doubted = begun.holdIfWritten();
        } else {
            begun.markIfWritten();
        }
    }

    /** A read-only transaction cannot write, so it has no effect and needs no mark. */
    private void holdUnseen(WatchedTransaction transaction, boolean readOnly) {
        transaction.doubted = true;
        if (!readOnly) {
            IdempotentExchange.HandlerTransaction begun = transaction.exchange.begunUnseen(connection.get());
            transaction.begun = begun;
            begun.holdIfWritten();
        }
    }

    /** After a failed commit the lease is needed again. The mark shows whether the commit took effect. */
    @Override
    public void afterCommit(TransactionExecution execution, @Nullable Throwable failure) {
        WatchedTransaction transaction = watched(execution);
        if (transaction == null) {
            return;
        }
        watch.ended(transaction);
        if (transaction.begun != null) {
            if (failure == null) {
                transaction.begun.committed();
            } else {
                transaction.begun.rolledBack();
            }
        }
        if (transaction.doubted) {
            transaction.request.doubt(
                    transaction.isInside()
                            ? "An inner transaction (REQUIRES_NEW) was committed."
                            : "A transaction was committed that was not observed from its beginning; it may have"
                                    + " written.");
        }
    }

    @Override
    public void afterRollback(TransactionExecution execution, @Nullable Throwable failure) {
        WatchedTransaction transaction = watched(execution);
        if (transaction != null) {
            watch.ended(transaction);
            if (transaction.begun != null) {
                transaction.begun.rolledBack();
            }
        }
    }

    private @Nullable WatchedTransaction watched(TransactionExecution execution) {
        WatchedTransaction transaction = watch.innermost();
        return transaction != null && transaction.status == execution ? transaction : null;
    }
}
