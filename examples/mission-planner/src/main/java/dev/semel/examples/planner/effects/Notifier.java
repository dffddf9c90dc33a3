package dev.semel.examples.planner.effects;

/** Sends notifications to an external service. */
public interface Notifier {

    /** One notification. */
    record Note(String organisation, String person, String words) {}

    /**
     * The identity of a delivery.
     *
     * @param key the same for every attempt, so that the receiver can detect duplicates
     * @param correlationId the correlation id of the request behind it
     * @param by the person and the request behind it
     */
    record Delivery(String key, String correlationId, Jobs.RequestedBy by) {}

    void tell(Note note, Delivery delivery);
}
