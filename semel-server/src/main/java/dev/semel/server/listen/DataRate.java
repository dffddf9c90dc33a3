package dev.semel.server.listen;

/** How fast a body arrives, from its beginning. Jetty's MinimumDataRateHandler compares the bytes of all requests with the time of one. */
final class DataRate {
    private static final long GRACE_NANOS = 10_000_000_000L;

    /** In bytes a second. */
    private static final int SLOWEST = 128;

    private final long began = System.nanoTime();

    boolean isSlow(long bytes, long now) {
        long elapsed = now - began;
        return elapsed > GRACE_NANOS && bytes < elapsed / 1_000_000_000L * SLOWEST;
    }
}
