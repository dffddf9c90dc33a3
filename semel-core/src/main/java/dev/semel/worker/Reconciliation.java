package dev.semel.worker;

import dev.semel.Operation;
import dev.semel.Policy;
import dev.semel.Reconciler;
import dev.semel.Reconciler.Verdict;
import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.audit.EventType;
import dev.semel.audit.Events;
import dev.semel.execution.Environment;
import dev.semel.execution.Failures;
import dev.semel.execution.InterruptedSteps;
import dev.semel.ledger.Transition;
import dev.semel.store.AuditEntry;
import dev.semel.store.Ledger;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.Queue;
import dev.semel.store.RecordFilter;
import dev.semel.store.Row;
import dev.semel.store.State;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks the registered reconcilers about records that are UNKNOWN. Reconcilers only look; the ledger decides. */
public final class Reconciliation {
    private static final Logger LOG = LoggerFactory.getLogger(Reconciliation.class);
    private static final int LIMIT = 100;
    private static final int ROUNDS = 20;
    private static final Duration ASK_AGAIN = Duration.ofMinutes(1);

    private final Environment environment;
    private final Registry registry;

    public Reconciliation(Environment environment, Registry registry) {
        this.environment = environment;
        this.registry = registry;
    }

    public void reconcile() {
        goOnAfterAdoption();
        Collection<String> operations = registry.leased(known -> known.reconciler() != null);
        if (operations.isEmpty()) {
            return;
        }
        for (Row row : ledger().overdue(State.UNKNOWN, operations, LIMIT)) {
            Registry.Known<?, ?> known = registry.find(row.header().operation());
            if (known != null) {
                reconcileOne(known, row);
            }
        }
    }

    /** A record that is locked, or that anything else is wrong with, stops none behind it. */
    private void reconcileOne(Registry.Known<?, ?> known, Row row) {
        try {
            reconcile(known, row);
        } catch (SemelException.Locked e) {
            LOG.info(
                    "{} is locked by another transaction; its reconciler is asked again.",
                    row.id().prefix());
        } catch (SemelException.StoreUnavailable | SemelException.OutcomeUnknown e) {
            throw e;
        } catch (RuntimeException e) {
            LOG.warn(
                    "Reconciling {}/{} failed; continuing with the next record.",
                    row.header().operation(),
                    row.id().prefix(),
                    e);
        }
    }

    private Ledger ledger() {
        return environment.store().ledger();
    }

    /** An adoption knows no policies, so its UNKNOWN messages keep their places: where lanes continue, they leave them here. */
    private void goOnAfterAdoption() {
        Queue queue = environment.store().queue().orElse(null);
        if (queue == null) {
            return;
        }
        for (String operation : registry.all(this::continues)) {
            List<Row> heads = queue.unknownHeads(operation, LIMIT);
            for (int round = 0; round < ROUNDS && !heads.isEmpty(); round++) {
                ledger().move(heads.stream().map(Reconciliation::leaving).toList());
                // Behind a head that has left, the next one of the same run may be UNKNOWN as well.
                heads = queue.unknownHeads(operation, LIMIT);
            }
        }
    }

    private boolean continues(Registry.Known<?, ?> known) {
        return (known.atomic() != null || known.leased() != null)
                && policy(known).options().deadHead() == Policy.DeadHead.CONTINUE;
    }

    private Policy policy(Registry.Known<?, ?> known) {
        return environment
                .tools()
                .catalogue()
                .get(known.operation().definition().policy());
    }

    private static Move leaving(Row head) {
        Move.Change now = Transition.due(Duration.ZERO, Duration.ZERO, -1, head.failure())
                .at(Transition.ASK_AGAIN.place(head.line(), Policy.DeadHead.CONTINUE));
        return Transition.ASK_AGAIN.of(head.id(), head.status().fence(), now, null);
    }

