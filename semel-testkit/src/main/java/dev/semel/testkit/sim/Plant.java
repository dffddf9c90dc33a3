package dev.semel.testkit.sim;

import dev.semel.store.Store;
import dev.semel.time.TimeSource;

/**
 * Puts a store of one's own into the simulation: one that is to be tried, or one with a bug that is to be caught. Both
 * methods are called once for each start of a node.
 */
public interface Plant {
    /** The store as it is. */
    Plant NONE = new Plant() {};

    /**
     * What the store's machine has for a clock.
     *
     * @param time whose wall clock may be wrong and may jump; its monotonic clock is right
     */
    default TimeSource storeTime(TimeSource time) {
        return time;
    }

    /**
     * Between the shared store and the network: what the database itself would get wrong.
     *
     * @param node the clock of the node, which may be wrong
     */
    default Store beneath(Store shared, TimeSource node) {
        return shared;
    }

    /** Between the engine and the network: what the driver or the client would get wrong. */
    default Store above(Store remote, TimeSource node) {
        return remote;
    }
}
