package dev.semel.testkit.sim;

/** The lifetime of a node, from its start to its crash. Its actors end with it. */
final class Life {
    boolean over;
    long pausedUntil;
}
