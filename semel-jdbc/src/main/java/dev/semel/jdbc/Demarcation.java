package dev.semel.jdbc;

import java.sql.Connection;

/**
 * Begins and ends the transactions of atomic operations in Semel's place: a container's transaction manager, so that
 * everything that the handler does on its thread through the container takes part. Thread-safe.
 */
@FunctionalInterface
public interface Demarcation {
    /**
     * Begins a transaction on the calling thread, which has none that this one knows of.
     *
     * @throws RuntimeException when none could be begun; nothing is left behind
     */
    Begun begin();

    /** A transaction that is ended once, on the thread that began it. */
    interface Begun {
        /** The connection that all participants use. */
        Connection connection();

        /**
         * Returns when it is committed, and has given the connection back in any case.
         *
         * @throws Exception when it is not committed, or when that is not known: then the driver's own exception is
         *     among its causes, or it is a {@link java.sql.SQLException} whose SQLState is 08007
         */
        void commit() throws Exception;

        /** Gives the connection back. Does not throw: if the rollback fails, the server rolls back. */
        void rollback();
    }
}
