package dev.semel.time;

/**
 * Puts a thread's interrupt aside while the thread does something that must come to its end, and sets it again afterwards.
 * Pools and drivers fail on interrupted threads, and on a virtual thread an interrupt closes the socket that it waits at.
 */
public final class Uninterrupted {
    /** So often a call is repeated that an interrupt made fail: somebody may interrupt without end. */
    private static final int REPEATS = 10;

    private Uninterrupted() {}

    /** A call that must not be interrupted. */
    @FunctionalInterface
    public interface UninterruptedCall<T, E extends Exception> {
        /** Runs with the interrupt of the thread put aside. */
        T run() throws E;
    }

    /** Runs the body once. An interrupt that comes meanwhile may still make it fail. */
    public static <T, E extends Exception> T once(UninterruptedCall<T, E> body) throws E {
        boolean interrupted = Thread.interrupted();
        try {
            return body.run();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Runs the body, and runs it again when it fails and the thread was interrupted meanwhile. */
    public static <T, E extends Exception> T repeating(UninterruptedCall<T, E> body) throws E {
        boolean interrupted = Thread.interrupted();
        try {
            for (int repeats = 0; ; repeats++) {
                try {
                    return body.run();
                } catch (Exception e) {
                    if (repeats == REPEATS || !Thread.interrupted()) {
                        throw e;
                    }
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
