package dev.semel.worker;

import dev.semel.execution.ClaimedDelivery;
import dev.semel.execution.DeliveryResult;
import dev.semel.store.Moved;
import dev.semel.store.Row;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends the deliveries of one channel. A result is given to the {@link ResultWriter}; once it is written, or cannot be, the
 * delivery is released: its lease is no longer renewed, and it no longer counts as held. Thread-safe.
 */
final class DeliveryCompletion<P, R> {
    private static final Logger LOG = LoggerFactory.getLogger(DeliveryCompletion.class);

    private final ChannelContext<P, R> context;
    private final ClaimWindow window;
    private final ClaimedBuffer<P, R> buffer;
    private final ClaimSchedule schedule;
    private final ResultLog log;

    DeliveryCompletion(
            ChannelContext<P, R> context, ClaimWindow window, ClaimedBuffer<P, R> buffer, ClaimSchedule schedule) {
        this.context = context;
        this.window = window;
        this.buffer = buffer;
        this.schedule = schedule;
        this.log = new ResultLog(context.name(), context.services().tools().watch());
    }

    /** Has the result written, then releases the delivery. */
    void complete(ClaimedDelivery<P, R> delivery, DeliveryResult result) {
        switch (result.kind()) {
            case RETRIED, DYING -> {
                long delay =
                        Duration.ofMillis(result.move().change().delayMillis()).toNanos();
                schedule.retryAt(context.time().nanos() + delay);
            }
            case REFUSED ->
                context.pauses()
                        .refusedHere(context.name(), tenant(delivery), Objects.requireNonNull(result.failure()));
            case DONE -> context.pauses().worked(context.name(), tenant(delivery));
            default -> {}
        }
        if (delivery.isCounted()) {
            // If this node dies before it is written, the attempt is spent: nothing that may kill it begins meanwhile.
            context.results().writeNow(result, moved -> written(delivery, result, moved));
        } else {
            context.results().add(result, moved -> written(delivery, result, moved));
        }
        delivery.leave();
    }

    /** The result was committed with the handler's effect: only the delivery is released. */
    void committed(ClaimedDelivery<P, R> delivery) {
        context.pauses().worked(context.name(), tenant(delivery));
        release(delivery);
    }

    private static String tenant(ClaimedDelivery<?, ?> delivery) {
        return delivery.row().header().tenant();
    }

    /** Its end was committed without an effect of its own: that is told, and the delivery is released. */
    void recorded(ClaimedDelivery<P, R> delivery, DeliveryResult end) {
        writtenOnce(delivery, end, new Moved.Applied());
        schedule.wake();
    }

    /** Hands back deliveries that were not run. */
    void handBack(DeliveryGroup<P, R> group) {
        group.deliveries().forEach(delivery -> complete(delivery, delivery.handedBack()));
    }

    /** Hands back deliveries that waited too long: another node may claim them after a moment. */
    void handBackToOthers(DeliveryGroup<P, R> group) {
        group.deliveries().forEach(delivery -> complete(delivery, delivery.handedBackToOthers()));
    }

    /** Hands back a delivery that was never put into the buffer. */
    void handBackUnbuffered(ClaimedDelivery<P, R> delivery) {
        context.results().add(delivery.handedBack(), moved -> delivery.close());
    }

    /** Has the result of a record written whose payload could not be read. */
    void completeUnreadable(Row row, DeliveryResult result) {
        context.results().add(result, moved -> log.written(row, result, moved));
    }

    private void written(ClaimedDelivery<P, R> delivery, DeliveryResult result, @Nullable Moved moved) {
        if (moved instanceof Moved.NotStored refused) {
            DeliveryResult instead = delivery.notStored(result, refused.why());
            context.results()
                    .add(
                            instead,
                            then -> writtenOnce(delivery, instead, then instanceof Moved.NotStored ? null : then));
        } else {
            writtenOnce(delivery, result, moved);
        }
    }

    /** @param moved what the store answered; nothing when the result could not be written */
    private void writtenOnce(ClaimedDelivery<P, R> delivery, DeliveryResult result, @Nullable Moved moved) {
        if (result.kind() == DeliveryResult.ResultKind.DYING
                && result.move().change().delayMillis() == 0) {
            schedule.wake();
        }
        if (moved == null) {
            window.reset();
        } else if (moved instanceof Moved.Refused) {
            LOG.debug(
                    "{}/{}: lease lost to another node; its result was not recorded.",
                    context.name(),
                    delivery.row().id().prefix());
        }
        try {
            log.written(delivery.row(), result, moved);
        } finally {
            release(delivery);
        }
    }

    /** Releases a delivery. Without a written result it is delivered again when its lease expires. */
    void release(ClaimedDelivery<P, R> delivery) {
        delivery.leave();
        delivery.close();
        window.remove(delivery);
        buffer.released(delivery.row().header().tenant(), delivery.isSuspect());
    }

    /** Releases those of a group whose run broke off before they had a result. */
    void releaseUnfinished(DeliveryGroup<P, R> group) {
        for (ClaimedDelivery<P, R> delivery : group.deliveries()) {
            if (!delivery.left()) {
                release(delivery);
            }
        }
    }
}
