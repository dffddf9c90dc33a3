package dev.semel.spring;

import dev.semel.SemelException;
import dev.semel.jdbc.Demarcation;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The transactions of the ledger's data source, begun and ended by Spring's transaction manager.
 *
 * <h2>Semel's own transactions</h2>
 *
 * An atomic operation outside any transaction gets a transaction of Spring. The application's transaction manager begins it, so
 * that {@code JdbcTemplate}, JPA and {@code @Transactional} methods inside the handler join it. The manager also ends it, so that
 * synchronizations and after-commit listeners run when the effect and its record are committed. After an exception at the commit
 * the store finds out whether the transaction was committed.
 *
 * <h2>The caller's transactions</h2>
 *
 * Inside a transaction of the same manager an operation joins it. The connection that is bound to the thread shows whether the
 * transaction is ours or the caller's: a suspended transaction has none.
 *
 * <h2>A part that failed</h2>
 *
 * The engine runs joined and nested operations under a savepoint and rolls back to it after a failure. A savepoint does not undo
 * pending changes of a persistence context, so under managers other than JDBC's a failed part marks the whole transaction
 * rollback-only.
 */
final class SpringTransactions implements Demarcation {
    private static final Logger LOG = LoggerFactory.getLogger(SpringTransactions.class);

    /** SQLState "transaction resolution unknown". */
    private static final String RESOLUTION_UNKNOWN = "08007";

    private static final int DEEPEST = 20;

    private final PlatformTransactionManager manager;
    private final DataSource source;
    private final boolean jdbcOnly;
    private volatile @Nullable TransactionExecutionListener listening;
    private volatile TestLedger tests = TestLedger.NONE;
    private final ThreadLocal<@Nullable Frame> frames = new ThreadLocal<>();

    /** The transaction of the calling thread. */
    enum CurrentTransaction {
        OUTSIDE,
        IN_OURS,
        IN_THE_CALLERS
    }

    /** @param source the data source whose connections the manager binds */
    SpringTransactions(PlatformTransactionManager manager, DataSource source) {
        this.manager = manager;
        this.source = source;
        this.jdbcOnly = manager instanceof DataSourceTransactionManager;
        if (manager instanceof ConfigurableTransactionManager configurable) {
            configurable.addListener(new SharedListener());
        }
    }

    /** @throws SemelException.Misconfigured when the manager does not support listeners */
    void listen(TransactionExecutionListener listener) {
        if (!(manager instanceof ConfigurableTransactionManager)) {
            throw new SemelException.Misconfigured(
                    "transaction manager",
                    List.of(manager.getClass().getName()
                            + " does not support transaction listeners, which the level MARKER needs: set"
                            + " semel.http.level to span or plain"));
        }
        listening = listener;
    }

    /** The only listener, because a manager's list of listeners must not change while it is used. */
    private final class SharedListener implements TransactionExecutionListener {
        @Override
        public void beforeBegin(TransactionExecution transaction) {
            tell(other -> other.beforeBegin(transaction));
        }

        @Override
        public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
            tell(other -> other.afterBegin(transaction, failure));
        }

        @Override
        public void afterCommit(TransactionExecution transaction, @Nullable Throwable failure) {
            if (failure != null && jdbcOnly) {
                endWhatIsOpen();
            }
            tell(other -> other.afterCommit(transaction, failure));
        }

        @Override
        public void afterRollback(TransactionExecution transaction, @Nullable Throwable failure) {
            tell(other -> other.afterRollback(transaction, failure));
        }

        private void tell(Consumer<TransactionExecutionListener> what) {
            TransactionExecutionListener other = listening;
            if (other != null) {
                what.accept(other);
            }
        }

