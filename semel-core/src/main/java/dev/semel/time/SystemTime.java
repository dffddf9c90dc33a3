package dev.semel.time;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

final class SystemTime implements TimeSource {
    static final SystemTime INSTANCE = new SystemTime();

    private SystemTime() {}

    @Override
    public long millis() {
        return System.currentTimeMillis();
    }

    @Override
    public long nanos() {
        return System.nanoTime();
    }

    @Override
    public void sleep(Duration duration) throws InterruptedException {
        if (!duration.isNegative() && !duration.isZero()) {
            TimeUnit.NANOSECONDS.sleep(bounded(duration));
        }
    }

    @Override
    public Gate gate() {
        return new Latch();
    }

    /** In nanoseconds, a year at most. */
    static long bounded(Duration duration) {
        return duration.compareTo(Duration.ofDays(365)) > 0 ? TimeUnit.DAYS.toNanos(365) : duration.toNanos();
    }

    private static final class Latch implements Gate {
        private final CountDownLatch latch = new CountDownLatch(1);

        @Override
        public void open() {
            latch.countDown();
        }

        @Override
        public boolean isOpen() {
            return latch.getCount() == 0;
        }

        @Override
        public void await() throws InterruptedException {
            latch.await();
        }

        @Override
        public boolean await(Duration atMost) throws InterruptedException {
            return latch.await(bounded(atMost), TimeUnit.NANOSECONDS);
        }
    }
}
