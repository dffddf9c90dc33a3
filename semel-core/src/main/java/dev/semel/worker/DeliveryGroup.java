package dev.semel.worker;

import dev.semel.execution.ClaimedDelivery;
import java.util.List;

/**
 * Deliveries that one thread runs in order: a single one without a lane, or consecutive ones of one lane.
 *
 * @param since when they were put into the buffer, by this node's monotonic clock
 */
record DeliveryGroup<P, R>(String tenant, List<ClaimedDelivery<P, R>> deliveries, long since) {
    DeliveryGroup {
        deliveries = List.copyOf(deliveries);
    }

    /** Whether one of them is a suspect, so that they run alone. */
    boolean isSuspect() {
        return deliveries.stream().anyMatch(ClaimedDelivery::isSuspect);
    }

    /** Whether it is a single one, of which only the death is still to be recorded. */
    boolean isDying() {
        return deliveries.get(0).isDying();
    }

    /** How many of them are not suspects. */
    int unsuspected() {
        return (int) deliveries.stream().filter(each -> !each.isSuspect()).count();
    }
}