        @Override
        public void beforeCommit(TransactionExecution transaction) {
            tell(other -> other.beforeCommit(transaction));
        }
    }

    /**
     * SQLite leaves a transaction open when its COMMIT fails. The manager does not roll it back, and the pool cannot, because the
     * driver considers it ended. All other writers would block as long as the connection is idle.
     */
    private void endWhatIsOpen() {
        try {
            connection().rollback();
        } catch (SQLException | RuntimeException e) {
            LOG.debug(
                    "Rollback after a failed commit failed: the connection is closed or its transaction has"
                            + " ended.",
                    e);
        }
    }

    PlatformTransactionManager manager() {
        return manager;
    }

    /** The data source whose connections the manager binds. */
    DataSource source() {
        return source;
    }

    /** The connection of the current transaction. */
    Connection connection() {
        return holder().getConnection();
    }

    /** @throws SemelException.Invalid where no operation can run */
    CurrentTransaction place() {
        Frame frame = frames.get();
        if (frame != null && frame.isBound()) {
            if (frame.ending) {
                throw new SemelException.Invalid(
                        "Operation rejected: its outer transaction is being committed, for example in an after-commit"
                                + " callback, so it cannot join. Call it in a new transaction (REQUIRES_NEW) or send it"
                                + " to a channel before the commit.");
            }
            return CurrentTransaction.IN_OURS;
        }
        if (TransactionSynchronizationManager.isActualTransactionActive() && participates()) {
            return CurrentTransaction.IN_THE_CALLERS;
        }
        if (frame != null && !frame.ending) {
            throw new SemelException.Invalid(
                    "Operation rejected: it was called inside an atomic operation whose transaction is suspended. Do"
                            + " not suspend the transaction of an atomic operation (NOT_SUPPORTED) around another"
                            + " operation.");
        }
        return CurrentTransaction.OUTSIDE;
    }

    private boolean participates() {
        if (!TransactionSynchronizationManager.isSynchronizationActive()) {
            throw new SemelException.Invalid(
                    "Operation rejected: its outer transaction has already completed, so it cannot join. Call it in a"
                            + " new transaction (REQUIRES_NEW).");
        }
        TransactionStatus status =
                manager.getTransaction(new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_SUPPORTS));
        boolean inside = status.hasTransaction();
        manager.commit(status);
        return inside;
    }

    /** Work inside the caller's transaction. */
    @FunctionalInterface
    interface JoinedWork<T, X extends Exception> {
        T in(Connection connection, ConnectionHolder holder) throws X;
    }

    /** Joins the caller's transaction. An exception marks it rollback-only. */
    <T, X extends Exception> T participate(JoinedWork<T, X> part) throws X {
        if (TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
            throw new SemelException.Invalid("Operation rejected: it was called inside a read-only transaction, where"
                    + " nothing can be recorded. Call it outside, or make the outer transaction writable.");
        }
        TransactionStatus status =
                manager.getTransaction(new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_MANDATORY));
        Frame outer = frames.get();
        Frame frame = new Frame(status, holder(), outer);
        frames.set(frame);
        T value;
        try {
            value = part.in(frame.connection(), frame.holder);
        } catch (Exception | Error e) {
            restore(outer);
            manager.rollback(status);
            throw e;
        }
        restore(outer);
        manager.commit(status);
        return value;
    }

    /** The code of a handler. */
    @FunctionalInterface
    interface HandlerBody<T, X extends Exception> {
        T run() throws X;
    }

    /**
     * Runs a handler inside the transaction. Flushes its persistence context before it counts as done, and fails if the transaction
     * is rollback-only.
     */
    <T, X extends Exception> T handled(HandlerBody<T, X> handler) throws X {
        Frame frame = frames.get();
        if (frame == null) {
            return handler.run();
        }
        boolean part = frame.handlers++ > 0 || !frame.status.isNewTransaction();
        boolean done = false;
        try {
            T value = handler.run();
            settle();
            done = true;
            return value;
        } finally {
            frame.handlers--;
            if (!done && part && !jdbcOnly) {
                frame.status.setRollbackOnly();
            }
        }
    }

    /** Flushes the persistence context of the current operation, and fails if its transaction is rollback-only. */
    void settle() {
        Frame frame = frames.get();
        if (frame != null && frame.isBound()) {
            frame.status.flush();
            if (frame.status.isRollbackOnly()) {
                throw new UnexpectedRollbackException(
                        "The transaction is rollback-only: the handler caught an exception of a @Transactional method,"
                                + " or a nested operation failed.");
            }
        }
    }

    /** From now on transactions that begin inside the transaction of a test are parts of it. */
    void joinTests(TestLedger value) {
        tests = value;
    }

    @Override
    public Begun begin() {
        TransactionStatus status = manager.getTransaction(new DefaultTransactionDefinition(
                tests.isInTestTransaction()
                        ? TransactionDefinition.PROPAGATION_NESTED
                        : TransactionDefinition.PROPAGATION_REQUIRED));
        if (!status.isNewTransaction() && !status.hasSavepoint()) {
            manager.commit(status);
            throw new SemelException.Invalid("A new transaction was requested inside a transaction of the caller. Run"
                    + " the operation through the Semel bean, which joins it.");
        }
        try {
            Frame frame = new Frame(status, holder(), frames.get());
            if (status.isNewTransaction() && TransactionSynchronizationManager.isSynchronizationActive()) {
                TransactionSynchronizationManager.registerSynchronization(frame);
            }
            frames.set(frame);
            return frame;
        } catch (RuntimeException e) {
            manager.rollback(status);
            throw e;
        }
    }

    private ConnectionHolder holder() {
        if (TransactionSynchronizationManager.getResource(source) instanceof ConnectionHolder holder) {
            return holder;
        }
        throw new SemelException.Misconfigured(
                "transaction manager",
                List.of(manager.getClass().getName()
                        + " began a transaction without binding a connection of the ledger's data source: set"
                        + " semel.expert.transaction-manager to the manager of that data source"));
    }

    private void restore(@Nullable Frame outer) {
        if (outer == null) {
            frames.remove();
        } else {
            frames.set(outer);
        }
    }

    /** One transaction of operations: ours, or our part of the caller's. */
    private final class Frame implements Begun, TransactionSynchronization {
        private final TransactionStatus status;
        private final ConnectionHolder holder;
        private final @Nullable Frame outer;
        private int handlers;
        private boolean ending;
        private int completion = STATUS_UNKNOWN;

        Frame(TransactionStatus status, ConnectionHolder holder, @Nullable Frame outer) {
            this.status = status;
            this.holder = holder;
            this.outer = outer;
        }

        boolean isBound() {
            return TransactionSynchronizationManager.getResource(source) == holder;
        }

        @Override
        public Connection connection() {
            return holder.getConnection();
        }

        @Override
        public void afterCompletion(int outcome) {
            completion = outcome;
        }

        @Override
        public void commit() throws SQLException {
            ending = true;
            try {
                manager.commit(status);
            } catch (RuntimeException e) {
                judge(e);
            } finally {
                restore(outer);
            }
        }

        /** A manager that rolls back after a failed commit may throw the exception of the rollback instead of the first one. */
        private void judge(RuntimeException thrown) throws SQLException {
            if (completion == STATUS_COMMITTED) {
                LOG.warn("after-commit callback failed; the transaction stays committed", thrown);
                return;
            }
            if (completion == STATUS_UNKNOWN && !tellsWhy(thrown)) {
                throw new SQLException("The outcome of the commit is unknown.", RESOLUTION_UNKNOWN, thrown);
            }
            throw thrown;
        }

        private static boolean tellsWhy(Throwable thrown) {
            Throwable cause = thrown;
            for (int depth = 0; cause != null && depth < DEEPEST; depth++) {
                if (cause instanceof SQLException sql && sql.getSQLState() != null) {
                    return true;
                }
                cause = cause.getCause();
            }
            return false;
        }

        @Override
        public void rollback() {
            ending = true;
            try {
                if (!status.isCompleted()) {
                    manager.rollback(status);
                }
            } catch (TransactionException e) {
                LOG.debug("Rollback failed; the server rolls back when the connection is closed.", e);
            } finally {
                restore(outer);
            }
        }
    }
}
