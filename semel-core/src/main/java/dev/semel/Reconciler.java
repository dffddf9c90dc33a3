package dev.semel;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Finds out whether an interrupted run took effect, by querying the outside world. Never acts itself. */
@FunctionalInterface
public interface Reconciler<P, R> {
    /**
     * @param payload of the call or message
     * @param what was interrupted
     * @throws Exception when it could not be found out: it is asked again later
     */
    Verdict<R> reconcile(P payload, Case what) throws Exception;

    /**
     * The run in question.
     *
     * @param downstreamKey what the handler was given as {@link LeasedContext#downstreamKey}; its steps hand over keys of their
     *     own
     * @param fence of the run that was interrupted
     * @param steps those that began and did not end; empty when the run was interrupted outside its steps
     */
    record Case(
            Tenant tenant,
            String correlationId,
            String downstreamKey,
            long fence,
            int attempt,
            List<InterruptedStep> steps) {
        public Case {
            steps = List.copyOf(steps);
        }

        /**
         * For a handler that touches the outside world only in its steps: decides about each interrupted step
         * separately. Once all of them are decided, the record may be run again. That run replays a step that took
         * effect and starts one again that did not.
         *
         * <p>A case without steps stays UNKNOWN: the ledger does not show how far the run came, and in a store that
         * was restored from a backup a performed step may be missing. Where that cannot happen, decide it yourself:
         * {@code what.steps().isEmpty() ? Verdict.noEffect() : what.bySteps(...)}.
         */
        public <R> Verdict<R> bySteps(StepReconciler reconciler) throws Exception {
            Map<String, Verdict<?>> verdicts = new LinkedHashMap<>();
            for (InterruptedStep step : steps) {
                verdicts.put(step.name(), reconciler.reconcile(step));
            }
            return new Verdict.BySteps<>(verdicts);
        }
    }

    /**
     * A step that was interrupted.
     *
     * @param downstreamKey what the step handed to the outside world
     * @param fence of the step
     */
    record InterruptedStep(String name, String downstreamKey, long fence, int attempt) {}

    /** Finds out whether an interrupted step took effect. */
    @FunctionalInterface
    interface StepReconciler {
        /** @throws Exception when it could not be found out: it is asked again later */
        Verdict<?> reconcile(InterruptedStep step) throws Exception;
    }

    /** The decision about an interrupted run. For a whole record, it also applies to its interrupted steps. */
    sealed interface Verdict<R> {
        /** It took effect; this is its result. A step is not run again: its result is replayed. */
        static <R> Verdict<R> tookEffect(@Nullable R result) {
            return new TookEffect<>(result);
        }

        /**
         * It did not take effect and never will: it may be run again. That a provider does not know the key is not enough: it
         * may still receive or perform the request. Answer {@link #stillUnknown} until it no longer can.
         */
        static <R> Verdict<R> noEffect() {
            return new NoEffect<>();
        }

        /** It did not take effect, never will, and must not be tried again: the record fails for good. */
        static <R> Verdict<R> failed(Failure failure) {
            return new Failed<>(failure);
        }

        /** Not known now: the reconciler is called again later, or a person decides. */
        static <R> Verdict<R> stillUnknown(String reason) {
            return new StillUnknown<>(reason);
        }

        /** @see #tookEffect */
        record TookEffect<R>(@Nullable R result) implements Verdict<R> {}

        /** @see #noEffect */
        record NoEffect<R>() implements Verdict<R> {}

        /** @see #failed */
        record Failed<R>(Failure failure) implements Verdict<R> {}

        /** @see #stillUnknown */
        record StillUnknown<R>(String reason) implements Verdict<R> {}

        /**
         * One verdict for each interrupted step, by its name; a step that is not named is still unknown. The record may be run
         * again once all its steps are decided, and fails for good if one of them did. A record without interrupted steps
         * stays UNKNOWN.
         *
         * @see Case#bySteps
         */
        record BySteps<R>(Map<String, Verdict<?>> verdicts) implements Verdict<R> {
            public BySteps {
                verdicts = Map.copyOf(verdicts);
                if (verdicts.values().stream().anyMatch(BySteps.class::isInstance)) {
                    throw new SemelException.Invalid(
                            "The verdict about a step is itself one by steps, and a step has none. Say of each step"
                                    + " whether it took effect.");
                }
            }
        }
    }
}
