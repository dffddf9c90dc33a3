package dev.semel.execution;

import dev.semel.LeasedHandler;
import dev.semel.Mode;
import org.jspecify.annotations.Nullable;

/** Runs claimed records of a leased operation: the handler first, its end afterwards and in a batch with others'. */
public final class LeasedDelivering {
    private final StepTools steps;

    public LeasedDelivering(StepTools steps) {
        this.steps = steps;
    }

    /** Runs the handler on this thread and returns the result to be written; null when the record was lost meanwhile. */
    public <P, R> @Nullable DeliveryResult run(ClaimedDelivery<P, R> delivery, LeasedHandler<P, R> handler) {
        delivery.begin();
        DeliveryResult ending = ending(delivery, handler);
        delivery.ran(ending);
        return ending;
    }

    private <P, R> @Nullable DeliveryResult ending(ClaimedDelivery<P, R> delivery, LeasedHandler<P, R> handler) {
        // Checked before any call of the store, which may be unavailable: a node that is cut off must hand back its
        // deliveries soon.
        LeaseKeeper.Stop kept = delivery.held().stopReason();
        if (kept != LeaseKeeper.Stop.NONE) {
            return kept == LeaseKeeper.Stop.LEASE_OVER ? delivery.handedBack() : null;
        }
        Mode mode = steps.modes().beforeStart(delivery.prepared());
        if (mode != Mode.LIVE) {
            return mode == Mode.SHADOW ? delivery.shadowed() : delivery.handedBack();
        }
        if (delivery.isLate()) {
            return delivery.late();
        }
        ClaimedDelivery.Start start = delivery.count();
        if (start != ClaimedDelivery.Start.NOW) {
            return start == ClaimedDelivery.Start.LOST ? null : delivery.handedBack();
        }
        LeasedInvocation<P, R> invocation =
                new LeasedInvocation<>(steps, delivery.prepared(), handler, delivery.isReplayed());
        HandlerOutcome<R> outcome = invocation.invoke(delivery.grant(), delivery.held());
        return outcome instanceof HandlerOutcome.Returned<R> returned
                ? delivery.done(returned.snapshot())
                : delivery.threw((HandlerOutcome.Threw<R>) outcome, false);
    }
}
