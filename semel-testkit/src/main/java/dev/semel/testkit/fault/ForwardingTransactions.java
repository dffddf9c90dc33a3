package dev.semel.testkit.fault;

import dev.semel.key.Identity;
import dev.semel.store.Arrival;
import dev.semel.store.Enqueued;
import dev.semel.store.LookupResult;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.RecordWrite;
import dev.semel.store.Switchboard;
import dev.semel.store.Transactions;
import java.sql.Connection;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Hands everything on; each transaction passes through {@link #wrap}. */
public abstract class ForwardingTransactions implements Transactions {
    private final Transactions delegate;

    protected ForwardingTransactions(Transactions delegate) {
        this.delegate = delegate;
    }

    protected final Transactions delegate() {
        return delegate;
    }

    /** The transaction, as the work sees it. */
    protected Tx wrap(Tx tx) {
        return tx;
    }

    @Override
    public <T> T run(Work<T> work) throws Exception {
        return delegate.run(tx -> work.run(wrap(tx)));
    }

    @Override
    public Tx join(Connection connection) {
        return wrap(delegate.join(connection));
    }

    @Override
    public long changes(Connection connection) {
        return delegate.changes(connection);
    }

    /** Hands everything on. */
    public abstract static class ForwardingTx implements Tx {
        private final Tx delegate;

        protected ForwardingTx(Tx delegate) {
            this.delegate = delegate;
        }

        protected final Tx delegate() {
            return delegate;
        }

        @Override
        public void abandon() {
            delegate.abandon();
        }

        @Override
        public Switchboard.Modes modes() {
            return delegate.modes();
        }

        @Override
        public List<LookupResult> lookUp(long modesVersion, List<Identity> identities) {
            return delegate.lookUp(modesVersion, identities);
        }

        @Override
        public void write(List<RecordWrite> writes) {
            delegate.write(writes);
        }

        @Override
        public List<Moved> move(List<Move> moves) {
            return delegate.move(moves);
        }

        @Override
        public Optional<Moved> moveIfChanged(Move move, long changesBefore) {
            return delegate.moveIfChanged(move, changesBefore);
        }

        @Override
        public List<Enqueued> enqueue(List<Arrival> batch) {
            return delegate.enqueue(batch);
        }

        @Override
        public boolean holdMessages(Runnable beforeSavepoint) {
            return delegate.holdMessages(beforeSavepoint);
        }

        @Override
        public Optional<List<Enqueued>> enqueueWithCommit(List<Arrival> batch) {
            return delegate.enqueueWithCommit(batch);
        }

        @Override
        public void beforeHandler() {
            delegate.beforeHandler();
        }

        @Override
        public <T> T part(Part<T> part) throws Exception {
            return delegate.part(part);
        }

        @Override
        public @Nullable Connection connection() {
            return delegate.connection();
        }

        @Override
        public <T> T unwrap(Class<T> type) {
            return delegate.unwrap(type);
        }
    }
}
