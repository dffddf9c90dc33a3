package dev.semel.bench;

import java.time.Duration;
import java.util.List;

/**
 * What to measure of the filter and for how long.
 *
 * @param perCell how long each thing is measured
 */
public record HttpPlan(Duration perCell, HttpVolume volume) {
    /** The volume that the targets apply to. */
    public static final HttpVolume FULL = new HttpVolume(List.of(8, 32), 60_000, 1_000_000, 10);

    /** A moment of everything, to see that it works. Its figures mean nothing. */
    public static final HttpVolume TINY = new HttpVolume(List.of(2), 4, 40, 10);

    /**
     * @param callers how many clients send at once, each on a connection of its own
     * @param warmUp requests of each kind before anything is timed: a server of Spring's compiles until some 60,000
     * @param endurance requests after which a server's memory is compared with what it was after a tenth of them
     * @param oneFirstIn which part of those is under a new key; the others are replays
     */
    public record HttpVolume(List<Integer> callers, int warmUp, long endurance, int oneFirstIn) {}
}
