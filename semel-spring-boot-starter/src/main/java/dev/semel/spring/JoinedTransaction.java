package dev.semel.spring;

import dev.semel.Semel;
import java.sql.Connection;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** The engine's part of a transaction of the caller, until Spring reports how the transaction ended. */
final class JoinedTransaction implements TransactionSynchronization {
    private final ConnectionHolder holder;
    private final Semel.Joined joined;

    private JoinedTransaction(ConnectionHolder holder, Semel.Joined joined) {
        this.holder = holder;
        this.joined = joined;
    }

    /** The part for the current transaction of the thread. */
    static Semel.Joined in(Semel engine, Connection connection, ConnectionHolder holder) {
        for (TransactionSynchronization each : TransactionSynchronizationManager.getSynchronizations()) {
            if (each instanceof JoinedTransaction known && known.holder == holder) {
                return known.joined;
            }
        }
        JoinedTransaction fresh = new JoinedTransaction(holder, engine.join(connection));
        TransactionSynchronizationManager.registerSynchronization(fresh);
        return fresh.joined;
    }

    @Override
    public void afterCompletion(int status) {
        if (status == STATUS_COMMITTED) {
            joined.committed();
        }
        joined.close();
    }
}
