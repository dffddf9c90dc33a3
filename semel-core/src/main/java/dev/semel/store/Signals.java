package dev.semel.store;

import java.time.Duration;
import java.util.Set;

/** How nodes notify each other of work. A signal may be lost, so waiting nodes poll as well. */
public interface Signals extends AutoCloseable {
    /** Tells the other nodes that there is something to claim of these operations. Not inside a transaction. */
    void announce(Set<String> operations);

    /**
     * Waits for what other nodes announce, for one caller at a time.
     *
     * @return the operations announced since the last call; empty when there were none within the bound
     */
    Set<String> await(Duration bound) throws InterruptedException;

    /** Ends a wait under way. */
    @Override
    void close();
}
