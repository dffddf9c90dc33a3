package dev.semel.worker;

import dev.semel.Failure;
import dev.semel.LeasedHandler;
import dev.semel.Operation;
import dev.semel.Policy;
import dev.semel.SemelException;
import dev.semel.audit.EventType;
import dev.semel.audit.Events;
import dev.semel.execution.ClaimedDelivery;
import dev.semel.execution.EngineServices;
import dev.semel.execution.Failures;
import dev.semel.execution.LeasedCalls;
import dev.semel.ledger.Transition;
import dev.semel.store.AuditEntry;
import dev.semel.store.Line;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.watch.Watch;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds expired leases: a run that may be repeated is taken over by its registered handler, one that may not is parked as
 * UNKNOWN.
 */
public final class Sweeper {
    private static final Logger LOG = LoggerFactory.getLogger(Sweeper.class);

    private final EngineServices services;
    private final Registry registry;
    private final LeasedCalls runner;
    private final Executor takeovers;
    private final OverdueWalk expired;
    private final WarnedOnce warned = new WarnedOnce();

    public Sweeper(EngineServices services, Registry registry, LeasedCalls runner, Executor takeovers) {
        this.services = services;
        this.registry = registry;
        this.runner = runner;
        this.takeovers = takeovers;
        this.expired = new OverdueWalk(services.store().ledger(), State.IN_PROGRESS);
    }

    /** A bounded round; the next one continues where it ended. */
    public void sweep() {
        expired.round(registry.all(known -> true), row -> {
            Registry.RegisteredOperation<?, ?> known =
                    registry.find(row.header().operation());
            if (known != null) {
                continueOnFailure(row, () -> {
                    if (row.line() == null) {
                        sweep(known, row);
                    } else {
                        sweepClaimed(known, row);
                    }
                });
            }
        });
    }

    /** A record that is locked, whose payload cannot be read, or that anything else is wrong with, stops none behind it. */
    private void continueOnFailure(Row row, Runnable work) {
        try {
            work.run();
        } catch (SemelException.Locked e) {
            LOG.debug(
                    "{} is locked by another transaction; retrying with the next sweep.",
                    row.id().prefix());
        } catch (SemelException.StoreUnavailable | SemelException.OutcomeUnknown e) {
            throw e;
        } catch (RuntimeException | LinkageError | StackOverflowError e) {
            if (warned.add(row)) {
                LOG.warn(
                        "Sweeping {}/{} failed; continuing with the next expired lease, retrying this one with each sweep.",
                        row.header().operation(),
                        row.id().prefix(),
                        e);
            }
        }
    }

    /** A message that may be repeated is claimed again by a worker; one that may not is parked, or dead if nothing of it took effect. */
    private void sweepClaimed(Registry.RegisteredOperation<?, ?> known, Row row) {
        Policy policy =
                services.tools().catalogue().get(known.operation().definition().policy());
        boolean repeated = known.mayRepeat(policy)
                && row.status().attempt() < policy.retry().maxAttempts();
        if (!repeated && !(row.holdsLane() && row.line().turn() == Line.Turn.WAITING)) {
            Move move = abandoned(known, policy, row);
            if (services.ledger().moveAll(List.of(move)).get(0) instanceof Moved.Applied) {
                tellWatch(move, row);
            }
        }
    }

    private void tellWatch(Move move, Row row) {
        Watch watch = services.tools().watch();
        if (move.to() == State.UNKNOWN) {
            watch.unknown(row.header().operation(), row.header().tenant());
        } else if (move.to() == State.FAILED_TERMINAL) {
            watch.died(row.header().operation(), row.header().tenant(), Failure.Category.LEASE_LOST);
        }
    }

    private Move abandoned(Registry.RegisteredOperation<?, ?> known, Policy policy, Row row) {
        boolean atomic = known.operation() instanceof Operation.Atomic;
        // What may not be repeated was not counted before it began: it is now, as it may have begun.
        int attempts = row.status().attempt() + (known.mayRepeat(policy) ? 0 : 1);
        Failure failure = Failure.of(
                Failure.Category.LEASE_LOST,
                "Its handler did not end within its lease: " + attempts + " of "
                        + policy.retry().maxAttempts() + " attempts.");
        boolean dropped = atomic && !policy.options().deadLetters();
        Transition transition = dropped ? Transition.RELEASE : atomic ? Transition.FAIL : Transition.LOSE;
        long keep = atomic ? policy.retention().deadLetters().toMillis() : 0;
        Move.Change change = new Move.Change(keep, 0, attempts, true, null, Failures.encode(failure))
                .at(transition.place(row.line(), policy.options().deadHead()));
        Events.About about = Events.About.stored(row.id(), row.header(), policy.code());
        String recovery = dropped ? ClaimedDelivery.DROPPED : "replay or discard";
        Events.AttemptDetails tried =
                new Events.AttemptDetails(attempts, policy.retry().maxAttempts(), null, failure, recovery);
        return transition.telling(row.id(), row.status().fence(), change, events(transition, about, tried));
    }

    private List<AuditEntry> events(Transition transition, Events.About about, Events.AttemptDetails tried) {
        Events events = services.audits().events();
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

    private <P, R> void sweep(Registry.RegisteredOperation<P, R> known, Row row) {
        if (!(known.operation() instanceof Operation.Leased<P, R> operation)) {
            return;
        }
        if (!runner.mayRepeat(operation, row)) {
            runner.park(operation, row);
            return;
        }
        @Nullable LeasedHandler<P, R> handler = known.leased();
        if (handler != null) {
            takeovers.execute(() -> continueOnFailure(row, () -> runner.takeOver(operation, row, handler)));
        }
    }
}
