package dev.semel.examples.desk.shared;

/** Is told when the desk reaches a named point. The demo and the tests end the process there; otherwise nothing happens. */
@FunctionalInterface
public interface Checkpoint {
    /** Goes on everywhere. */
    Checkpoint NONE = point -> {};

    /** Called on the thread that has reached the point, before it goes on. */
    void reached(String point);
}
