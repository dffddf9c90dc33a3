package dev.semel.worker;

import dev.semel.Failure;
import dev.semel.Operation;
import dev.semel.Policy;
import dev.semel.Reconciler.Verdict;
import dev.semel.audit.EventType;
import dev.semel.audit.Events;
import dev.semel.execution.DeathHandlers;
import dev.semel.execution.Failures;
import dev.semel.execution.InterruptedSteps;
import dev.semel.execution.PendingDeath;
import dev.semel.key.ValueCodec;
import dev.semel.ledger.Transition;
import dev.semel.policy.DecisionFields;
import dev.semel.policy.Judgement;
import dev.semel.policy.JudgementBasis;
import dev.semel.policy.RetryInput;
import dev.semel.store.AuditEntry;
import dev.semel.store.Ledger;
import dev.semel.store.Move;
import dev.semel.store.RecordFilter;
import dev.semel.store.Row;
import dev.semel.store.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Turns a reconciler's verdict into moves of the record and its interrupted steps. Writes nothing. */
public final class VerdictMoves {
    /** Until a reconciler that cannot tell is asked again. */
    static final Duration ASK_AGAIN = Duration.ofMinutes(1);

    private final Ledger ledger;
    private final ValueCodec codec;
    private final Events events;
    private final DeathHandlers deaths;

    public VerdictMoves(Ledger ledger, ValueCodec codec, Events events, DeathHandlers deaths) {
        this.ledger = ledger;
        this.codec = codec;
        this.events = events;
        this.deaths = deaths;
    }

    /** The verdict about the record, once what it says about its steps is taken down. */
    <R> Verdict<R> decided(Verdict<R> verdict, InterruptedSteps steps) {
        if (verdict instanceof Verdict.BySteps<R> each) {
            return decidedByStep(each, steps);
        }
        if (verdict instanceof Verdict.TookEffect) {
            steps.rows().forEach(step -> steps.settle(step, null));
        } else if (!(verdict instanceof Verdict.StillUnknown)) {
            steps.releaseAll();
        }
        return Objects.requireNonNull(verdict, "the reconciler gave no verdict");
    }

    private <R> Verdict<R> decidedByStep(Verdict.BySteps<R> each, InterruptedSteps steps) {
        Verdict<R> whole = steps.rows().isEmpty()
                ? Verdict.stillUnknown("no interrupted step is stored that could be decided")
                : Verdict.noEffect();
        boolean decided = steps.rows().stream()
                .allMatch(step -> isDecided(each.verdicts().get(step.header().key())));
        for (Row step : steps.rows()) {
            Verdict<?> verdict = each.verdicts().get(step.header().key());
            if (verdict instanceof Verdict.TookEffect<?> done) {
                steps.settle(step, encode(done.result()));
            } else if (verdict instanceof Verdict.NoEffect) {
                steps.release(step);
            } else if (verdict instanceof Verdict.Failed<?> failed) {
                // Once it is released nobody knows of its failure: it goes with the record, or is asked about again.
                if (decided) {
                    steps.release(step);
                    whole = Verdict.failed(failed.failure());
                }
            } else {
                whole = Verdict.stillUnknown("step " + step.header().key() + " is not decided");
            }
        }
        return whole;
    }

    private static boolean isDecided(@Nullable Verdict<?> verdict) {
        return verdict != null && !(verdict instanceof Verdict.StillUnknown);
    }

    private byte @Nullable [] encode(@Nullable Object result) {
        return result == null ? null : codec.encode(result, result.getClass());
    }

