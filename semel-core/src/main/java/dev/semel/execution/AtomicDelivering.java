package dev.semel.execution;

import dev.semel.AtomicHandler;
import dev.semel.Mode;
import dev.semel.SemelException;
import dev.semel.store.CommitRefused;
import dev.semel.store.Moved;
import dev.semel.store.Transactions.Ended;
import dev.semel.store.Transactions.Tx;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Runs claimed records of an atomic operation: effects, further sends and ends in one transaction, under the fences of the
 * claim. If any of them fails, or was lost to another grant, nothing of the transaction stays and each runs in one of its own.
 */
public final class AtomicDelivering {
    private final AtomicTools services;

    public AtomicDelivering(AtomicTools services) {
        this.services = services;
    }

    /**
     * Runs the handler for each, on this thread and in their order.
     *
     * @return which are committed, and what is still to be written for others; nothing of those that were lost
     */
    public <P, R> DeliveringOutcome<P, R> run(List<ClaimedDelivery<P, R>> deliveries, AtomicHandler<P, R> handler) {
        Map<ClaimedDelivery<P, R>, DeliveryResult> endings = new HashMap<>();
        List<ClaimedDelivery<P, R>> runnable = new ArrayList<>();
        Set<Long> stopped = new HashSet<>();
        deliveries.forEach(ClaimedDelivery::begin);
        for (ClaimedDelivery<P, R> delivery : deliveries) {
            DeliveryResult before = stopped.contains(delivery.lane()) ? delivery.handedBack() : before(delivery);
            ClaimedDelivery.Start start = before == null ? delivery.count() : ClaimedDelivery.Start.NOT_COUNTED;
            if (start == ClaimedDelivery.Start.NOW) {
                runnable.add(delivery);
            } else {
                DeliveryResult back = before == null ? delivery.handedBack() : before;
                leave(delivery, start == ClaimedDelivery.Start.LOST ? null : back, endings, stopped);
            }
        }
        Set<ClaimedDelivery<P, R>> committed = new HashSet<>();
        DeliveryAttempt together = runnable.size() > 1 ? tried(runnable, handler) : null;
        if (together instanceof DeliveryAttempt.EndsCommitted) {
            committed.addAll(runnable);
        } else if (together instanceof DeliveryAttempt.AttemptRolledBack threw
                && threw.handler().thrown() instanceof SemelException.TransactionEnded) {
            // Any of them may be committed without its end, so none of them is run again.
            runnable.forEach(each -> leave(each, each.threw(threw.handler(), true), endings, stopped));
        } else {
            oneByOne(runnable, handler, endings, committed);
        }
        deliveries.forEach(delivery -> delivery.ran(endings.get(delivery)));
        return new DeliveringOutcome<>(committed, endings);
    }

    /**
     * What became of some deliveries. One that is in neither was lost to another node.
     *
     * @param committed effect and end together
     * @param left still to be written
     */
    public record DeliveringOutcome<P, R>(
            Set<ClaimedDelivery<P, R>> committed, Map<ClaimedDelivery<P, R>, DeliveryResult> left) {}

    /** What is told without running it. */
    private <P, R> @Nullable DeliveryResult before(ClaimedDelivery<P, R> delivery) {
        if (delivery.held().stopReason() == LeaseKeeper.Stop.LEASE_OVER) {
            return delivery.handedBack();
        }
        Mode mode = services.modes().beforeStart(delivery.prepared());
        if (mode != Mode.LIVE) {
            return mode == Mode.SHADOW ? delivery.shadowed() : delivery.handedBack();
        }
        return delivery.isLate() ? delivery.late() : null;
    }

    /** Those behind one of the same lane that did not go on are handed back. */
    private <P, R> void oneByOne(
            List<ClaimedDelivery<P, R>> deliveries,
            AtomicHandler<P, R> handler,
            Map<ClaimedDelivery<P, R>, DeliveryResult> endings,
            Set<ClaimedDelivery<P, R>> committed) {
        Set<Long> stopped = new HashSet<>();
        for (ClaimedDelivery<P, R> delivery : deliveries) {
            if (stopped.contains(delivery.lane())) {
                endings.put(delivery, delivery.handedBack());
                continue;
            }
            DeliveryResult before = deliveries.size() > 1 ? before(delivery) : null;
            if (before != null) {
                leave(delivery, before, endings, stopped);
            } else if (tried(List.of(delivery), handler) instanceof DeliveryAttempt.AttemptRolledBack threw) {
                leave(delivery, delivery.threw(threw.handler(), true), endings, stopped);
            } else {
                committed.add(delivery);
            }
        }
    }

    private static <P, R> void leave(
            ClaimedDelivery<P, R> delivery,
            @Nullable DeliveryResult ending,
            Map<ClaimedDelivery<P, R>, DeliveryResult> endings,
            Set<Long> stopped) {
        if (ending != null) {
            endings.put(delivery, ending);
        }
        if (delivery.lane() != null && (ending == null || !ending.letsLaneGoOn())) {
            stopped.add(delivery.lane());
        }
    }

    /** What became of the deliveries of one transaction. */
    private sealed interface DeliveryAttempt {
        /** This transaction wrote their ends and committed. */
        record EndsCommitted() implements DeliveryAttempt {}

