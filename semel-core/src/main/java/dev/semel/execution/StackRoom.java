package dev.semel.execution;

/**
 * Asks for stack before anything is touched. A caller that is about to run out of it would otherwise do so while it holds a lock or
 * leads a group commit, where not even a finally block is certain to run; and then everybody else waits.
 */
public final class StackRoom {
    /** Frames of six values each: some forty kilobytes, more than a call of Semel's own needs down to the driver. */
    private static final int FRAMES = 512;

    private StackRoom() {}

    /** @throws StackOverflowError when there is too little left; nothing was begun */
    public static void demand() {
        if (down(FRAMES, 1, 2, 3, 4, 5) == 0) {
            throw new IllegalStateException("The stack probe returned 0, which its arithmetic rules out.");
        }
    }

    /** The values are used after the call, so that each frame must keep them. */
    private static long down(int depth, long a, long b, long c, long d, long e) {
        if (depth == 0) {
            return a;
        }
        long below = down(depth - 1, b, c, d, e, a);
        return (below & 0xffff) + a + 3 * b + 5 * c + 7 * d + 11 * e;
    }
}
