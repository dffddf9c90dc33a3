package dev.semel.worker;

import dev.semel.Operation;
import dev.semel.Policy;
import dev.semel.Reconciler;
import dev.semel.Reconciler.Verdict;
import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.execution.CallPreparation;
import dev.semel.execution.InterruptedSteps;
import dev.semel.ledger.Transition;
import dev.semel.store.Ledger;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.Queue;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Store;
import dev.semel.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the registered reconcilers about records that are UNKNOWN. Reconcilers only look; the ledger decides. A verdict is written
 * only if the record is still UNKNOWN under the fence that was asked about, however late it comes.
 */
public final class Reconciliation implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Reconciliation.class);
    private static final int LIMIT = 100;
    private static final int ROUNDS = 20;

    private final Store store;
    private final Registry registry;
    private final ReconcilerCalls calls;
    private final CallPreparation preparation;
    private final VerdictMoves verdicts;
    private final OverdueWalk unknown;
    private final LockedRecordPauses pauses;

    public Reconciliation(
            Store store,
            Registry registry,
            ReconcilerCalls calls,
            CallPreparation preparation,
            VerdictMoves verdicts,
            TimeSource time) {
        this.store = store;
        this.registry = registry;
        this.calls = calls;
        this.preparation = preparation;
        this.verdicts = verdicts;
        this.unknown = new OverdueWalk(
                store.ledger(),
                State.UNKNOWN,
                (behind, limit) -> store.ledger()
                        .overdue(State.UNKNOWN, registry.leased(known -> known.reconciler() != null), behind, limit));
        this.pauses = new LockedRecordPauses(time);
    }

    /** A bounded round; the next one continues where it ended. */
    public void reconcile() {
        calls.interruptLate(this::postpone);
        goOnAfterAdoption();
        unknown.round(row -> {
            Registry.RegisteredOperation<?, ?> known =
                    registry.find(row.header().operation());
            if (known != null && !pauses.holds(row)) {
                calls.ask(row, inquiry -> reconcileOne(known, row, inquiry));
            }
        });
    }

    /** Ends the threads on which reconcilers run. */
    @Override
    public void close() {
        calls.close();
    }

    /** Its reconciler has taken too long: the record stays UNKNOWN, and others need not wait. */
    private void postpone(Row row) {
        LOG.warn(
                "Reconciler of {} timed out after {} s for record {}; it was interrupted, the record stays UNKNOWN. Retrying in {} s,"
                        + " once the call has returned.",
                row.header().operation(),
                calls.timeout().toSeconds(),
                row.id(),
                VerdictMoves.ASK_AGAIN.toSeconds());
        Registry.RegisteredOperation<?, ?> known = registry.find(row.header().operation());
        if (known != null) {
            askLater(policy(known), row);
        }
    }

    /** A record that is locked, or that anything else is wrong with, stops none behind it. */
    private void reconcileOne(Registry.RegisteredOperation<?, ?> known, Row row, ReconcilerCalls.Inquiry inquiry) {
        try {
            reconcile(known, row, inquiry);
        } catch (SemelException.Locked e) {
            LOG.info(
                    "{}/{} is locked by another transaction; its verdict was not written, its reconciler is asked again in {} s.",
                    row.header().operation(),
                    row.id().prefix(),
                    pauses.begin(row).toSeconds());
        } catch (SemelException.StoreUnavailable | SemelException.OutcomeUnknown e) {
            throw e;
        } catch (RuntimeException e) {
            LOG.warn(
                    "Could not store the verdict about {}/{}; its reconciler is asked again in {} s.",
                    row.header().operation(),
                    row.id().prefix(),
                    VerdictMoves.ASK_AGAIN.toSeconds(),
                    e);
            askLater(policy(known), row);
        }
    }

    private Ledger ledger() {
        return store.ledger();
    }

    /** An adoption knows no policies, so its UNKNOWN messages keep their places: where lanes continue, they leave them here. */
    private void goOnAfterAdoption() {
        Queue queue = store.queue().orElse(null);
        if (queue == null) {
            return;
        }
        registry.all(this::continues).forEach(operation -> leaveLanes(queue, operation));
    }

    /** Behind a head that has left, the next one of the same run may be UNKNOWN as well. Locked ones hide none behind them. */
    private void leaveLanes(Queue queue, String operation) {
        int locked = 0;
        boolean more = true;
        for (int round = 0; round < ROUNDS && more; round++) {
            int most = LIMIT + locked;
            List<Row> heads = queue.unknownHeads(operation, most);
            if (!heads.isEmpty()) {
                List<Moved> moved = ledger().move(
                                heads.stream().map(Reconciliation::leaving).toList());
                locked = (int)
                        moved.stream().filter(Moved.Locked.class::isInstance).count();
            }
            more = heads.size() == most || heads.size() > locked;
        }
    }

    private boolean continues(Registry.RegisteredOperation<?, ?> known) {
        return (known.atomic() != null || known.leased() != null)
                && policy(known).options().deadHead() == Policy.DeadHead.CONTINUE;
    }

    private Policy policy(Registry.RegisteredOperation<?, ?> known) {
        return preparation.policy(known.operation().definition());
    }

    private static Move leaving(Row head) {
        Move.Change now = Transition.due(Duration.ZERO, Duration.ZERO, -1, head.failure())
                .at(Transition.ASK_AGAIN.place(head.line(), Policy.DeadHead.CONTINUE));
        return Transition.ASK_AGAIN.of(head.id(), head.status().fence(), now, null);
    }

    private <P, R> void reconcile(Registry.RegisteredOperation<P, R> known, Row row, ReconcilerCalls.Inquiry inquiry) {
        Operation.Definition<P, R> definition = known.operation().definition();
        Policy policy = policy(known);
        InterruptedSteps steps = InterruptedSteps.of(ledger(), row.id());
        Move move;
        try {
            P payload = preparation.payload(definition, row);
            Reconciler<P, R> reconciler = Objects.requireNonNull(known.reconciler());
            Verdict<R> verdict = inquiry.call(() -> reconciler.reconcile(payload, caseOf(row, steps)));
            move = verdicts.move(verdicts.decided(verdict, steps), definition, policy, row);
        } catch (Exception | LinkageError | StackOverflowError | AssertionError e) {
            failed(policy, row, inquiry, e);
            return;
        }
        Moved moved = steps.writeWith(move).unlocked(row.id());
        pauses.end(row);
        if (moved instanceof Moved.Refused) {
            LOG.info(
                    "{}/{} changed while its reconciler was asked; the verdict was not applied.",
                    row.header().operation(),
                    row.id().prefix());
        }
    }

    private void failed(Policy policy, Row row, ReconcilerCalls.Inquiry inquiry, Throwable thrown) {
        if (inquiry.late()) {
            LOG.debug("Reconciler of {} ended after its time-out.", row.header().operation(), thrown);
            return;
        }
        LOG.warn(
                "Reconciler of {} failed for record {}; retrying in {} s.",
                row.header().operation(),
                row.id(),
                VerdictMoves.ASK_AGAIN.toSeconds(),
                thrown);
        askLater(policy, row);
    }

    private void askLater(Policy policy, Row row) {
        Moved moved = ledger().move(List.of(verdicts.later(policy, row))).get(0);
        if (moved instanceof Moved.Locked || moved instanceof Moved.NotStored) {
            LOG.info(
                    "{}/{} {}; its reconciler is asked again in {} s.",
                    row.header().operation(),
                    row.id().prefix(),
                    moved instanceof Moved.Locked ? "is locked by another transaction" : "could not be postponed",
                    pauses.begin(row).toSeconds());
        }
    }

    private static Reconciler.Case caseOf(Row row, InterruptedSteps steps) {
        return new Reconciler.Case(
                Tenant.of(row.header().tenant()),
                row.header().correlationId(),
                row.id().downstreamKey(),
                row.status().fence(),
                row.status().attempts(),
                steps.named());
    }
}
