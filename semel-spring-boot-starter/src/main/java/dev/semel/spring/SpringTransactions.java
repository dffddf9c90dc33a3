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
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The transactions of the data source that holds the ledger, as Spring's transaction manager begins and ends them.
 *
 * <h2>Semel's own</h2>
 *
 * An atomic operation that is called outside any transaction gets one of Spring's: begun by the application's transaction
 * manager, so that {@code JdbcTemplate}, JPA and {@code @Transactional} methods inside the handler take part in it, and ended
 * by it, so that synchronizations and after-commit listeners run when the effect and its record are committed. What the
 * manager throws at the commit is judged by the store, which finds out whether it was committed.
 *
 * <h2>The caller's</h2>
 *
 * Inside a transaction of the same manager an operation joins it. Whether the thread is in one of ours or in the caller's is
 * told by the connection that is bound to it: a transaction of ours that is suspended has none.
 *
 * <h2>A part that failed</h2>
 *
 * The engine runs joined and nested operations under a savepoint and undoes what failed. A savepoint undoes nothing that a
 * persistence context still holds back, so under any other manager than JDBC's a failed part condemns the whole transaction.
 */
final class SpringTransactions implements Demarcation {
    private static final Logger LOG = LoggerFactory.getLogger(SpringTransactions.class);

    /** SQLState "transaction resolution unknown". */
    private static final String RESOLUTION_UNKNOWN = "08007";

    private static final int DEEPEST = 20;

    private final PlatformTransactionManager manager;
    private final DataSource source;
    private final boolean jdbcOnly;
    private final boolean plain;
    private final Ears ears = new Ears();
    private volatile @Nullable TransactionExecutionListener listening;
    private final ThreadLocal<@Nullable Frame> frames = new ThreadLocal<>();

    /** Where the calling thread is. */
    enum Place {
        OUTSIDE,
        IN_OURS,
        IN_THE_CALLERS
    }

    /** @param source the data source whose connections the manager binds */
    SpringTransactions(PlatformTransactionManager manager, DataSource source) {
        this.manager = manager;
        this.source = source;
        this.jdbcOnly = manager instanceof DataSourceTransactionManager;
        this.plain = manager.getClass() == DataSourceTransactionManager.class
                || manager.getClass() == JdbcTransactionManager.class;
        if (manager instanceof ConfigurableTransactionManager configurable) {
            configurable.addListener(ears);
        }
    }

    /** @throws SemelException.Misconfigured when the manager cannot be listened to */
    void listen(TransactionExecutionListener listener) {
        if (!(manager instanceof ConfigurableTransactionManager)) {
            throw new SemelException.Misconfigured(
                    "transaction manager",
                    List.of(manager.getClass().getName()
                            + " tells nobody when a transaction begins, so that the level MARKER"
                            + " is not possible: set semel.http.level to span or plain"));
        }
        listening = listener;
    }

