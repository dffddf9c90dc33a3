package dev.semel.execution;

import dev.semel.Answer;
import dev.semel.LeasedHandler;
import dev.semel.Mode;
import dev.semel.store.Reserved;
import org.jspecify.annotations.Nullable;

/** One record under its grants: holds the lease, invokes the handler, and has the outcome settled under the fence. */
final class LeasedRun<P, R> {
    private final LeasedTools tools;
    private final PreparedCall<P, R> prepared;
    private final LeasedInvocation<P, R> invocation;
    private final LeasedSettlement<P, R> settlement;

    LeasedRun(LeasedTools tools, PreparedCall<P, R> prepared, LeasedHandler<P, R> handler) {
        this.tools = tools;
        this.prepared = prepared;
        this.invocation = new LeasedInvocation<>(tools.steps(), prepared, handler, false);
        this.settlement = new LeasedSettlement<>(tools.settling(), prepared);
    }

    LeasedSettlement<P, R> settlement() {
        return settlement;
    }

    /** The answer, or nothing when the record is due for its next attempt now. */
    @Nullable
    Answer<R> runUnder(LeaseGrants.LeaseGrant.Given<P, R> given, InFlightCalls.Leader leader) {
        try (BreakerPass pass = given.pass()) {
            return runUnder(given, pass, leader);
        }
    }

    private @Nullable Answer<R> runUnder(
            LeaseGrants.LeaseGrant.Given<P, R> given, BreakerPass pass, InFlightCalls.Leader leader) {
        Reserved.Granted granted = given.granted();
        leader.becameVisible();
        if (given.mode() == Mode.SHADOW) {
            return settlement.shadowed(granted);
        }
        HandlerOutcome.Threw<R> threw;
        try (LeaseKeeper.Watched held = tools.hold(prepared, granted)) {
            HandlerOutcome<R> outcome = invocation.invoke(granted, held);
            if (outcome instanceof HandlerOutcome.Returned<R> returned) {
                pass.returned();
                return settlement.returned(granted, returned, leader);
            }
            threw = (HandlerOutcome.Threw<R>) outcome;
            pass.threw(prepared, threw);
        }
        return settlement.threw(granted, threw);
    }

    HandlerOutcome<R> invoke(Reserved.Granted granted, LeaseKeeper.Watched held) {
        return invocation.invoke(granted, held);
    }
}
