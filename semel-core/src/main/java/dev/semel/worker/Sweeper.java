package dev.semel.worker;

import dev.semel.LeasedHandler;
import dev.semel.Operation;
import dev.semel.SemelException;
import dev.semel.execution.LeasedCalls;
import dev.semel.store.Ledger;
import dev.semel.store.OutsideGrant;
import dev.semel.store.Row;
import dev.semel.store.State;
import java.time.Duration;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds expired leases: a run that may be repeated is taken over by its registered handler, one that may not is parked as
 * UNKNOWN. A run of a caller outside is judged by its record alone, on every node; one that may be repeated is left to the caller who
 * asks next, and parked when nobody has asked for a day.
 */
public final class Sweeper {
    private static final Logger LOG = LoggerFactory.getLogger(Sweeper.class);

    /** How long a repeatable run waits for a caller outside who repeats it. */
    private static final Duration PATIENCE = Duration.ofDays(1);

    private final Registry registry;
    private final LeasedCalls runner;
    private final Executor takeovers;
    private final AbandonedDeliveries abandoned;
    private final OverdueWalk expired;
    private final OverdueWalk outside;
    private final WarnedOnce warned = new WarnedOnce();

    public Sweeper(
            Ledger ledger, Registry registry, LeasedCalls runner, Executor takeovers, AbandonedDeliveries abandoned) {
        this.registry = registry;
        this.runner = runner;
        this.takeovers = takeovers;
        this.abandoned = abandoned;
        this.expired = new OverdueWalk(
                ledger,
                State.IN_PROGRESS,
                (behind, limit) -> ledger.overdue(State.IN_PROGRESS, registry.all(known -> true), behind, limit));
        this.outside = new OverdueWalk(
                ledger,
                State.IN_PROGRESS,
                (behind, limit) -> ledger.overdueOutside(PATIENCE.toMillis(), behind, limit));
    }

    /** A bounded round; the next one continues where it ended. */
    public void sweep() {
        sweepKnown();
        outside.round(row -> continueOnFailure(row, () -> runner.park(row)));
    }

    private void sweepKnown() {
        expired.round(row -> {
            Registry.RegisteredOperation<?, ?> known =
                    registry.find(row.header().operation());
            if (known != null && OutsideGrant.of(row.status()) == null) {
                continueOnFailure(row, () -> {
                    if (row.line() == null) {
                        sweep(known, row);
                    } else {
                        abandoned.sweep(known, row);
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