    private <P, R> void reconcile(Registry.Known<P, R> known, Row row) {
        Operation.Definition<P, R> definition = known.operation().definition();
        Policy policy = policy(known);
        InterruptedSteps steps = InterruptedSteps.of(ledger(), row.id());
        Move move;
        try {
            P payload = environment.tools().codec().decode(row.payload(), definition.payload());
            Verdict<R> verdict = Objects.requireNonNull(known.reconciler()).reconcile(payload, asked(row, steps));
            move = move(decided(verdict, steps), definition, policy, row);
        } catch (Exception e) {
            LOG.warn(
                    "Reconciler of {} failed for record {}; retrying in {} s.",
                    definition.name(),
                    row.id(),
                    ASK_AGAIN.toSeconds(),
                    e);
            ledger().move(List.of(later(policy, row)));
            return;
        }
        if (steps.writeWith(move).unlocked(row.id()) instanceof Moved.Refused) {
            LOG.debug(
                    "{} changed while its reconciler was asked; its verdict is not applied.",
                    row.id().prefix());
        }
    }

    private static Reconciler.Case asked(Row row, InterruptedSteps steps) {
        return new Reconciler.Case(
                Tenant.of(row.header().tenant()),
                row.header().correlationId(),
                row.id().downstreamKey(),
                row.status().fence(),
                row.status().attempt(),
                steps.named());
    }

    /** The verdict about the record, once what it says about its steps is taken down. */
    private <R> Verdict<R> decided(Verdict<R> verdict, InterruptedSteps steps) {
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
        return result == null ? null : environment.tools().codec().encode(result, result.getClass());
    }

    private <R> Move move(Verdict<R> verdict, Operation.Definition<?, R> definition, Policy policy, Row row) {
        long fence = row.status().fence();
        if (verdict instanceof Verdict.TookEffect<R> done) {
            byte[] result = environment.tools().codec().encode(done.result(), definition.result());
            Move.Change kept = Transition.result(policy.retention().success(), result)
                    .at(place(Transition.RECONCILE_DONE, policy, row));
            return Transition.RECONCILE_DONE.of(row.id(), fence, kept, event(row, policy, "took_effect"));
        }
        if (verdict instanceof Verdict.NoEffect) {
            // A message is delivered again by a worker, however long that takes; a call by its next caller, or never.
            Duration keep = row.line() == null ? policy.retention().failure() : Duration.ZERO;
            Move.Change due = Transition.due(Duration.ZERO, keep, 0, row.failure())
                    .at(place(Transition.RECONCILE_RETRY, policy, row));
            return Transition.RECONCILE_RETRY.of(row.id(), fence, due, event(row, policy, "no_effect"));
        }
        if (verdict instanceof Verdict.Failed<R> failed) {
            Duration keep = row.line() == null
                    ? policy.retention().failure()
                    : policy.retention().deadLetters();
            Move.Change kept = Transition.failure(keep, Failures.encode(failed.failure()))
                    .at(place(Transition.RECONCILE_FAIL, policy, row));
            return Transition.RECONCILE_FAIL.of(row.id(), fence, kept, event(row, policy, "failed"));
        }
        return later(policy, row);
    }

    /** It keeps how long it will have been UNKNOWN then, since the time of the next question says nothing about that. */
    private Move later(Policy policy, Row row) {
        long now = ledger().tally(State.UNKNOWN, RecordFilter.ALL, 1).now();
        long since = row.status().at() - row.status().keepMillis();
        Duration age = Duration.ofMillis(Math.max(0, now - since)).plus(ASK_AGAIN);
        Move.Change later =
                Transition.due(ASK_AGAIN, age, -1, row.failure()).at(place(Transition.ASK_AGAIN, policy, row));
        return Transition.ASK_AGAIN.of(row.id(), row.status().fence(), later, null);
    }

    private static Move.@Nullable Place place(Transition transition, Policy policy, Row row) {
        return transition.place(row.line(), policy.options().deadHead());
    }

    private AuditEntry event(Row row, Policy policy, String verdict) {
        Events.About about = Events.About.stored(row.id(), row.header(), policy.code());
        return environment
                .audits()
                .events()
                .event(EventType.OPERATION_RECONCILED, about, Map.of("recovery_action", verdict));
    }
}
