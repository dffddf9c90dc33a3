package dev.semel.worker;

import dev.semel.AtomicHandler;
import dev.semel.execution.AtomicDelivering;
import dev.semel.execution.ClaimedDelivery;
import dev.semel.execution.DeathDelivering;
import dev.semel.execution.DeliveryResult;
import dev.semel.execution.LeasedDelivering;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Takes assignments from the buffer and runs the handler for each of their deliveries, on the thread that calls it: leased ones
 * one by one, atomic ones several in a transaction, suspects alone. Every delivery ends in {@link DeliveryCompletion}.
 * Thread-safe.
 */
final class AssignmentRunner<P, R> {
    private static final long WAITED_TOO_LONG = Duration.ofSeconds(1).toNanos();

    private final ChannelContext<P, R> context;
    private final ReceiverProtection receiver;
    private final ClaimWindow window;
    private final ClaimedBuffer<P, R> buffer;
    private final DeliveryCompletion<P, R> completion;
    private final AtomicBatchSize batchSize = new AtomicBatchSize();
    private final SuspectPermit.SharingOperation suspects;
    private final AtomicInteger busy = new AtomicInteger();

    AssignmentRunner(
            ChannelContext<P, R> context,
            ReceiverProtection receiver,
            ClaimWindow window,
            ClaimedBuffer<P, R> buffer,
            DeliveryCompletion<P, R> completion) {
        this.context = context;
        this.receiver = receiver;
        this.window = window;
        this.buffer = buffer;
        this.completion = completion;
        this.suspects = context.permit()
                .join(this::couldRunSuspect, context.policy().limits().attemptTimeout());
    }

    /** Groups that could begin now; none while the modes cannot be read. */
    int startable() {
        if (context.services().modes().isAway()) {
            return 0;
        }
        return buffer.ready() + (buffer.hasReadySuspect() && suspects.mayTake() ? 1 : 0);
    }

    /** Whether it is time to claim more, so that handlers need not wait for it. */
    boolean isRunningLow() {
        return buffer.size() * 2 < Math.max(context.capacity().concurrency(), window.size() / 2);
    }

    /**
     * Runs the next assignment; says whether there was one that may begin.
     *
     * @param mayBegin asked before each delivery of a leased channel; once it says no, the others are handed back
     */
    boolean runNext(BooleanSupplier mayBegin) {
        if (buffer.size() + buffer.suspects() == 0
                || !context.services().modes().known()) {
            return false;
        }
        return runSuspect(mayBegin) || run(buffer.take(context.isAtomic() ? batchSize.current() : 1), mayBegin);
    }

    private boolean runSuspect(BooleanSupplier mayBegin) {
        SuspectPermit.SoleRun alone = buffer.hasReadySuspect() ? suspects.tryTake() : null;
        if (alone == null) {
            return false;
        }
        try {
            return run(buffer.takeSuspect(), () -> alone.goesOn() && mayBegin.getAsBoolean());
        } finally {
            alone.giveBack();
        }
    }

    /** Whether a thread of this channel could begin with a suspect now. */
    private boolean couldRunSuspect() {
        return busy.get() < context.capacity().concurrency() && buffer.hasReadySuspect();
    }

    /** @param mayBegin asked before each delivery that has a run of its own */
    private boolean run(ClaimedBuffer.Assignment<P, R> assignment, BooleanSupplier mayBegin) {
        List<DeliveryGroup<P, R>> groups = assignment.groups();
        if (groups.isEmpty()) {
            return false;
        }
        if (!groups.get(0).isSuspect() && context.time().nanos() - groups.get(0).since() > WAITED_TOO_LONG) {
            window.shrink();
        }
        busy.incrementAndGet();
        try {
            groups.stream().filter(DeliveryGroup::isDying).forEach(group -> recordDeath(group, mayBegin));
            List<DeliveryGroup<P, R>> living =
                    groups.stream().filter(group -> !group.isDying()).toList();
            if (living.isEmpty()) {
                return true;
            }
            if (!context.isAtomic()) {
                living.forEach(group -> runLeased(group, mayBegin));
            } else if (living.get(0).isSuspect()) {
                runAlone(living.get(0), mayBegin);
            } else {
                runAtomic(living.stream()
                        .flatMap(group -> group.deliveries().stream())
                        .toList());
            }
        } catch (RuntimeException | Error e) {
            groups.forEach(completion::releaseUnfinished);
            throw e;
        } finally {
            busy.decrementAndGet();
            buffer.ended(assignment);
        }
        return true;
    }

