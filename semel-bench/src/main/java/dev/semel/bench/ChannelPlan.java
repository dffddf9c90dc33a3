package dev.semel.bench;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What to measure of channels and for how long.
 *
 * @param store Semel's URL of the only store to measure; absent for a private PostgreSQL and a SQLite file
 * @param perCell how long senders send; and half of how long others have to work off what waits
 * @param parts what is measured; the rest is left out
 */
public record ChannelPlan(@Nullable String store, Duration perCell, ChannelVolume volume, Set<Part> parts) {
    /** The volume that the targets apply to. */
    public static final ChannelVolume FULL = new ChannelVolume(10_000, 1_000_000, 10_000, 4, 32, 200);

    /** A moment of everything, to see that it works. Its figures mean nothing. */
    public static final ChannelVolume TINY = new ChannelVolume(60, 120, 10, 1, 4, 2);

    /** The parts of the bench, in their order. */
    public enum Part {
        SENDS,
        DRAINS,
        END_TO_END,
        IDLE
    }

    /** Of all parts. */
    public ChannelPlan(@Nullable String store, Duration perCell, ChannelVolume volume) {
        this(store, perCell, volume, EnumSet.allOf(Part.class));
    }

    /**
     * @param backlog messages that wait
     * @param large as many messages again, for Semel only
     * @param lanes among which they are spread, where it is not one or none
     * @param rounds how often each piece of work is done, besides its warm-ups
     * @param senders threads that send at once
     * @param samples messages sent one after the other to an idle worker
     */
    public record ChannelVolume(int backlog, int large, int lanes, int rounds, int senders, int samples) {}
}
