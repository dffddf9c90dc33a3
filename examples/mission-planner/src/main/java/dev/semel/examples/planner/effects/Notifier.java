package dev.semel.examples.planner.effects;

/** Tells people something, somewhere outside. */
public interface Notifier {

    /** What is to be told to whom. */
    record Note(String organisation, String person, String words) {}

    /**
     * By which it is known again.
     *
     * @param key the same at every attempt: whoever receives it can tell that it has it already
     * @param correlationId of the request that it follows from
     */
    record Delivery(String key, String correlationId) {}

    void tell(Note note, Delivery delivery);
}
