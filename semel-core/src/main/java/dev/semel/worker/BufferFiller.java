package dev.semel.worker;

import dev.semel.SemelException;
import dev.semel.execution.ClaimedDelivery;
import dev.semel.execution.DeliveryResult;
import dev.semel.execution.PendingDeath;
import dev.semel.execution.UnreadablePayload;
import dev.semel.key.RecordId;
import dev.semel.store.Line;
import dev.semel.store.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Turns claimed rows into deliveries and puts them into the buffer, consecutive ones of a lane as one group. Used by the thread
 * that claims.
 */
final class BufferFiller<P, R> {
    private final ChannelContext<P, R> context;
    private final ClaimWindow window;
    private final ClaimedBuffer<P, R> buffer;
    private final DeliveryCompletion<P, R> completion;

    BufferFiller(
            ChannelContext<P, R> context,
            ClaimWindow window,
            ClaimedBuffer<P, R> buffer,
            DeliveryCompletion<P, R> completion) {
        this.context = context;
        this.window = window;
        this.buffer = buffer;
        this.completion = completion;
    }

    /**
     * Deliveries that could not be put into the buffer are released: no handler would ever get them, and their leases must not be
     * renewed.
     *
     * @param rows those whose payload was left out are handed back
     * @param since when the claim was sent, by this node's monotonic clock
     * @param takenOver those whose last holder let its lease expire
     * @param stopped lanes of which nothing may begin now; what follows a stopped message is added
     */
    void fill(List<Row> rows, long since, Set<RecordId> takenOver, Set<Long> stopped) {
        List<ClaimedDelivery<P, R>> group = new ArrayList<>(rows.size());
        try {
            for (Row row : rows) {
                boolean overdue = takenOver.contains(row.id());
                if (overdue) {
                    context.services()
                            .tools()
                            .watch()
                            .takenOver(context.name(), row.header().tenant());
                }
                ClaimedDelivery.ClaimedRow claimed = new ClaimedDelivery.ClaimedRow(row, since, overdue);
                if (row.withheld() > 0) {
                    handBackUnread(claimed, stopped);
                    continue;
                }
                ClaimedDelivery<P, R> delivery = opened(claimed, stopped);
                if (delivery != null) {
                    add(delivery, group, stopped);
                }
            }
            put(group);
        } catch (RuntimeException | Error e) {
            group.forEach(completion::release);
            throw e;
        }
    }

    /** There is no room for its payload now. Nothing of its lane may overtake it. */
    private void handBackUnread(ClaimedDelivery.ClaimedRow claimed, Set<Long> stopped) {
        Line.Lane lane = Objects.requireNonNull(claimed.row().line()).lane();
        if (lane != null) {
            stopped.add(lane.number());
        }
        completion.handBackUnbuffered(
                ClaimedDelivery.unread(context.services().deliveries(), context.operation(), claimed));
    }

    /** A payload that the handler's type cannot read is left to other nodes. It stops its lane, and nothing else. */
    private @Nullable ClaimedDelivery<P, R> opened(ClaimedDelivery.ClaimedRow claimed, Set<Long> stopped) {
        try {
            return ClaimedDelivery.of(context.services().deliveries(), context.operation(), claimed);
        } catch (SemelException.Invalid e) {
            Row row = claimed.row();
            if (PendingDeath.read(row.failure()) != null) {
                return ClaimedDelivery.unread(context.services().deliveries(), context.operation(), claimed);
            }
            DeliveryResult unreadable =
                    UnreadablePayload.result(context.services().deliveries(), context.operation(), claimed, e);
            Line.Lane lane = Objects.requireNonNull(row.line()).lane();
            if (lane != null && !unreadable.letsLaneGoOn()) {
                stopped.add(lane.number());
            }
            completion.completeUnreadable(row, unreadable);
            return null;
        }
    }

    private void add(ClaimedDelivery<P, R> delivery, List<ClaimedDelivery<P, R>> group, Set<Long> stopped) {
        boolean sameLane = !group.isEmpty()
                && delivery.lane() != null
                && delivery.lane().equals(group.get(group.size() - 1).lane());
        boolean alone = delivery.isDying() || !group.isEmpty() && group.get(0).isDying();
        if (sameLane && (alone || delivery.isSuspect() != group.get(0).isSuspect())) {
            // A suspect, and one that is dying, runs alone: nothing else of its lane waits with it, nor it with others.
            stopped.add(Objects.requireNonNull(delivery.lane()));
        }
        if (stopped.contains(delivery.lane())) {
            completion.handBackUnbuffered(delivery);
            return;
        }
        if (!sameLane) {
            put(group);
        }
        window.add(delivery);
        group.add(delivery);
    }

    private void put(List<ClaimedDelivery<P, R>> group) {
        if (!group.isEmpty()) {
            String tenant = group.get(0).row().header().tenant();
            buffer.put(new DeliveryGroup<>(tenant, group, context.time().nanos()));
            group.clear();
        }
    }
}
