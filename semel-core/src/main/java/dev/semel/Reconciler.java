package dev.semel;

import org.jspecify.annotations.Nullable;

/** Finds out, by asking the outside world, whether an interrupted run took effect. Never acts itself. */
@FunctionalInterface
public interface Reconciler<P, R> {
    Verdict<R> reconcile(P payload, Case what) throws Exception;

    /**
     * The run in question.
     *
     * @param downstreamKey what the handler handed to the outside world
     * @param fence of the run that was interrupted
     */
    record Case(Tenant tenant, String correlationId, String downstreamKey, long fence, int attempt) {}

    /** What the reconciler found. */
    sealed interface Verdict<R> {
        /** It took effect; this is its result. */
        record TookEffect<R>(@Nullable R result) implements Verdict<R> {}

        /** It did not take effect and never will: it may be run again. */
        record NoEffect<R>() implements Verdict<R> {}

        /** Cannot be told now: ask again later, or ask a person. */
        record StillUnknown<R>(String reason) implements Verdict<R> {}
    }
}
