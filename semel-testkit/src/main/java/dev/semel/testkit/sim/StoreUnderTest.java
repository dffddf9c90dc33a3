package dev.semel.testkit.sim;

import dev.semel.store.Store;
import dev.semel.time.TimeSource;

/**
 * Puts another store into the simulation: one to be tested, or one with a bug to be caught. Both methods are called
 * once for each start of a node.
 */
public interface StoreUnderTest {
    /** The store as it is. */
    StoreUnderTest NONE = new StoreUnderTest() {};

    /**
     * What the store's machine has for a clock.
     *
     * @param time whose wall clock may be wrong and may jump; its monotonic clock is right
     */
    default TimeSource storeTime(TimeSource time) {
        return time;
    }

    /**
     * Wraps the shared store below the network: bugs of the database itself.
     *
     * @param node the clock of the node, which may be wrong
     */
    default Store beneath(Store shared, TimeSource node) {
        return shared;
    }

    /** Wraps the store above the network: bugs of the driver or the client. */
    default Store above(Store remote, TimeSource node) {
        return remote;
    }
}
