package dev.semel.bench;

import java.time.Duration;

/**
 * What to measure of the server and for how long.
 *
 * @param perCell how long each thing is measured
 */
public record IngressPlan(Duration perCell, IngressVolume volume) {
    /** The volume that the targets apply to. */
    public static final IngressVolume FULL = new IngressVolume(64, 32_768, 30_000, 20_480, 1_024_000);

    /** A moment of everything, to see that it works. Its figures mean nothing. */
    public static final IngressVolume TINY = new IngressVolume(2, 64, 8, 20, 200);

    /**
     * @param connections of the load generator, each kept and used by a thread of its own
     * @param perRound requests of one round at most, made and signed before it
     * @param warmUp requests of each kind before anything is timed; at most as many as a round's
     * @param backlog webhooks that wait when deliveries are timed; at most as many as a round's
     * @param endurance webhooks after which the server's memory is compared with what it was after a tenth of them
     */
    public record IngressVolume(int connections, int perRound, int warmUp, int backlog, long endurance) {}
}
