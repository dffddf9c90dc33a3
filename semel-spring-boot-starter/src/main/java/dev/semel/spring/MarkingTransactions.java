package dev.semel.spring;

import dev.semel.http.IdempotentExchange;
import dev.semel.http.Level;
import dev.semel.spring.ConnectionWatch.Transaction;
import java.sql.Connection;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionStatus;

/**
 * At the level MARKER: the transaction that a request's handler begins also writes, last before it commits, that its effect is
 * committed, if it has written anything.
 *
 * <p>Only the outermost one of a thread does. One that is begun inside another (REQUIRES_NEW, a listener after the commit) may
 * commit although the other rolls back, and would say of an effect that it is there when it is not. It writes instead that
 * nobody may take the request over: it is UNKNOWN if it fails from then on, or its process dies. The same holds for one whose
 * connection could not be looked at when it began.
 *
 * <p>Nothing is thrown once a transaction has begun: the manager would leave it bound to the thread.
 */
final class MarkingTransactions implements TransactionExecutionListener {
    private static final Logger LOG = LoggerFactory.getLogger(MarkingTransactions.class);

    private final Supplier<Connection> connection;
    private final ConnectionWatch watch;

    /** @param connection of the transaction that the calling thread is in */
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
        ConnectionWatch.Request request = ConnectionWatch.request(exchange);
        if (request != null) {
            watch.begins(exchange, request, transaction);
        }
    }

    @Override
    public void afterBegin(TransactionExecution execution, @Nullable Throwable failure) {
        Transaction transaction = watched(execution);
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

    /** Nothing when its connection cannot be had: one that is taken late, from a pool that has none left. */
    private IdempotentExchange.@Nullable HandlerTransaction seen(Transaction transaction) {
        try {
            return transaction.exchange.begun(connection.get());
        } catch (Throwable e) {
            LOG.debug("The connection of a transaction failed when it began; the transaction goes on.", e);
            return null;
        }
    }

    /**
     * Called when nothing but the commit is left. What a persistence context holds back until then is written first, as the
     * commit would, unless the transaction is read-only: then it never writes it.
     */
    @Override
    public void beforeCommit(TransactionExecution execution) {
        Transaction transaction = watched(execution);
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

    /** The server keeps a transaction that is read-only from being marked, and from having written. */
    private void holdUnseen(Transaction transaction, boolean readOnly) {
        transaction.doubted = true;
        if (!readOnly) {
            IdempotentExchange.HandlerTransaction begun = transaction.exchange.begunUnseen(connection.get());
            transaction.begun = begun;
            begun.holdIfWritten();
        }
    }

    /** After a commit that failed the lease is needed again. Whether it was committed all the same, the mark tells. */
    @Override
    public void afterCommit(TransactionExecution execution, @Nullable Throwable failure) {
        Transaction transaction = watched(execution);
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
                            ? "A transaction inside another one (REQUIRES_NEW) was committed."
                            : "A transaction was committed of which it is not known whether it wrote.");
        }
    }

    @Override
    public void afterRollback(TransactionExecution execution, @Nullable Throwable failure) {
        Transaction transaction = watched(execution);
        if (transaction != null) {
            watch.ended(transaction);
            if (transaction.begun != null) {
                transaction.begun.rolledBack();
            }
        }
    }

    private @Nullable Transaction watched(TransactionExecution execution) {
        Transaction transaction = watch.innermost();
        return transaction != null && transaction.status == execution ? transaction : null;
    }
}
