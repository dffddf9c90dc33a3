package dev.semel.execution;

/**
 * Checks for free stack before a call starts. A caller could otherwise run out of it while it holds a lock or leads a
 * group commit, where not even a finally block is certain to run; then all other callers would wait.
 *
 * <p>Every call pays for it, so it must be cheap: few frames, each with room for values that only one of them ever
 * uses. The others reserve the room and write nothing to it, which takes a quarter of the time of small frames that
 * are all written.
 */
public final class StackCheck {
    /** Frames of some 220 bytes: thirty kilobytes, more than a call of Semel's own needs down to the driver. */
    private static final int FRAMES = 150;

    /** The frame that uses its values. Each probe calls it, so that no compiler removes it as dead code. */
    private static final int USES_ITS_VALUES = 7;

    private StackCheck() {}

    /** @throws StackOverflowError when there is too little left; nothing was begun */
    public static void demand() {
        if (down(FRAMES) < FRAMES) {
            throw new IllegalStateException(
                    "The stack probe counted fewer frames than it made, which its arithmetic rules out.");
        }
    }

    /** The values depend on each other and are used after the call, so that a frame must have a place for each of them. */
    private static long down(int depth) {
        if (depth == 0) {
            return 0;
        }
        if (depth != USES_ITS_VALUES) {
            return down(depth - 1) + 1;
        }
        long a = depth * 3L, b = a ^ 5, c = b * 7, d = c ^ a, e = d * 11, f = e ^ b, g = f * 13, h = g ^ c;
        long i = h * 3L, j = i ^ 5, k = j * 7, l = k ^ d, m = l * 11, n = m ^ e, o = n * 13, p = o ^ f;
        long q = p * 3L, r = q ^ 5, s = r * 7, t = s ^ g, u = t * 11, v = u ^ h, w = v * 13, x = w ^ i;
        long below = down(depth - 1);
        long used = (a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h)
                ^ (i + 2 * j + 3 * k + 4 * l + 5 * m + 6 * n + 7 * o + 8 * p)
                ^ (q + 2 * r + 3 * s + 4 * t + 5 * u + 6 * v + 7 * w + 8 * x);
        return below + 1 + (used & 1);
    }
}
