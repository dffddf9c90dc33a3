package dev.semel.examples.planner;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for what happens later. */
final class Until {
    private static final Duration BOUND = Duration.ofSeconds(60);

    private Until() {}

    static void holds(String what, BooleanSupplier condition) {
        long until = System.nanoTime() + BOUND.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as(what).isLessThan(until);
            LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
        }
    }
}
