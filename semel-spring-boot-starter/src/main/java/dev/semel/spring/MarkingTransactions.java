package dev.semel.spring;

import dev.semel.http.Exchange;
import dev.semel.http.Level;
import java.sql.Connection;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * At the level MARKER: the transaction that a request's handler begins also writes, last before it commits, that its effect is
 * committed.
 *
 * <p>Only the outermost one of a thread does. One that is begun inside another (REQUIRES_NEW) may commit although the other
 * rolls back, and would say of an effect that it is there when it is not. Read-only ones have no effect to tell of.
 */
final class MarkingTransactions implements TransactionExecutionListener {
    private final Supplier<Connection> connection;
    private final ThreadLocal<@Nullable Marking> outermost = new ThreadLocal<>();

    /** @param connection of the transaction that the calling thread is in */
    MarkingTransactions(Supplier<Connection> connection) {
        this.connection = connection;
    }

    @Override
    public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
        Exchange exchange = Exchange.current().orElse(null);
        if (failure != null
                || exchange == null
                || exchange.level() != Level.MARKER
                || transaction.isReadOnly()
                || !TransactionSynchronizationManager.isSynchronizationActive()) {
            return;
        }
        Marking around = outermost.get();
        if (around == null || around.exchange != exchange) {
            Marking marking = new Marking(exchange);
            outermost.set(marking);
            TransactionSynchronizationManager.registerSynchronization(marking);
        }
    }

    private final class Marking implements TransactionSynchronization, Ordered {
        private final Exchange exchange;

        Marking(Exchange exchange) {
            this.exchange = exchange;
        }

        @Override
        public int getOrder() {
            return LOWEST_PRECEDENCE;
        }

        @Override
        public void beforeCommit(boolean readOnly) {
            exchange.mark(connection.get());
        }

        @Override
        public void afterCompletion(int status) {
            outermost.remove();
        }
    }
}
