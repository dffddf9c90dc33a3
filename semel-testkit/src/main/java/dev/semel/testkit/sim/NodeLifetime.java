package dev.semel.testkit.sim;

/** The lifetime of a node, from its start to its crash. Its actors end with it. */
final class NodeLifetime {
    boolean over;
    long pausedUntil;
}
