package dev.semel.execution;

import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.Operation;
import dev.semel.SemelException;
import dev.semel.execution.ExternalRuns.RunHandle;
import dev.semel.key.RecordId;
import dev.semel.ledger.Transition;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.Reserved;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Status;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The steps of {@link ExternalRuns}: each has a record and a downstream key of its own. A step that is finished is not run again by a
 * later run. All state is in the ledger. Thread-safe.
 */
public final class ExternalSteps {
    private final EngineServices services;
    private final ExternalRuns runs;

    ExternalSteps(EngineServices services, ExternalRuns runs) {
        this.services = services;
        this.runs = runs;
    }

    /**
     * How a step is asked for.
     *
     * @param repeatable whether it may be run again if an earlier run was interrupted in it
     * @param beginId as {@link ExternalRuns.BeginTerms#beginId}
     */
    public record StepTerms(boolean repeatable, @Nullable String beginId) {}

    /** How a step began. */
    public sealed interface StepBegin<T> {
        /** The caller is to run it. */
        record StepGranted<T>(long fence, String downstreamKey) implements StepBegin<T> {}

        /** An earlier run finished it with this result. */
        record StepReplayed<T>(@Nullable T result) implements StepBegin<T> {}

        /** An earlier run was interrupted in it, and it may not be repeated: the run is UNKNOWN now. */
        record StepUnknown<T>() implements StepBegin<T> {}

        /** The run is not held under its fence. */
        record RunNotHeld<T>() implements StepBegin<T> {}

        /** The operation is switched off, or in SHADOW. The run is still held. */
        record StepForbidden<T>(boolean shadow) implements StepBegin<T> {}
    }

    /**
     * Grants a step of a run that is held, or returns its result.
     *
     * @throws SemelException.StoreUnavailable when the ledger cannot be reached, or does not say whether the operation is switched off
     */
    public <P, R, T> StepBegin<T> begin(
            Operation.Leased<P, R> operation, RunHandle run, String step, Operation.TypeRef<T> type, StepTerms terms) {
        SemelException.Invalid.unlessText("step name", step, Key.MAX_LENGTH);
        Row row = runs.find(operation, run);
        if (row == null || row.state() != State.IN_PROGRESS) {
            return new StepBegin.RunNotHeld<>();
        }
        PreparedCall<P, R> prepared = services.preparation().unread(operation, row);
        Reserved.Granted granted = ExternalRuns.granted(row, run);
        Steps steps = new Steps(services.steps(), prepared, granted, false);
        RecordId id = run.record().step(step);
        Reserved reserved;
        try {
            reserved = steps.begin(id, step, terms.repeatable, ExternalRuns.owner(run.tenant(), terms.beginId));
        } catch (Steps.RunShadowed e) {
            return new StepBegin.StepForbidden<>(true);
        } catch (Steps.RunHalted e) {
            if (!e.isKnown()) {
                throw new SemelException.StoreUnavailable(String.valueOf(e.getMessage()), e);
            }
            return new StepBegin.StepForbidden<>(false);
        }
        if (reserved instanceof Reserved.Granted own) {
            return new StepBegin.StepGranted<>(own.fence(), id.downstreamKey());
        }
        if (reserved instanceof Reserved.Existing existing) {
            if (existing.row().state() == State.COMPLETED) {
                return new StepBegin.StepReplayed<>(
                        services.tools().codec().decode(existing.row().result(), type));
            }
            new LeasedSettlement<>(services.settling(), prepared)
                    .threw(granted, new HandlerOutcome.Threw<>(steps.interrupted(step)));
            return new StepBegin.StepUnknown<>();
        }
        if (reserved instanceof Reserved.Locked) {
            throw new SemelException.Locked(prepared.name()
                    + ": the step or its record is locked by another transaction that has not ended; the step was not"
                    + " started.");
        }
        return new StepBegin.RunNotHeld<>();
    }

    /**
     * Records the result of a step. May be repeated; the first result stands.
     *
     * @param stepFence of the step's grant
     * @return whether the run and its step are held
     * @throws SemelException.Invalid when the result cannot be encoded, is too large or is refused by the store
     */
    public <T> boolean finish(
            Operation.Leased<?, ?> operation,
            RunHandle run,
            String step,
            long stepFence,
            Operation.TypeRef<T> type,
            @Nullable T result) {
        byte[] snapshot = services.tools().codec().encode(result, type);
        if (runs.find(operation, run) == null) {
            return false;
        }
        Move.Change kept = Transition.result(Duration.ofMillis(Status.NEVER), snapshot);
        return move(Transition.COMPLETE.of(run.record().step(step), stepFence, kept, null));
    }

    /**
     * A step failed. It is released, so that the next run starts it again; unless it may have taken effect and may not be repeated:
     * then it stays interrupted, and the next run that comes to it is UNKNOWN.
     *
     * @param repeatable whether it may be run again in any case
     * @return whether the run and its step are held
     */
    public boolean fail(
            Operation.Leased<?, ?> operation,
            RunHandle run,
            String step,
            long stepFence,
            Failure failure,
            boolean repeatable) {
        if (runs.find(operation, run) == null) {
            return false;
        }
        if (failure.category().indeterminate() && !repeatable) {
            return true;
        }
        return move(Transition.RELEASE.of(run.record().step(step), stepFence, Move.Change.NONE, null));
    }

    private boolean move(Move move) {
        return !(services.ledger().move(move) instanceof Moved.Refused);
    }
}
