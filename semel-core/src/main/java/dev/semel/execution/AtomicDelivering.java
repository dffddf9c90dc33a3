package dev.semel.execution;

import dev.semel.AtomicHandler;
import dev.semel.Mode;
import dev.semel.SemelException;
import dev.semel.store.CommitRefused;
import dev.semel.store.Moved;
import dev.semel.store.Transactions;
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
 *
 * <p>In SHADOW each runs in a transaction of its own that is rolled back; then its end and what it would have sent are recorded in
 * one commit under the fence. A node that dies between the two leaves nothing: the record is delivered again.
 */
public final class AtomicDelivering {
    private static final int RECORDING_TRIES = 5;

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
        Map<ClaimedDelivery<P, R>, DeliveryResult> shadowed = new HashMap<>();
        boolean live = runnable.stream().noneMatch(this::isShadow);
        DeliveryAttempt together = live && runnable.size() > 1 ? tried(runnable, handler) : null;
        if (together instanceof DeliveryAttempt.EndsCommitted) {
            committed.addAll(runnable);
        } else if (together instanceof DeliveryAttempt.AttemptRolledBack threw
                && threw.handler().thrown() instanceof SemelException.TransactionEnded) {
            // Any of them may be committed without its end, so none of them is run again.
            runnable.forEach(each -> leave(each, each.threw(threw.handler(), true), endings, stopped));
        } else {
            oneByOne(runnable, handler, new DeliveringOutcome<>(committed, shadowed, endings));
        }
        deliveries.forEach(delivery -> delivery.ran(endings.get(delivery)));
        return new DeliveringOutcome<>(committed, shadowed, endings);
    }

    private <P, R> boolean isShadow(ClaimedDelivery<P, R> delivery) {
        return services.modes().beforeStart(delivery.prepared()) == Mode.SHADOW;
    }

    /**
     * What became of some deliveries. One that is in neither was lost to another node.
     *
     * @param committed effect and end together
     * @param shadowed rolled back; the end is committed, and what would have been sent
     * @param left still to be written
     */
    public record DeliveringOutcome<P, R>(
            Set<ClaimedDelivery<P, R>> committed,
            Map<ClaimedDelivery<P, R>, DeliveryResult> shadowed,
            Map<ClaimedDelivery<P, R>, DeliveryResult> left) {
        /** Whether the ends of all of these are committed. */
        public boolean isCommitted(List<ClaimedDelivery<P, R>> deliveries) {
            return deliveries.stream().allMatch(each -> committed.contains(each) || shadowed.containsKey(each));
        }
    }

    /** What is told without running it. */
    private <P, R> @Nullable DeliveryResult before(ClaimedDelivery<P, R> delivery) {
        if (delivery.held().stopReason() == LeaseKeeper.Stop.LEASE_OVER) {
            return delivery.handedBack();
        }
        Mode mode = services.modes().beforeStart(delivery.prepared());
        if (mode != Mode.LIVE && mode != Mode.SHADOW) {
            return delivery.handedBack();
        }
        if (!delivery.isLate()) {
            return null;
        }
        return mode == Mode.SHADOW ? delivery.lateInShadow() : delivery.late();
    }

    /** Those behind one of the same lane that did not go on are handed back. */
    private <P, R> void oneByOne(
            List<ClaimedDelivery<P, R>> deliveries, AtomicHandler<P, R> handler, DeliveringOutcome<P, R> outcome) {
        Map<ClaimedDelivery<P, R>, DeliveryResult> endings = outcome.left;
        Set<Long> stopped = new HashSet<>();
        for (ClaimedDelivery<P, R> delivery : deliveries) {
            if (stopped.contains(delivery.lane())) {
                endings.put(delivery, delivery.handedBack());
                continue;
            }
            DeliveryResult before = deliveries.size() > 1 ? before(delivery) : null;
            if (before != null) {
                leave(delivery, before, endings, stopped);
                continue;
            }
            boolean shadow = isShadow(delivery);
            DeliveryAttempt attempt = shadow ? rehearsed(delivery, handler) : tried(List.of(delivery), handler);
            if (attempt instanceof DeliveryAttempt.AttemptRolledBack threw) {
                DeliveryResult ending =
                        shadow ? delivery.threwInShadow(threw.handler()) : delivery.threw(threw.handler(), true);
                leave(delivery, ending, endings, stopped);
            } else if (attempt instanceof DeliveryAttempt.ShadowCommitted recorded) {
                outcome.shadowed.put(delivery, recorded.result());
            } else {
                outcome.committed.add(delivery);
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

        /** The handler ran in SHADOW; it is rolled back, and its end is still to be recorded. */
        record Rehearsed(List<ShadowSends.ShadowSend> sends) implements DeliveryAttempt {}

        /** The end of a handler that ran in SHADOW is committed, with what it would have sent. */
        record ShadowCommitted(DeliveryResult result) implements DeliveryAttempt {}

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
        DeliveryAttempt tried = transaction(tx -> {
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
    }

    /** Runs one in SHADOW, rolls it back, and records that. */
    private <P, R> DeliveryAttempt rehearsed(ClaimedDelivery<P, R> delivery, AtomicHandler<P, R> handler) {
        DeliveryAttempt.AttemptRolledBack kept = kept(List.of(delivery));
        if (kept != null) {
            return kept;
        }
        DeliveryAttempt ran = transaction(tx -> Ended.undo(rehearsed(tx, delivery, handler)));
        if (!(ran instanceof DeliveryAttempt.Rehearsed rehearsed)) {
            return ran;
        }
        DeliveryResult end = delivery.rehearsed(rehearsed.sends.size());
        DeliveryAttempt recorded = recorded(delivery, end, rehearsed.sends);
        boolean done = recorded instanceof DeliveryAttempt.ShadowCommitted
                || recorded instanceof DeliveryAttempt.CommittedEarlier;
        if (done) {
            delivery.ran(end);
        }
        return done ? new DeliveryAttempt.ShadowCommitted(end) : recorded;
    }

    /** If others record the same messages again and again, the record is handed back: its handler did not fail. */
    private <P, R> DeliveryAttempt recorded(
            ClaimedDelivery<P, R> delivery, DeliveryResult end, List<ShadowSends.ShadowSend> sends) {
        for (int tries = 0; tries < RECORDING_TRIES; tries++) {
            DeliveryAttempt recorded = transaction(tx -> recorded(tx, delivery, end, sends));
            if (!isOvertaken(recorded)) {
                return recorded;
            }
        }
        return new DeliveryAttempt.AttemptRolledBack(
                new Steps.RunHalted(delivery.prepared().name() + ": others record the same in SHADOW at this moment."),
                LeaseKeeper.Stop.NONE);
    }

    /** Whether a message that it would have sent is being recorded by another run; its own lease is not lost. */
    private static boolean isOvertaken(DeliveryAttempt attempt) {
        return attempt instanceof DeliveryAttempt.AttemptRolledBack back
                && back.handler().stop() == LeaseKeeper.Stop.NONE
                && (back.handler().thrown() instanceof SemelException.LeaseLost
                        || back.handler().thrown() instanceof SemelException.TransactionMustBeRetried);
    }

    private <P, R> DeliveryAttempt rehearsed(Tx tx, ClaimedDelivery<P, R> delivery, AtomicHandler<P, R> handler) {
        if (services.modes().beforeStart(tx, delivery.prepared()) != Mode.SHADOW) {
            return switchedOver(delivery);
        }
        Outbox messages = services.outbox(tx);
        Rehearsal rehearsal = messages.rehearse(services.modes().storeMillis());
        tx.beforeHandler();
        HandlerOutcome<R> outcome =
                services.invocation(delivery.prepared(), handler).invoke(messages, delivery.number());
        if (outcome instanceof HandlerOutcome.Threw<R> threw) {
            return new DeliveryAttempt.AttemptRolledBack(threw);
        }
        try {
            messages.store();
            return new DeliveryAttempt.Rehearsed(rehearsal.sends(tx));
        } catch (SemelException.NotSent e) {
            return new DeliveryAttempt.AttemptRolledBack(e, LeaseKeeper.Stop.NONE);
        }
    }

    private <P, R> Ended<DeliveryAttempt> recorded(
            Tx tx, ClaimedDelivery<P, R> delivery, DeliveryResult end, List<ShadowSends.ShadowSend> sends) {
        Moved moved =
                tx.move(List.of(end.move())).get(0).unlocked(delivery.row().id());
        if (moved instanceof Moved.Refused) {
            return Ended.undo(new DeliveryAttempt.AttemptRolledBack(lost(delivery), LeaseKeeper.Stop.LEASE_LOST));
        }
        if (moved instanceof Moved.Same) {
            return Ended.undo(new DeliveryAttempt.CommittedEarlier());
        }
        ShadowSends.record(
                tx, new ShadowSends.Decision(services.events(), services.modes().storeMillis(), null), sends);
        return Ended.keep(new DeliveryAttempt.ShadowCommitted(end));
    }

    private static DeliveryAttempt.AttemptRolledBack switchedOver(ClaimedDelivery<?, ?> delivery) {
        return new DeliveryAttempt.AttemptRolledBack(
                new Steps.RunHalted(delivery.prepared().name() + ": its mode was changed before its handler started."),
                LeaseKeeper.Stop.NONE);
    }

    private DeliveryAttempt transaction(Transactions.Work<DeliveryAttempt> work) {
        try {
            return services.transactions().run(work);
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
                    return switchedOver(delivery);
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
