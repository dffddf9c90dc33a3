package dev.semel.worker;

import org.jspecify.annotations.Nullable;

/**
 * Which threads are the engine's own: those that claim, run handlers, write results, take over and do duties. They are marked by a
 * thread-local value and not by their names, which anybody may use and virtual threads do not have. Thread-safe.
 */
public final class OwnThreads {
    private static final ThreadLocal<@Nullable Boolean> OWN = new ThreadLocal<>();

    private OwnThreads() {}

    /** Whether the calling thread was started by an engine, and so works for no caller of the application's. */
    public static boolean isCurrent() {
        return OWN.get() != null;
    }

    /** The work of a thread, or of a task on a thread, that an engine starts. */
    static Runnable working(Runnable work) {
        return () -> {
            OWN.set(true);
            try {
                work.run();
            } finally {
                OWN.remove();
            }
        };
    }
}
