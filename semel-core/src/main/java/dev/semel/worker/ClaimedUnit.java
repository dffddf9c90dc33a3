package dev.semel.worker;

import dev.semel.execution.Delivery;
import java.util.List;

/**
 * Deliveries that go to one thread: one that follows nobody, or a run of a lane, in its order.
 *
 * @param since when it was claimed, by this node's monotonic clock
 */
record ClaimedUnit<P, R>(String tenant, List<Delivery<P, R>> deliveries, long since) {
    ClaimedUnit {
        deliveries = List.copyOf(deliveries);
    }

    /** Whether one of them is, so that they run alone. */
    boolean isSuspect() {
        return deliveries.stream().anyMatch(Delivery::isSuspect);
    }

    /** How many of them are not. */
    int unsuspected() {
        return (int) deliveries.stream().filter(each -> !each.isSuspect()).count();
    }
}
