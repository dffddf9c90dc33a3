package dev.semel.http;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waits for a condition. The bound never decides a test that is right. */
final class Until {
    private static final Duration BOUND = Duration.ofSeconds(60);

    private Until() {}

    static void holds(BooleanSupplier condition) {
        long end = System.nanoTime() + BOUND.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("it did not come to that within " + BOUND);
            }
            try {
                Thread.sleep(5);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