    /** One for all, because a manager's list of listeners must not change while it is used. */
    private final class Ears implements TransactionExecutionListener {
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
            Frame frame = frames.get();
            if (frame != null && frame.status == transaction) {
                frame.commitItself();
            }
        }
    }

    /**
     * Whether nothing but the connection's commit is left to do when our listener hears of it. A listener behind ours might
     * still write, and managers other than JDBC's do.
     */
    private boolean hearsLast() {
        return plain
                && manager instanceof ConfigurableTransactionManager configurable
                && configurable.getTransactionExecutionListeners().stream()
                        .reduce((one, next) -> next)
                        .filter(last -> last == ears)
                        .isPresent();
    }

    /**
     * SQLite leaves a transaction open whose COMMIT it refuses. The manager does not roll it back, and neither can the pool,
     * because the driver takes it for ended: nobody could write as long as the connection is idle.
     */
    private void endWhatIsOpen() {
        try {
            connection().rollback();
        } catch (SQLException | RuntimeException e) {
            LOG.debug("A rollback after a failed commit failed; the connection is gone or its transaction is over.", e);
        }
    }

    PlatformTransactionManager manager() {
        return manager;
    }

    /** The data source whose connections the manager binds. */
    DataSource source() {
        return source;
    }

    /** The connection of the transaction that the calling thread is in. */
    Connection connection() {
        return holder().getConnection();
    }

    /** @throws SemelException.Invalid where no operation can be run */
    Place place() {
        Frame frame = frames.get();
        if (frame != null && frame.isBound()) {
            if (frame.ending) {
                throw new SemelException.Invalid(
                        "It was called while the transaction around it is being committed, from a"
                                + " callback after the commit for example, so it could take part in none. Call it in a"
                                + " transaction of its own (REQUIRES_NEW) or send it to a channel before the commit.");
            }
            return Place.IN_OURS;
        }
        if (TransactionSynchronizationManager.isActualTransactionActive() && participates()) {
            return Place.IN_THE_CALLERS;
        }
        if (frame != null && !frame.ending) {
            throw new SemelException.Invalid(
                    "It was called inside an atomic operation whose transaction is suspended, so"
                            + " it could neither take part nor have a connection of its own. Do not suspend the transaction of an"
                            + " atomic operation (NOT_SUPPORTED) around another one.");
        }
        return Place.OUTSIDE;
    }

    private boolean participates() {
        if (!TransactionSynchronizationManager.isSynchronizationActive()) {
            throw new SemelException.Invalid(
                    "It was called after the transaction around it had completed, so it could take"
                            + " part in none. Call it in a transaction of its own (REQUIRES_NEW).");
        }
        TransactionStatus status =
                manager.getTransaction(new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_SUPPORTS));
        boolean inside = status.hasTransaction();
        manager.commit(status);
        return inside;
    }

    /** Something done inside the caller's transaction. */
    @FunctionalInterface
    interface Part<T> {
        T in(Connection connection, ConnectionHolder holder);
    }

    /** Takes part in the caller's transaction. Whatever is thrown condemns it. */
    <T> T participate(Part<T> part) {
        if (TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
            throw new SemelException.Invalid("It was called inside a read-only transaction, in which nothing can be"
                    + " recorded. Call it outside, or make the transaction around it one that writes.");
        }
        TransactionStatus status =
                manager.getTransaction(new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_MANDATORY));
        Frame outer = frames.get();
        Frame frame = new Frame(status, holder(), outer);
        frames.set(frame);
        T value;
        try {
            value = part.in(frame.connection(), frame.holder);
        } catch (RuntimeException | Error e) {
            restore(outer);
            manager.rollback(status);
            throw e;
        }
        restore(outer);
        manager.commit(status);
        return value;
    }

    /** A handler's own code. */
    @FunctionalInterface
    interface Body<T> {
        T run() throws Exception;
    }

    /**
     * Runs a handler inside the transaction: what its persistence context holds back is written before it counts as done, and
     * a transaction that was condemned inside fails it.
     */
    <T> T handled(Body<T> handler) throws Exception {
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

    /** Writes what the persistence context of the thread's operation holds back, and fails if its transaction is condemned. */
    void settle() {
        Frame frame = frames.get();
        if (frame != null && frame.isBound()) {
            frame.status.flush();
            if (frame.status.isRollbackOnly()) {
                throw new UnexpectedRollbackException(
                        "A part of the operation condemned its transaction to be rolled"
                                + " back: an exception that left a @Transactional method was caught, or a nested operation failed.");
            }
        }
    }

    @Override
    public Begun begin() {
        TransactionStatus status = manager.getTransaction(new DefaultTransactionDefinition());
        if (!status.isNewTransaction()) {
            manager.commit(status);
            throw new SemelException.Invalid("A transaction of Semel's own was to be begun inside one of the caller's."
                    + " Run the operation by way of the Semel bean, which joins it.");
        }
        try {
            Frame frame = new Frame(status, holder(), frames.get());
            if (TransactionSynchronizationManager.isSynchronizationActive()) {
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
                        + " began a transaction without binding a connection of the ledger's data source: name the one that"
                        + " manages it with semel.expert.transaction-manager"));
    }

    private void restore(@Nullable Frame outer) {
        if (outer == null) {
            frames.remove();
        } else {
            frames.set(outer);
        }
    }

    /** One transaction that operations run in: ours, or our part in the caller's. */
    private final class Frame implements Begun, TransactionSynchronization {
        private final TransactionStatus status;
        private final ConnectionHolder holder;
        private final @Nullable Frame outer;
        private int handlers;
        private boolean ending;
        private int completion = STATUS_UNKNOWN;
        private @Nullable Last last;

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

        /** The manager's own commit finds nothing left to be committed, and the driver sends nothing for it. */
        @Override
        public boolean commitBy(Last sending) {
            if (!hearsLast()) {
                return false;
            }
            last = sending;
            return true;
        }

        private void commitItself() {
            Last sending = last;
            last = null;
            if (sending != null) {
                try {
                    sending.commit();
                } catch (SQLException e) {
                    throw translated(e);
                }
            }
        }

        /** As the manager itself would. */
        private RuntimeException translated(SQLException e) {
            RuntimeException translated = manager instanceof JdbcTransactionManager jdbc
                    ? jdbc.getExceptionTranslator().translate("JDBC commit", null, e)
                    : null;
            return translated != null ? translated : new TransactionSystemException("JDBC commit failed", e);
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

        /** A manager that rolls back after a failed commit, and fails at that too, throws the second reason in place of the first. */
        private void judge(RuntimeException thrown) throws SQLException {
            if (completion == STATUS_COMMITTED) {
                LOG.warn("A callback failed after the commit; what was committed stays.", thrown);
                return;
            }
            if (completion == STATUS_UNKNOWN && !tellsWhy(thrown)) {
                throw new SQLException("How the commit ended cannot be told.", RESOLUTION_UNKNOWN, thrown);
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
                LOG.debug("A rollback failed; the server rolls back by itself when the connection is gone.", e);
            } finally {
                restore(outer);
            }
        }
    }
}
