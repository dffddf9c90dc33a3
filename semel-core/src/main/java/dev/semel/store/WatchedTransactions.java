package dev.semel.store;

import dev.semel.key.Identity;
import java.sql.Connection;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Transactions whose steps are timed, without what the application does in them: "begin" until the work starts, which is
 * waiting for a connection or for the writer, and "commit" from its end, which is waiting for those who share it as well.
 */
record WatchedTransactions(Transactions transactions, Timing timing) implements Transactions {
    @Override
    public <T> T run(Work<T> work) throws Exception {
        TimedWork<T> timed = new TimedWork<>(work, timing);
        try {
            return transactions.run(timed);
        } finally {
            timing.since(timed.mark, timed.begun ? "commit" : "begin");
        }
    }

    @Override
    public Tx join(Connection connection) {
        return new WatchedTx(transactions.join(connection), timing);
    }

    @Override
    public long changes(Connection connection) {
        return transactions.changes(connection);
    }

    /** Begins once, though it may be run again. */
    private static final class TimedWork<T> implements Work<T> {
        private final Work<T> work;
        private final Timing timing;
        private long mark;
        private boolean begun;

        TimedWork(Work<T> work, Timing timing) {
            this.work = work;
            this.timing = timing;
            this.mark = timing.time().nanos();
        }

        @Override
        public Ended<T> run(Tx tx) throws Exception {
            if (!begun) {
                timing.since(mark, "begin");
                begun = true;
            }
            try {
                return work.run(new WatchedTx(tx, timing));
            } finally {
                mark = timing.time().nanos();
            }
        }
    }

    record WatchedTx(Tx tx, Timing timing) implements Tx {
        @Override
        public void abandon() {
            tx.abandon();
        }

        @Override
        public Switchboard.Modes modes() {
            return tx.modes();
        }

        @Override
        public List<LookupResult> lookUp(long modesVersion, List<Identity> identities) {
            return timing.of("open", () -> tx.lookUp(modesVersion, identities));
        }

        @Override
        public void write(List<RecordWrite> writes) {
            long began = timing.time().nanos();
            try {
                tx.write(writes);
            } finally {
                timing.since(began, "write");
            }
        }

        @Override
        public List<Moved> move(List<Move> moves) {
            return timing.of("move", () -> tx.move(moves));
        }

        @Override
        public Optional<Moved> moveIfChanged(Move move, long changesBefore) {
            return timing.of("move", () -> tx.moveIfChanged(move, changesBefore));
        }

        @Override
        public List<Enqueued> enqueue(List<Arrival> batch) {
            return timing.of("enqueue", () -> tx.enqueue(batch));
        }

        @Override
        public boolean holdMessages(Runnable beforeSavepoint) {
            return tx.holdMessages(beforeSavepoint);
        }

        @Override
        public Optional<List<Enqueued>> enqueueWithCommit(List<Arrival> batch) {
            return timing.of("enqueue", () -> tx.enqueueWithCommit(batch));
        }

        @Override
        public void beforeHandler() {
            tx.beforeHandler();
        }

        @Override
        public <T> T part(Part<T> part) throws Exception {
            return tx.part(part);
        }

        @Override
        public @Nullable Connection connection() {
            return tx.connection();
        }

        @Override
        public <T> T unwrap(Class<T> type) {
            return tx.unwrap(type);
        }
    }
}
