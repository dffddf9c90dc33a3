package dev.semel.store;

/** Permits whose steps are timed. */
record WatchedPermits(Permits permits, Timing timing) implements Permits {
    @Override
    public Taken take(Take take) {
        return timing.of("permits", () -> permits.take(take));
    }

    @Override
    public int removeFull() {
        return permits.removeFull();
    }
}
