package dev.semel.testkit.sim;

import dev.semel.time.TimeSource;
import java.time.Duration;

/** The virtual clock as one machine reads it: its wall clock may be wrong and may jump, time itself is the same for all. */
final class SimTime implements TimeSource {
    private static final long START = 1_750_000_000_000L;

    private final Scheduler scheduler;
    private long wrongByMillis;

    SimTime(Scheduler scheduler) {
        this.scheduler = scheduler;
    }

    void jump(Duration by) {
        wrongByMillis += by.toMillis();
    }

    @Override
    public long millis() {
        return START + wrongByMillis + scheduler.nanos() / 1_000_000;
    }

    @Override
    public long nanos() {
        return scheduler.nanos();
    }

    @Override
    public void sleep(Duration duration) throws InterruptedException {
        if (!duration.isNegative() && !duration.isZero()) {
            scheduler.await(bounded(duration), null, true);
            interrupted();
        }
    }

    @Override
    public Gate gate() {
        return new Opened();
    }

    private static void interrupted() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    private static long bounded(Duration duration) {
        return duration.compareTo(Duration.ofDays(365)) > 0
                ? Duration.ofDays(365).toNanos()
                : duration.toNanos();
    }

    /** A gate of the simulation. */
    final class Opened implements Gate {
        private boolean open;

        @Override
        public void open() {
            open = true;
        }

        @Override
        public boolean isOpen() {
            return open;
        }

        @Override
        public void await() throws InterruptedException {
            if (!open) {
                scheduler.await(Long.MAX_VALUE, this, true);
                interrupted();
            }
        }

        @Override
        public boolean await(Duration atMost) throws InterruptedException {
            if (!open) {
                scheduler.await(bounded(atMost), this, true);
                interrupted();
            }
            return open;
        }
    }
}
