package dev.semel.testkit.sim;

/** One life of a node, from its start to its crash. Those who live it end with it. */
final class Life {
    boolean over;
    long pausedUntil;
}