    /** No call of the receiver: neither its protection nor the size of batches takes part. */
    private void recordDeath(DeliveryGroup<P, R> group, BooleanSupplier mayBegin) {
        ClaimedDelivery<P, R> delivery = group.deliveries().get(0);
        DeathDelivering.DeathResult death = mayBegin.getAsBoolean()
                ? new DeathDelivering(context.services().deaths()).run(delivery)
                : new DeathDelivering.DeathResult(false, delivery.handedBack());
        if (death.result() == null) {
            completion.release(delivery);
        } else if (death.committed()) {
            completion.recorded(delivery, death.result());
        } else {
            completion.complete(delivery, death.result());
        }
    }

    private void runLeased(DeliveryGroup<P, R> group, BooleanSupplier mayBegin) {
        boolean goesOn = true;
        for (ClaimedDelivery<P, R> delivery : group.deliveries()) {
            if (!goesOn || !mayBegin.getAsBoolean() || !receiver.tryCall()) {
                goesOn = goesOn && delivery.lane() == null;
                completion.complete(delivery, delivery.handedBack());
                continue;
            }
            DeliveryResult result = callLeased(delivery);
            goesOn = result != null && result.letsLaneGoOn();
            if (result == null) {
                completion.release(delivery);
            } else {
                completion.complete(delivery, result);
            }
        }
    }

    /** Nothing when the record was lost to another node. */
    private @Nullable DeliveryResult callLeased(ClaimedDelivery<P, R> delivery) {
        int uncounted = 1;
        try {
            DeliveryResult result = new LeasedDelivering(context.services().steps())
                    .run(delivery, Objects.requireNonNull(context.known().leased()));
            uncounted = 0;
            receiver.count(result);
            return result;
        } finally {
            receiver.release(uncounted);
        }
    }

    /** One transaction for each, begun when the result of the one before is written. */
    private void runAlone(DeliveryGroup<P, R> group, BooleanSupplier mayBegin) {
        boolean goesOn = true;
        for (ClaimedDelivery<P, R> delivery : group.deliveries()) {
            if (goesOn && mayBegin.getAsBoolean()) {
                goesOn = runAtomic(List.of(delivery)) || delivery.lane() == null;
            } else {
                goesOn = false;
                completion.complete(delivery, delivery.handedBack());
            }
        }
    }

    /** @return whether all of them are committed */
    private boolean runAtomic(List<ClaimedDelivery<P, R>> deliveries) {
        List<ClaimedDelivery<P, R>> allowed = new ArrayList<>();
        List<ClaimedDelivery<P, R>> rejected = new ArrayList<>();
        Set<Long> stopped = new HashSet<>();
        for (ClaimedDelivery<P, R> delivery : deliveries) {
            if (!stopped.contains(delivery.lane()) && receiver.tryCall()) {
                allowed.add(delivery);
            } else {
                if (delivery.lane() != null) {
                    stopped.add(delivery.lane());
                }
                rejected.add(delivery);
            }
        }
        int uncounted = allowed.size();
        try {
            rejected.forEach(delivery -> completion.complete(delivery, delivery.handedBack()));
            AtomicDelivering.DeliveringOutcome<P, R> outcome =
                    new AtomicDelivering(context.services().atomic()).run(allowed, timedHandler());
            for (ClaimedDelivery<P, R> delivery : allowed) {
                uncounted--;
                endAtomic(delivery, outcome);
            }
            return outcome.isCommitted(deliveries);
        } finally {
            receiver.release(uncounted);
        }
    }

    private void endAtomic(ClaimedDelivery<P, R> delivery, AtomicDelivering.DeliveringOutcome<P, R> outcome) {
        DeliveryResult result = outcome.left().get(delivery);
        DeliveryResult shadowed = outcome.shadowed().get(delivery);
        if (shadowed != null) {
            receiver.count(shadowed);
            completion.recorded(delivery, shadowed);
        } else if (result != null) {
            receiver.count(result);
            completion.complete(delivery, result);
        } else if (outcome.committed().contains(delivery)) {
            receiver.succeeded();
            completion.committed(delivery);
        } else {
            receiver.count(null);
            completion.release(delivery);
        }
    }

    private AtomicHandler<P, R> timedHandler() {
        AtomicHandler<P, R> handler = Objects.requireNonNull(context.known().atomic());
        return (payload, run) -> {
            long began = context.time().nanos();
            try {
                return handler.run(payload, run);
            } finally {
                batchSize.took(context.time().nanos() - began);
            }
        };
    }
}
