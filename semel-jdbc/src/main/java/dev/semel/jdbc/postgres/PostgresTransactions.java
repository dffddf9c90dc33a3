package dev.semel.jdbc.postgres;

import dev.semel.SemelException;
import dev.semel.jdbc.Demarcation;
import dev.semel.store.CommitRefused;
import dev.semel.store.Transactions;
import dev.semel.time.Uninterrupted;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

final class PostgresTransactions implements Transactions {
    private final PostgresSessions sessions;
    private final @Nullable Demarcation demarcation;
    private final PostgresCommits commits;

    /** @param demarcation who begins and ends transactions; absent when they are Semel's own */
    PostgresTransactions(PostgresSessions sessions, @Nullable Demarcation demarcation) {
        this.sessions = sessions;
        this.demarcation = demarcation;
        this.commits = new PostgresCommits(sessions);
    }

    @Override
    public <T> T run(Work<T> work) throws Exception {
        boolean holdsMessages = true;
        for (int attempt = 1; ; attempt++) {
            try {
                return demarcation == null ? once(work, holdsMessages) : demarcated(demarcation, work);
            } catch (PostgresTx.SentBefore e) {
                holdsMessages = false;
            } catch (SemelException.TransactionMustBeRetried e) {
                if (attempt == PostgresSessions.TRIES) {
                    throw new SemelException.StoreUnavailable(
                            sessions.name() + ": the transaction conflicted " + attempt
                                    + " times with others; nothing was committed. Repeat the call.",
                            e);
                }
                sessions.raiseEpochIfNeeded();
            }
        }
    }

    private <T> T once(Work<T> work, boolean holdsMessages) throws Exception {
        Connection connection = sessions.take();
        Ended<T> ended;
        PostgresCommits.Undecided undecided = null;
        try {
            begin(connection);
            PostgresTx tx = new PostgresTx(sessions, connection, PostgresTx.Connections.TAKEN, holdsMessages);
            try {
                ended = perform(work, tx, () -> {
                    if (!tx.abandoned()) {
                        PostgresSessions.rollback(connection, null);
                    }
                });
                if (ended.keep()) {
                    undecided = commit(connection, tx);
                }
            } finally {
                if (tx.abandoned() || tx.sessionChanged()) {
                    PostgresSessions.drop(connection);
                }
            }
        } catch (Error e) {
            PostgresSessions.drop(connection);
            throw e;
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
            connection.setAutoCommit(false);
        } catch (SQLException e) {
            throw new SemelException.StoreUnavailable(
                    sessions.name() + ": could not begin a transaction (" + PostgresErrors.brief(e)
                            + "); nothing was run. " + PostgresErrors.advice(e),
                    e);
        }
    }

    private PostgresCommits.@Nullable Undecided commit(Connection connection, PostgresTx tx) {
        try {
            return commits.commit(tx, tx::commit);
        } catch (SemelException | CommitRefused e) {
            PostgresSessions.rollback(connection, e);
            throw e;
        }
    }

    private <T> T demarcated(Demarcation by, Work<T> work) throws Exception {
        Demarcation.Begun begun = begun(by);
        Connection connection = begun.connection();
        PostgresTx tx = new PostgresTx(sessions, connection, PostgresTx.Connections.LENT, false);
        Ended<T> ended = perform(
                opened -> {
                    prepared(connection);
                    Ended<T> result = work.run(opened);
                    if (result.keep()) {
                        tx.sendHeld();
                    }
                    return result;
                },
                tx,
                begun::rollback);
        if (!ended.keep()) {
            return ended.value();
        }
        PostgresCommits.Undecided undecided = refusedOrNot(tx, () -> commits.commit(tx, begun::commit));
        if (undecided != null) {
            commits.decide(undecided);
        }
        return ended.value();
    }

    /** A commit is also refused after a statement that failed and was passed over in silence; before it, anything may be. */
    private PostgresCommits.@Nullable Undecided refusedOrNot(
            PostgresTx tx, Supplier<PostgresCommits.@Nullable Undecided> commit) {
        try {
            return commit.get();
        } catch (CommitRefused e) {
            demandRolledBack(tx);
            throw e;
        }
    }

    /** @throws SemelException.TransactionEnded when it may be committed, although it was to be rolled back */
    private void demandRolledBack(PostgresTx tx) {
        String number = tx.number();
        PostgresCommits.Status ended = number == null ? PostgresCommits.Status.ABORTED : commits.endOf(number);
        if (ended == PostgresCommits.Status.COMMITTED) {
            throw tx.ended(null);
        }
        if (ended != PostgresCommits.Status.ABORTED) {
            throw tx.lost();
        }
    }

    private Demarcation.Begun begun(Demarcation by) {
        try {
            return Uninterrupted.repeating(by::begin);
        } catch (SemelException e) {
            throw e;
        } catch (RuntimeException e) {
            throw new SemelException.StoreUnavailable(
                    sessions.name() + ": could not begin a transaction (" + e.getMessage() + "); nothing was run."
                            + " Repeat the call later; check that the server is up and the pool large enough.",
                    e);
        }
    }

    private void prepared(Connection connection) {
        try {
            sessions.ready(connection);
        } catch (SQLException e) {
            throw sessions.failure("beginning a transaction", e);
        }
    }

    /** Rolls back unless the work is to be kept. */
    private <T> Ended<T> perform(Work<T> work, PostgresTx tx, Runnable rollback) throws Exception {
        boolean keep = false;
        try {
            tx.begin();
            Ended<T> result = work.run(tx);
            tx.demandSame();
            if (result.keep()) {
                tx.over();
                keep = true;
            }
            return result;
        } finally {
            if (!keep) {
                undo(tx, rollback);
            }
        }
    }

    /** @throws SemelException.TransactionEnded when a handler has ended the transaction, so that this undoes less than it */
    private void undo(PostgresTx tx, Runnable rollback) {
        PostgresSameTransaction.TransactionCheck standing = PostgresSameTransaction.TransactionCheck.SAME;
        try {
            tx.over();
            standing = tx.standing();
        } finally {
            rollback.run();
        }
        if (standing == PostgresSameTransaction.TransactionCheck.ANOTHER) {
            throw tx.ended(null);
        }
        if (standing == PostgresSameTransaction.TransactionCheck.UNTOLD && tx.isLent()) {
            demandRolledBack(tx);
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
            sessions.ready(connection);
            return new PostgresTx(sessions, connection, PostgresTx.Connections.CALLERS, false);
        } catch (SQLException e) {
            throw sessions.failure("joining a transaction", e);
        }
    }
}
