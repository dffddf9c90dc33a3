package dev.semel.worker;

import dev.semel.LeasedHandler;
import dev.semel.Operation;
import dev.semel.execution.LeasedRunner;
import dev.semel.store.Ledger;
import dev.semel.store.Row;
import dev.semel.store.State;
import java.util.Collection;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Finds leases that are over without waiting for a caller: a run that may be repeated is taken over by its registered
 * handler, one that may not is parked as UNKNOWN.
 */
public final class Sweeper {
    private static final int LIMIT = 100;

    private final Ledger ledger;
    private final Registry registry;
    private final LeasedRunner runner;
    private final Executor takeovers;

    public Sweeper(Ledger ledger, Registry registry, LeasedRunner runner, Executor takeovers) {
        this.ledger = ledger;
        this.registry = registry;
        this.runner = runner;
        this.takeovers = takeovers;
    }

    public void sweep() {
        Collection<String> operations = registry.leased(known -> true);
        if (operations.isEmpty()) {
            return;
        }
        for (Row row : ledger.overdue(State.IN_PROGRESS, operations, LIMIT)) {
            Registry.Known<?, ?> known = registry.find(row.header().operation());
            if (known != null) {
                sweep(known, row);
            }
        }
    }

    private <P, R> void sweep(Registry.Known<P, R> known, Row row) {
        Operation.Leased<P, R> operation = (Operation.Leased<P, R>) known.operation();
        if (!runner.mayRepeat(operation, row)) {
            runner.lose(operation, row);
            return;
        }
        @Nullable LeasedHandler<P, R> handler = known.leased();
        if (handler != null) {
            takeovers.execute(() -> runner.takeOver(operation, row, handler));
        }
    }
}
