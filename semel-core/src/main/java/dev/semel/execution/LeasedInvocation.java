package dev.semel.execution;

import dev.semel.LeasedHandler;
import dev.semel.store.Reserved;
import org.jspecify.annotations.Nullable;

/** Invokes a leased handler under its grant. */
final class LeasedInvocation<P, R> {
    private final StepTools tools;
    private final PreparedCall<P, R> prepared;
    private final LeasedHandler<P, R> handler;
    private final boolean replayed;

    /** @param replayed whether an operator replayed the record */
    LeasedInvocation(StepTools tools, PreparedCall<P, R> prepared, LeasedHandler<P, R> handler, boolean replayed) {
        this.tools = tools;
        this.prepared = prepared;
        this.handler = handler;
        this.replayed = replayed;
    }

    /** Runs the handler, unless the record was lost or switched off while it waited for its turn. */
    HandlerOutcome<R> invoke(Reserved.Granted granted, LeaseKeeper.Watched held) {
        Steps steps = new Steps(tools, prepared, granted, replayed);
        try {
            steps.demandStart();
        } catch (Steps.RunHalted | Steps.RunShadowed forbidden) {
            return new HandlerOutcome.Threw<>(forbidden);
        }
        LeaseKeeper.Stop stop = held.begin(prepared.policy().limits().attemptTimeout());
        if (stop != LeaseKeeper.Stop.NONE) {
            return new HandlerOutcome.Threw<>(steps.lost(), stop);
        }
        prepared.span().under(granted.fence());
        prepared.notes().clear();
        R result;
        try {
            prepared.span().enter(granted.attempt());
            result = steps.key().during(() -> handler.run(prepared.call().payload(), steps));
            if (steps.broken() != null) {
                throw steps.broken();
            }
        } catch (Throwable thrown) {
            // Whatever the handler makes of it: that step has acted.
            Throwable why = steps.broken() instanceof ResultNotKept acted ? acted : thrown;
            return new HandlerOutcome.Threw<>(why, held.handlerEnded());
        } finally {
            prepared.span().leave();
        }
        return returned(result, held.handlerEnded());
    }

    /** The handler has acted: from here on no error means that it did not. */
    private HandlerOutcome<R> returned(@Nullable R result, LeaseKeeper.Stop stop) {
        try {
            byte[] snapshot = tools.codec()
                    .encode(result, prepared.operation().definition().result());
            return new HandlerOutcome.Returned<>(result, snapshot);
        } catch (Throwable why) {
            return new HandlerOutcome.Threw<>(ResultNotKept.of(prepared, why), stop);
        }
    }
}
