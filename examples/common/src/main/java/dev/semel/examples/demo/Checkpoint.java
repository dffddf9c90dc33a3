package dev.semel.examples.demo;

/** Is told when an example reaches a named point. The demo and the tests end the process there; otherwise nothing happens. */
@FunctionalInterface
public interface Checkpoint {
    /** Goes on everywhere. */
    Checkpoint NONE = point -> {};

    /** Called on the thread that has reached the point, before it goes on. */
    void reached(String point);
}
