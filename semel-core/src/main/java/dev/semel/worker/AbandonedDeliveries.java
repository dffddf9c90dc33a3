package dev.semel.worker;

import dev.semel.Failure;
import dev.semel.Operation;
import dev.semel.Policy;
import dev.semel.audit.EventType;
import dev.semel.audit.Events;
import dev.semel.execution.CallPreparation;
import dev.semel.execution.ClaimedDelivery;
import dev.semel.execution.DeathHandlers;
import dev.semel.execution.Failures;
import dev.semel.execution.GroupedLedger;
import dev.semel.execution.PendingDeath;
import dev.semel.ledger.Transition;
import dev.semel.policy.DecisionFields;
import dev.semel.policy.Judgement;
import dev.semel.policy.JudgementBasis;
import dev.semel.policy.RetryInput;
import dev.semel.store.AuditEntry;
import dev.semel.store.Line;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.watch.Watch;
import java.util.List;
import java.util.Map;

/** Claimed messages whose lease is over: each is left to be claimed again, parked as UNKNOWN, or dead. */
public final class AbandonedDeliveries {
    private final CallPreparation preparation;
    private final GroupedLedger ledger;
    private final Events events;
    private final Watch watch;
    private final DeathHandlers deaths;

    public AbandonedDeliveries(
            CallPreparation preparation, GroupedLedger ledger, Events events, Watch watch, DeathHandlers deaths) {
        this.preparation = preparation;
        this.ledger = ledger;
        this.events = events;
        this.watch = watch;
        this.deaths = deaths;
    }

    /** A message that may be repeated is claimed again by a worker; one that may not is parked, or dead if nothing of it took effect. */
    void sweep(Registry.RegisteredOperation<?, ?> known, Row row) {
        Policy policy = preparation.policy(known.operation().definition());
        boolean repeated = known.mayRepeat(policy)
                && row.status().attempt() < policy.retry().maxAttempts();
        if (!repeated && !(row.holdsLane() && row.line().turn() == Line.Turn.WAITING)) {
            PendingDeath death = PendingDeath.read(row.failure());
            Move move = death == null
                    ? abandoned(known, policy, row)
                    : dying(
                            row,
                            row.status().attempt(),
                            death.failed("the node that tried it last died or was cut off"));
            if (ledger.moveAll(List.of(move)).get(0) instanceof Moved.Applied) {
                tellWatch(move, row);
            }
        }
    }

    private void tellWatch(Move move, Row row) {
        if (move.to() == State.UNKNOWN) {
            watch.unknown(row.header().operation(), row.header().tenant());
        } else if (move.to() == State.FAILED_TERMINAL) {
            watch.died(row.header().operation(), row.header().tenant(), Failure.Category.LEASE_LOST);
        }
    }

    /**
     * Puts a record back as dying: a worker records its death together with its onDead handler.
     *
     * @param attempts counted without the last one, which is refunded as for all that is handed back
     */
    private static Move dying(Row row, int attempts, PendingDeath death) {
        // One whose onDead handler kills its node is tried less and less often.
        long pause = death.tries().failed() == 0 ? 0 : death.pause().toMillis();
        Move.Change back = new Move.Change(pause, 0, attempts, true, null, death.encode());
        return Transition.HAND_BACK.of(row.id(), row.status().fence(), back, null);
    }

    private Move abandoned(Registry.RegisteredOperation<?, ?> known, Policy policy, Row row) {
        boolean atomic = known.operation() instanceof Operation.Atomic;
        // What may not be repeated was not counted before it began: it is now, as it may have begun.
        int attempts = row.status().attempt() + (known.mayRepeat(policy) ? 0 : 1);
        Failure failure = Failure.of(
                Failure.Category.LEASE_LOST,
                "Its handler did not end within its lease: " + attempts + " of "
                        + policy.retry().maxAttempts() + " attempts.");
        Judgement judgement = new Judgement(failure, true, JudgementBasis.of(JudgementBasis.Source.LEASE));
        RetryInput spent = RetryInput.undecided(attempts, judgement);
        boolean dropped = atomic && !policy.options().deadLetters();
        if (atomic && !dropped && deaths.has(row.header().operation())) {
            PendingDeath death = PendingDeath.of(
                    failure, attempts, true, row.status().fence(), new DecisionFields(policy.retry(), spent).write());
            return dying(row, Math.max(0, attempts - 1), death);
        }
        Transition transition = dropped ? Transition.RELEASE : atomic ? Transition.FAIL : Transition.LOSE;
        long keep = atomic ? policy.retention().deadLetters().toMillis() : 0;
        Move.Change change = new Move.Change(keep, 0, attempts, true, null, Failures.encode(failure))
                .at(transition.place(row.line(), policy.options().deadHead()));
        Events.About about = Events.About.stored(row.id(), row.header(), policy.code());
        String recovery = dropped ? ClaimedDelivery.DROPPED : "replay or discard";
        Events.AttemptDetails tried = Events.AttemptDetails.of(policy, spent, null, failure, recovery);
        return transition.telling(row.id(), row.status().fence(), change, events(transition, about, tried));
    }

    private List<AuditEntry> events(Transition transition, Events.About about, Events.AttemptDetails tried) {
        if (transition == Transition.LOSE) {
            Map<String, String> why = Map.of(
                    "category",
                    tried.failure().category().code(),
                    "reason",
                    tried.failure().reason());
            AuditEntry event = events.outcome(EventType.OPERATION_UNKNOWN, about, why);
            return event == null ? List.of() : List.of(event);
        }
        return transition == Transition.RELEASE
                ? List.of(events.drop(about, tried, true))
                : events.death(about, tried, true);
    }
}
