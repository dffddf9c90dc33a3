package dev.semel.examples.planner.effects;

/** Tells people something, somewhere outside. */
public interface Notifier {
    /** @param delivery the same at every attempt: whoever receives it can tell that it has it already */
    void tell(String organisation, String person, String words, String delivery);
}
