package dev.semel.bench;

import java.util.function.LongConsumer;
import javax.sql.DataSource;

/**
 * Another library that keeps work in PostgreSQL and runs it later, as far as the bench drives it. Found by
 * {@link java.util.ServiceLoader}; see {@link ComparedLibraries}.
 */
public interface ComparedLibrary {
    /** With its version. */
    String name();

    /** Its configuration in one line, and whether it keeps finished work. */
    String setUp();

    /**
     * Makes its tables. Nothing is handled until it is started.
     *
     * @param database an empty schema, by a pool of the bench's size whose connections commit by themselves
     * @param handler told the number of each message that is handled
     */
    Session open(DataSource database, LongConsumer handler) throws Exception;

    /** One opened; closing it ends its threads. */
    interface Session extends AutoCloseable {
        /** Stores messages of these numbers, as fast as it can. Called before {@link #start}. */
        void load(int from, int count) throws Exception;

        /** Handles from now on what is stored. */
        void start() throws Exception;

        /** Stores one message in a transaction of its own. Called by many threads. */
        void send(int number) throws Exception;

        /**
         * Waits until all that was handled is recorded as done, where the library can tell. Called once, when everything has
         * been handled.
         */
        default void settle() throws Exception {}

        /**
         * Looks whether its tables agree that all is done. Called after {@link #settle}, untimed.
         *
         * @throws IllegalStateException when they do not
         */
        default void verify(int sent) throws Exception {}

        @Override
        void close();
    }
}