    /** The move of the record. */
    <R> Move move(Verdict<R> verdict, Operation.Definition<?, R> definition, Policy policy, Row row) {
        long fence = row.status().fence();
        if (verdict instanceof Verdict.TookEffect<R> done) {
            byte[] result = codec.encode(done.result(), definition.result());
            Move.Change kept = Transition.result(policy.retention().success(), result)
                    .at(place(Transition.RECONCILE_DONE, policy, row));
            return Transition.RECONCILE_DONE.of(row.id(), fence, kept, event(row, policy, "took_effect"));
        }
        if (verdict instanceof Verdict.NoEffect) {
            // A message is delivered again by a worker, however long that takes; a call by its next caller, or never.
            Duration keep = row.line() == null ? policy.retention().failure() : Duration.ZERO;
            byte[] failure = row.line() == null ? row.failure() : Failures.decided(row.failure());
            Move.Change due =
                    Transition.due(Duration.ZERO, keep, 0, failure).at(place(Transition.RECONCILE_RETRY, policy, row));
            return Transition.RECONCILE_RETRY.of(row.id(), fence, due, event(row, policy, "no_effect"));
        }
        if (verdict instanceof Verdict.Failed<R> failed) {
            boolean deadLetter = row.line() != null && policy.options().deadLetters();
            if (deadLetter && deaths.has(row.header().operation())) {
                return dying(policy, row, failed.failure());
            }
            Duration keep = deadLetter
                    ? policy.retention().deadLetters()
                    : policy.retention().failure();
            Move.Change kept = Transition.failure(keep, Failures.encode(failed.failure()))
                    .at(place(Transition.RECONCILE_FAIL, policy, row));
            return Transition.RECONCILE_FAIL.telling(row.id(), fence, kept, failed(row, policy, failed.failure()));
        }
        return later(policy, row);
    }

    /** It is put back as dying: its onDead handler runs with its dead letter, when it is claimed. */
    private Move dying(Policy policy, Row row, Failure failure) {
        PendingDeath death = PendingDeath.of(
                failure, row.status().attempt(), false, row.status().fence(), inputs(policy, row, failure));
        Move.Change due = Transition.due(Duration.ZERO, Duration.ZERO, -1, death.encode())
                .at(place(Transition.RECONCILE_DYING, policy, row));
        return Transition.RECONCILE_DYING.of(row.id(), row.status().fence(), due, event(row, policy, "failed"));
    }

    /** It keeps how long it will have been UNKNOWN then, since the time of the next question says nothing about that. */
    Move later(Policy policy, Row row) {
        long now = ledger.tally(State.UNKNOWN, RecordFilter.ALL, 1).now();
        long since = row.status().at() - row.status().keepMillis();
        Duration age = Duration.ofMillis(Math.max(0, now - since)).plus(ASK_AGAIN);
        Move.Change later =
                Transition.due(ASK_AGAIN, age, -1, row.failure()).at(place(Transition.ASK_AGAIN, policy, row));
        return Transition.ASK_AGAIN.of(row.id(), row.status().fence(), later, null);
    }

    private static Move.@Nullable Place place(Transition transition, Policy policy, Row row) {
        return transition.place(row.line(), policy.options().deadHead());
    }

    private static Map<String, Object> inputs(Policy policy, Row row, Failure failure) {
        Judgement judgement = new Judgement(failure, false, JudgementBasis.of(JudgementBasis.Source.RECONCILER));
        RetryInput input = RetryInput.undecided(row.status().attempt(), judgement);
        return new DecisionFields(policy.retry(), input).write();
    }

    /** A message that fails for good is a dead letter. */
    private List<AuditEntry> failed(Row row, Policy policy, Failure failure) {
        List<AuditEntry> entries = new ArrayList<>(List.of(event(row, policy, "failed")));
        if (row.line() != null) {
            Events.About about = Events.About.stored(row.id(), row.header(), policy.code());
            int most = policy.retry().maxAttempts();
            entries.addAll(events.death(
                    about,
                    new Events.AttemptDetails(
                            row.status().attempt(),
                            most,
                            null,
                            failure,
                            "replay or discard",
                            inputs(policy, row, failure)),
                    false));
        }
        return entries;
    }

    private AuditEntry event(Row row, Policy policy, String verdict) {
        Events.About about = Events.About.stored(row.id(), row.header(), policy.code());
        return events.event(EventType.OPERATION_RECONCILED, about, Map.of("recovery_action", verdict));
    }
}
