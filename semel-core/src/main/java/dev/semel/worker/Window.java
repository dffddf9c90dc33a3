package dev.semel.worker;

/**
 * How many records a node may hold at once. It starts small and doubles while the handlers wait for claims, so a node that
 * comes back to a large backlog ramps up; it falls back after an error and when what is held waits too long for its turn.
 */
final class Window {
    private static final int LARGEST = 1_024;

    private final int smallest;
    private int size;

    Window(int concurrency) {
        this.smallest = concurrency;
        this.size = concurrency;
    }

    synchronized int size() {
        return size;
    }

    /** A claim gave all that was asked for, and nothing was left to begin with before it. */
    synchronized void starved() {
        size = (int) Math.min(Math.max(LARGEST, smallest), size * 2L);
    }

    /** What is held waits too long. */
    synchronized void crowded() {
        size = Math.max(smallest, size / 2);
    }

    /** The store or the receiver failed. */
    synchronized void failed() {
        size = smallest;
    }
}
