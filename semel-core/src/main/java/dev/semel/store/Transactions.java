package dev.semel.store;

import dev.semel.SemelException;
import dev.semel.key.Identity;
import java.sql.Connection;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Runs the application's code and the ledger's writes in one commit. */
public interface Transactions {
    /** For a {@link Tx#lookUp} without a grant: the record is looked up under any modes. */
    long ANY_MODES = 0;

    /**
     * Runs the work in a transaction and ends it as the work says. The work may be run more than once: where many callers
     * share a commit and it fails, each is run again alone. An exception of the work rolls its part back and is passed on.
     *
     * @throws dev.semel.SemelException.StoreUnavailable when nothing was committed
     * @throws dev.semel.SemelException.OutcomeUnknown when the commit could not be decided within its bound
     * @throws CommitRefused when the database refused what the work had written; nothing was committed
     * @throws InterruptedException when the caller was interrupted before its work began; nothing was run. An interrupt that
     *     comes later is kept for the caller, and changes nothing about how the commit is told
     */
    <T> T run(Work<T> work) throws Exception;

    /** The caller's own transaction, on the calling thread. Semel neither commits nor rolls it back as a whole. */
    Tx join(Connection connection);

    /**
     * How much the connection has changed up to now, to be asked when a transaction begins on it and compared by
     * {@link Tx#moveIfChanged}; always 0 where the database knows by itself whether a transaction has written.
     *
     * @throws dev.semel.SemelException.StoreUnavailable when the connection does not answer
     */
    default long changes(Connection connection) {
        return 0;
    }

    /** Part of the application and of the ledger. */
    @FunctionalInterface
    interface Work<T> {
        /** Does it inside the transaction, which it must not end itself. It may be run again: see {@link Transactions#run}. */
        Ended<T> run(Tx tx) throws Exception;
    }

    /** How a work ended: with what, and whether its writes are to stay. */
    record Ended<T>(T value, boolean keep) {
        /** The writes are committed, with those of the others that share the commit. */
        public static <T> Ended<T> keep(T value) {
            return new Ended<>(value, true);
        }

        /** The writes are rolled back; the caller still gets the value. */
        public static <T> Ended<T> undo(T value) {
            return new Ended<>(value, false);
        }
    }

    /** One transaction, used by one thread. */
    interface Tx {
        /** The modes as this transaction sees them: for a call that must not need another connection. */
        Switchboard.Modes modes();

        /**
         * Whoever used it ran out of memory or stack, perhaps in the middle of a message to the server: a connection that is
         * Semel's own is not used again, and the transaction ends with it.
         */
        default void abandon() {}

        /**
         * Tries to lock each record without waiting, then looks it up under the lock. A live record under a neighbouring key
         * is found like the record's own.
         *
         * @param modesVersion the version under which a record that can be run is opened, or {@link #ANY_MODES}
         */
        List<LookupResult> lookUp(long modesVersion, List<Identity> identities);

        /**
         * Writes what the calls leave, at once or at the latest with the commit. Each row must be absent, expired, or
         * FAILED_RETRYABLE and due.
         *
         * @throws dev.semel.SemelException.LeaseLost when one is not: the transaction must be rolled back. Where the write goes
         *     with the commit, {@link Transactions#run} throws it, having rolled back
         */
        void write(List<RecordWrite> writes);

        /** As {@link Ledger#move}, in this transaction: for a run that was claimed before. */
        List<Moved> move(List<Move> moves);

        /**
         * As {@link #move}, provided that this transaction has written something since the count was taken
         * ({@link Transactions#changes}). In one statement where each is a round trip.
         *
         * @return nothing when the transaction has written nothing so far; then this writes nothing either
         */
        default Optional<Moved> moveIfChanged(Move move, long changesBefore) {
            throw new SemelException.Invalid(
                    "This store cannot tell whether a transaction of the caller's has written. Use a SQL store.");
        }

        /** As {@link Queue#enqueue}, in this transaction. */
        default List<Enqueued> enqueue(List<Arrival> batch) {
            throw new SemelException.Invalid(
                    "This store keeps no work for later, so nothing can be sent in its transactions. Use a SQL store.");
        }

        /**
         * Whether the messages of handlers may be held back until {@link #enqueueWithCommit}: where that saves something, and where
         * every savepoint of a handler is seen.
         *
         * @param beforeSavepoint called before a handler uses a savepoint: what was sent must be stored before it, and from then on
         *     at once
         */
        default boolean holdMessages(Runnable beforeSavepoint) {
            return false;
        }

        /**
         * As {@link #enqueue}, at once or with the commit: for the messages of a handler that has returned. Only {@link #write}
         * or {@link #move} may follow.
         *
         * @return what became of each; nothing where they go with the commit. Then each is new, or is there already with the same
         *     fingerprint. Where one is there with another, {@link Transactions#run} rolls back and runs the work again, and this
         *     answers at once
         */
        default Optional<List<Enqueued>> enqueueWithCommit(List<Arrival> batch) {
            return Optional.of(enqueue(batch));
        }

        /** Runs a part under a savepoint: an exception, or a part that is not kept, undoes only that part. */
        <T> T part(Part<T> part) throws Exception;

        /**
         * A handler is about to run in this transaction. A store whose handlers can reach the connection past its guard makes
         * sure that it will be noticed if they end the transaction.
         */
        default void beforeHandler() {}

        /** For the handler: cannot commit, roll back or close. Absent when the store has none. */
        @Nullable
        Connection connection();

        /** The store's own transaction type. */
        <T> T unwrap(Class<T> type);
    }

    /** Something that is undone as a whole. */
    @FunctionalInterface
    interface Part<T> {
        /** Does it; an exception undoes it too, and is passed on. */
        Ended<T> run() throws Exception;
    }
}
