package dev.semel.worker;

import dev.semel.Call.Origin;
import dev.semel.Operation;
import dev.semel.Policy;
import dev.semel.Reconciler;
import dev.semel.Reconciler.Verdict;
import dev.semel.Tenant;
import dev.semel.audit.EventType;
import dev.semel.audit.Events;
import dev.semel.execution.Environment;
import dev.semel.ledger.Transition;
import dev.semel.store.AuditEntry;
import dev.semel.store.Ledger;
import dev.semel.store.Move;
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
    private static final Duration ASK_AGAIN = Duration.ofMinutes(1);

    private final Environment environment;
    private final Registry registry;

    public Reconciliation(Environment environment, Registry registry) {
        this.environment = environment;
        this.registry = registry;
    }

    public void reconcile() {
        Collection<String> operations = registry.leased(known -> known.reconciler() != null);
        if (operations.isEmpty()) {
            return;
        }
        Ledger ledger = environment.store().ledger();
        for (Row row : ledger.overdue(State.UNKNOWN, operations, LIMIT)) {
            Registry.Known<?, ?> known = registry.find(row.header().operation());
            if (known != null) {
                ledger.move(List.of(decide(known, row)));
            }
        }
    }

    private <P, R> Move decide(Registry.Known<P, R> known, Row row) {
        Operation.Definition<P, R> definition = known.operation().definition();
        Policy policy = environment.tools().catalogue().get(definition.policy());
        Verdict<R> verdict;
        try {
            P payload = environment.tools().codec().decode(row.payload(), definition.payload());
            verdict = Objects.requireNonNull(known.reconciler())
                    .reconcile(
                            payload,
                            new Reconciler.Case(
                                    Tenant.of(row.header().tenant()),
                                    row.header().correlationId(),
                                    row.id().downstreamKey(),
                                    row.status().fence(),
                                    row.status().attempt()));
        } catch (Exception e) {
            LOG.warn("Reconciler of {} failed for record {}; it is asked again.", definition.name(), row.id(), e);
            verdict = new Verdict.StillUnknown<>("the reconciler failed");
        }
        return move(verdict, definition, policy, row);
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
        Move.Change later = Transition.due(ASK_AGAIN, Duration.ZERO, -1, row.failure());
        return Transition.ASK_AGAIN.of(row.id(), fence, later, null);
    }

    private static Move.@Nullable Place place(Transition transition, Policy policy, Row row) {
        return transition.place(row.line(), policy.options().deadHead());
    }

    private AuditEntry event(Row row, Policy policy, String verdict) {
        Events.About about = Events.About.record(row.id(), row.header(), Origin.UNSTATED, policy.code());
        return environment
                .audits()
                .events()
                .event(EventType.OPERATION_RECONCILED, about, Map.of("recovery_action", verdict));
    }
}
