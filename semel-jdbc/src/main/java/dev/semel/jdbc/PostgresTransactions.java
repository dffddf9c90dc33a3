package dev.semel.jdbc;

import dev.semel.SemelException;
import dev.semel.store.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import org.postgresql.PGConnection;

final class PostgresTransactions implements Transactions {
    private final PostgresSessions sessions;
    private final PostgresCommits commits;

    PostgresTransactions(PostgresSessions sessions) {
        this.sessions = sessions;
        this.commits = new PostgresCommits(sessions);
    }

    @Override
    public <T> T run(Work<T> work) throws Exception {
        for (int attempt = 1; ; attempt++) {
            try {
                return once(work);
            } catch (SemelException.TransactionMustBeRetried e) {
                if (attempt == PostgresSessions.TRIES) {
                    throw new SemelException.StoreUnavailable(
                            sessions.name() + ": the transaction lost " + attempt
                                    + " times against others; nothing was committed. Repeat the call.",
                            e);
                }
            }
        }
    }

    private <T> T once(Work<T> work) throws Exception {
        Connection connection = sessions.take();
        Ended<T> ended;
        PostgresCommits.Undecided undecided = null;
        try {
            begin(connection);
            PostgresTx tx = new PostgresTx(sessions, connection, true);
            ended = perform(work, tx, connection);
            if (ended.keep()) {
                undecided = commits.commit(connection, tx);
            } else {
                PostgresSessions.rollback(connection, null);
            }
        } finally {
            PostgresSessions.giveBack(connection);
        }
        // Only now that the first connection has been given back may another one be asked for.
        if (undecided != null) {
            commits.decide(undecided);
        }
        return ended.value();
    }

    private void begin(Connection connection) {
        try {
            sessions.begin(connection);
        } catch (SQLException e) {
            throw new SemelException.StoreUnavailable(
                    sessions.name() + ": no transaction could be begun (" + PostgresErrors.brief(e)
                            + "); nothing was run. " + PostgresErrors.advice(e),
                    e);
        }
    }

    private static <T> Ended<T> perform(Work<T> work, PostgresTx tx, Connection connection) throws Exception {
        boolean ended = false;
        try {
            Ended<T> result = work.run(tx);
            ended = true;
            return result;
        } finally {
            tx.over();
            if (!ended) {
                PostgresSessions.rollback(connection, null);
            }
        }
    }

    @Override
    public Tx join(Connection connection) {
        try {
            if (!connection.isWrapperFor(PGConnection.class)) {
                throw new SemelException.Invalid("The connection to join is not one to PostgreSQL, where "
                        + sessions.name() + " keeps its records. Give a connection to the same database.");
            }
            if (connection.getAutoCommit()) {
                throw new SemelException.Invalid("The connection to join is in autocommit, so there is no transaction"
                        + " to join. Begin one with setAutoCommit(false), or run the operation without joining.");
            }
            return new PostgresTx(sessions, connection, false);
        } catch (SQLException e) {
            throw sessions.failure("joining a transaction", e);
        }
    }
}
