package dev.semel.jdbc.shared;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/** Waits for a condition that only the database can show, so that it has to be queried again and again. */
public final class Await {
    private static final Duration MOST = Duration.ofMinutes(2);
    private static final Duration EVERY = Duration.ofMillis(10);

    private Await() {}

    /**
     * Reads a value until it is the expected one, and returns it.
     *
     * @param what is waited for, for the failure
     */
    public static <T> T until(String what, Callable<T> value, Predicate<T> expected) throws Exception {
        long end = System.nanoTime() + MOST.toNanos();
        T last = value.call();
        while (!expected.test(last)) {
            if (System.nanoTime() > end) {
                throw new AssertionError(
                        "Timed out after " + MOST + " waiting until " + what + "; the last value was " + last);
            }
            LockSupport.parkNanos(EVERY.toNanos());
            last = value.call();
        }
        return last;
    }
}
