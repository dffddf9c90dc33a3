package dev.semel.execution;

import dev.semel.LeasedHandler;
import dev.semel.store.Reserved;

/** What a leased run needs from its grant to its end: the handler's tools, those of the settlement, and the lease between them. */
record LeasedTools(StepTools steps, SettlementTools settling, LeaseKeeper keeper) {
    <P, R> LeasedRun<P, R> run(PreparedCall<P, R> prepared, LeasedHandler<P, R> handler) {
        return new LeasedRun<>(this, prepared, handler);
    }

    /** The lease is renewed from now on. */
    LeaseKeeper.Watched hold(PreparedCall<?, ?> prepared, Reserved.Granted granted) {
        if (granted.takenOver()) {
            settling.watch().takenOver(prepared);
        }
        return keeper.hold(prepared, granted.fence());
    }
}
