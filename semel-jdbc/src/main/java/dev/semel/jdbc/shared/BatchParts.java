package dev.semel.jdbc.shared;

import dev.semel.SemelException;
import dev.semel.key.RecordId;
import dev.semel.store.Arrival;
import dev.semel.store.Enqueued;
import dev.semel.store.Header;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.Reservation;
import dev.semel.store.Reserved;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * A batch that fails because of some of its items is done half by half, until those are alone: items whose records somebody else
 * has locked, and items whose data the store refuses. So a paused owner, or one sender's bad data, fails the calls about its own
 * records and no others.
 */
public final class BatchParts {
    private BatchParts() {}

    /** Does a part of a batch, or nothing of it if it throws. */
    @FunctionalInterface
    public interface Part<T> {
        /** @param hasty whether to wait for locks only briefly, because a larger part has timed out waiting */
        void run(List<T> items, boolean hasty);
    }

    /**
     * @param why with which the whole of the batch failed
     * @param failed told each item that could not be done, and why: {@link SemelException.Locked} or
     *     {@link SemelException.DataRefused}
     */
    public static <T> void each(List<T> batch, SemelException why, Part<T> part, BiConsumer<T, SemelException> failed) {
        boolean hasty = why instanceof SemelException.Locked;
        if (batch.size() > 1) {
            halves(batch, hasty, part, failed);
        } else if (hasty) {
            tried(batch, true, part, failed);
        } else {
            batch.forEach(item -> failed.accept(item, why));
        }
    }

    private static <T> void halves(List<T> batch, boolean hasty, Part<T> part, BiConsumer<T, SemelException> failed) {
        int middle = batch.size() / 2;
        tried(batch.subList(0, middle), hasty, part, failed);
        tried(batch.subList(middle, batch.size()), hasty, part, failed);
    }

    private static <T> void tried(List<T> batch, boolean hasty, Part<T> part, BiConsumer<T, SemelException> failed) {
        try {
            part.run(batch, hasty);
        } catch (SemelException.Locked | SemelException.DataRefused e) {
            if (batch.size() == 1) {
                failed.accept(batch.get(0), e);
            } else {
                halves(batch, hasty || e instanceof SemelException.Locked, part, failed);
            }
        }
    }

    public static Reserved notReserved(Reservation reservation, SemelException why) {
        return why instanceof SemelException.DataRefused refused
                ? new Reserved.ReserveFailed(
                        about(name(reservation.header(), reservation.identity().id()), refused))
                : new Reserved.Locked();
    }

    public static Enqueued notEnqueued(Arrival arrival, SemelException why) {
        return new Enqueued.EnqueueFailed(
                why instanceof SemelException.DataRefused refused
                        ? about(name(arrival.header(), arrival.id()), refused)
                        : why);
    }

    public static Moved notMoved(Move move, SemelException why) {
        return why instanceof SemelException.DataRefused refused
                ? new Moved.NotStored(about("record " + move.id(), refused))
                : new Moved.Locked();
    }

    private static String name(Header header, RecordId id) {
        return header.operation() + "/" + id + " (tenant " + header.tenant() + ")";
    }

    /** The same refusal, with the record that it is about. */
    private static SemelException.DataRefused about(String record, SemelException.DataRefused why) {
        return new SemelException.DataRefused(record + ": " + why.getMessage(), why);
    }
}
