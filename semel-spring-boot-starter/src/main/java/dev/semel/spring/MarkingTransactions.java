package dev.semel.spring;

import dev.semel.http.Exchange;
import dev.semel.http.Level;
import dev.semel.spring.ConnectionWatch.Transaction;
import java.sql.Connection;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionStatus;

/**
 * At the level MARKER: the transaction that a request's handler begins also writes, last before it commits, that its effect is
 * committed, if it has written anything.
 *
 * <p>Only the outermost one of a thread does. One that is begun inside another (REQUIRES_NEW) may commit although the other
 * rolls back, and would say of an effect that it is there when it is not; when it commits, the failure of its request is
 * UNKNOWN.
 */
final class MarkingTransactions implements TransactionExecutionListener {
    private final Supplier<Connection> connection;
    private final ConnectionWatch watch;

    /** @param connection of the transaction that the calling thread is in */
    MarkingTransactions(Supplier<Connection> connection, ConnectionWatch watch) {
        this.connection = connection;
        this.watch = watch;
    }

    @Override
    public void beforeBegin(TransactionExecution transaction) {
        Exchange exchange = Exchange.current().orElse(null);
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
        } else if (!transaction.isInside()) {
            transaction.begun = transaction.exchange.begun(connection.get());
        }
        transaction.beginning = false;
    }

    /**
     * Called when nothing but the commit is left. What a persistence context holds back until then is written first, as the
     * commit would, unless the transaction is read-only: then it never writes it.
     */
    @Override
    public void beforeCommit(TransactionExecution execution) {
        Transaction transaction = watched(execution);
        if (transaction == null || transaction.begun == null) {
            return;
        }
        if (!execution.isReadOnly() && execution instanceof TransactionStatus status) {
            status.flush();
        }
        transaction.marked = transaction.begun.markIfWritten();
    }

    @Override
    public void afterCommit(TransactionExecution execution, @Nullable Throwable failure) {
        Transaction transaction = watched(execution);
        if (transaction != null) {
            watch.ended(transaction);
            if (transaction.begun == null) {
                transaction.request.doubt("A transaction inside another one (REQUIRES_NEW) was committed.");
            }
        }
    }

    @Override
    public void afterRollback(TransactionExecution execution, @Nullable Throwable failure) {
        Transaction transaction = watched(execution);
        if (transaction != null) {
            watch.ended(transaction);
            if (transaction.marked && transaction.begun != null) {
                transaction.begun.rolledBack();
            }
        }
    }

    private @Nullable Transaction watched(TransactionExecution execution) {
        Transaction transaction = watch.innermost();
        return transaction != null && transaction.status == execution ? transaction : null;
    }
}
