package dev.semel.execution;

import org.jspecify.annotations.Nullable;

/** How a handler ended: the one outcome type of every invocation, for all kinds of calls. */
sealed interface HandlerOutcome<R> {
    /** @param snapshot the result as it is stored */
    record Returned<R>(@Nullable R result, byte @Nullable [] snapshot) implements HandlerOutcome<R> {}

    /** @param stop why the handler was interrupted, or not started at all */
    record Threw<R>(Throwable thrown, LeaseKeeper.Stop stop) implements HandlerOutcome<R> {
        Threw(Throwable thrown) {
            this(thrown, LeaseKeeper.Stop.NONE);
        }
    }
}