        /**
         * An earlier transaction of this run had committed the end of some, although its reply was lost: only that one may
         * keep an effect, so this one was rolled back.
         */
        record CommittedEarlier() implements DeliveryAttempt {}

        /** Rolled back. */
        record AttemptRolledBack(HandlerOutcome.Threw<?> handler) implements DeliveryAttempt {
            AttemptRolledBack(Throwable thrown, LeaseKeeper.Stop stop) {
                this(new HandlerOutcome.Threw<>(thrown, stop));
            }
        }
    }

    private <P, R> DeliveryAttempt tried(List<ClaimedDelivery<P, R>> deliveries, AtomicHandler<P, R> handler) {
        DeliveryAttempt.AttemptRolledBack kept = kept(deliveries);
        if (kept != null) {
            return kept;
        }
        DeliveryTransaction<P, R> together = new DeliveryTransaction<>(deliveries, handler);
        try {
            DeliveryAttempt tried = services.transactions().run(tx -> {
                DeliveryAttempt ended = together.in(tx);
                return ended instanceof DeliveryAttempt.EndsCommitted ? Ended.keep(ended) : Ended.undo(ended);
            });
            boolean done = tried instanceof DeliveryAttempt.EndsCommitted
                    || tried instanceof DeliveryAttempt.CommittedEarlier && deliveries.size() == 1;
            if (done) {
                deliveries.forEach(ClaimedDelivery::committed);
                together.committed();
            }
            return tried;
        } catch (CommitRefused e) {
            return new DeliveryAttempt.AttemptRolledBack(e.why(), LeaseKeeper.Stop.NONE);
        } catch (Exception e) {
            // The commit itself failed, or its outcome is not known: under the same fence the next attempt finds out.
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            return new DeliveryAttempt.AttemptRolledBack(e, LeaseKeeper.Stop.NONE);
        }
    }

    /** What keeps one of them from beginning, if anything does. */
    private static <P, R> DeliveryAttempt.@Nullable AttemptRolledBack kept(List<ClaimedDelivery<P, R>> deliveries) {
        for (ClaimedDelivery<P, R> delivery : deliveries) {
            LeaseKeeper.Stop stop = delivery.held().stopReason();
            if (stop != LeaseKeeper.Stop.NONE) {
                return new DeliveryAttempt.AttemptRolledBack(lost(delivery), stop);
            }
        }
        return null;
    }

    /** The deliveries in their transaction, which may be run more than once. */
    private final class DeliveryTransaction<P, R> {
        private final List<ClaimedDelivery<P, R>> deliveries;
        private final AtomicHandler<P, R> handler;
        private @Nullable Outbox outbox;

        DeliveryTransaction(List<ClaimedDelivery<P, R>> deliveries, AtomicHandler<P, R> handler) {
            this.deliveries = deliveries;
            this.handler = handler;
        }

        void committed() {
            if (outbox != null) {
                outbox.committed();
            }
        }

        DeliveryAttempt in(Tx tx) {
            List<DeliveryResult> results = new ArrayList<>();
            Outbox messages = services.outbox(tx);
            outbox = messages;
            for (ClaimedDelivery<P, R> delivery : deliveries) {
                DeliveryAttempt.AttemptRolledBack kept = kept(List.of(delivery));
                if (kept != null) {
                    return kept;
                }
                if (services.modes().beforeStart(tx, delivery.prepared()) != Mode.LIVE) {
                    return new DeliveryAttempt.AttemptRolledBack(
                            new Steps.RunHalted(
                                    delivery.prepared().name() + ": switched off before its handler started."),
                            LeaseKeeper.Stop.NONE);
                }
                AtomicInvocation<P, R> invocation = services.invocation(delivery.prepared(), handler);
                tx.beforeHandler();
                HandlerOutcome<R> outcome = invocation.invoke(messages, delivery.number());
                if (outcome instanceof HandlerOutcome.Threw<R> threw) {
                    return new DeliveryAttempt.AttemptRolledBack(threw);
                }
                results.add(delivery.done(((HandlerOutcome.Returned<R>) outcome).snapshot()));
            }
            try {
                messages.storeWithCommit();
            } catch (SemelException.NotSent e) {
                return new DeliveryAttempt.AttemptRolledBack(e, LeaseKeeper.Stop.NONE);
            }
            List<Moved> moved =
                    tx.move(results.stream().map(DeliveryResult::move).toList());
            for (int i = 0; i < moved.size(); i++) {
                if (moved.get(i) instanceof Moved.Refused) {
                    return new DeliveryAttempt.AttemptRolledBack(lost(deliveries.get(i)), LeaseKeeper.Stop.LEASE_LOST);
                }
            }
            return moved.stream().allMatch(Moved.Applied.class::isInstance)
                    ? new DeliveryAttempt.EndsCommitted()
                    : new DeliveryAttempt.CommittedEarlier();
        }
    }

    private static SemelException.LeaseLost lost(ClaimedDelivery<?, ?> delivery) {
        long fence = delivery.row().status().fence();
        return new SemelException.LeaseLost(
                delivery.prepared().name() + ": lease lost under fence " + fence
                        + "; nothing was committed; another node has it, or the store was adopted meanwhile.",
                fence);
    }
}
