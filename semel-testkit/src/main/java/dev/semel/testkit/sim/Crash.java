package dev.semel.testkit.sim;

/**
 * Unwinds an actor whose node died. The engine cannot swallow it for good: every store call, pause and delivery of a dead
 * node's actor throws it again before anything is done.
 */
final class Crash extends Error {
    private static final long serialVersionUID = 1;

    Crash() {
        super("The node died.", null, false, false);
    }
}
