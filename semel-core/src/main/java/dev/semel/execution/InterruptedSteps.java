package dev.semel.execution;

import dev.semel.Reconciler;
import dev.semel.key.RecordId;
import dev.semel.ledger.Transition;
import dev.semel.store.Ledger;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The steps of a record that began and did not end, as they were seen. Each is settled or released under its own fence, so a
 * verdict about an interrupted step never touches a later run of it.
 */
public final class InterruptedSteps {
    private final Ledger ledger;
    private final List<Row> rows;
    private final List<Move> moves = new ArrayList<>();

    private InterruptedSteps(Ledger ledger, List<Row> rows) {
        this.ledger = ledger;
        this.rows = rows;
    }

    public static InterruptedSteps of(Ledger ledger, RecordId parent) {
        return new InterruptedSteps(
                ledger,
                ledger.steps(parent).stream()
                        .filter(step -> step.state() != State.COMPLETED)
                        .toList());
    }

    public List<Row> rows() {
        return rows;
    }

    /** For the reconciler: each with the key that it handed to the outside world. */
    public List<Reconciler.InterruptedStep> named() {
        return rows.stream()
                .map(row -> new Reconciler.InterruptedStep(
                        row.header().key(),
                        row.id().downstreamKey(),
                        row.status().fence(),
                        row.status().attempt()))
                .toList();
    }

    /** It took effect: the next run replays this result. */
    public void settle(Row step, byte @Nullable [] result) {
        Move.Change kept = Transition.result(Duration.ofMillis(Status.NEVER), result);
        moves.add(Transition.COMPLETE.of(step.id(), step.status().fence(), kept, null));
    }

    /** It had no effect: the next run starts it again. */
    public void release(Row step) {
        moves.add(Transition.RELEASE_STEP.of(step.id(), step.status().fence(), Move.Change.NONE, null));
    }

    public InterruptedSteps releaseAll() {
        rows.forEach(this::release);
        return this;
    }

    /**
     * Writes the decisions about the steps and the record in one commit. Otherwise a record could be left UNKNOWN
     * without the steps that tell what may have happened.
     *
     * @return applied or same when both are written; refused, and then neither is, when the record or a step has
     *     changed since it was seen; locked, and then neither is, when another transaction holds one of them
     */
    public Moved writeWith(Move parent) {
        if (moves.isEmpty()) {
            return ledger.move(List.of(parent)).get(0);
        }
        List<Move> all = new ArrayList<>(moves);
        all.add(parent);
        return ledger.moveTogether(all);
    }
}
