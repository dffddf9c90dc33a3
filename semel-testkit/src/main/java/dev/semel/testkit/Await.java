package dev.semel.testkit;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/**
 * Waits for state that sends no signal, by reading it again and again. The bound decides no test that passes: it only ends a wait
 * that would never end.
 */
public final class Await {
    private static final Duration BOUND = Duration.ofMinutes(2);
    private static final Duration INTERVAL = Duration.ofMillis(5);

    private Await() {}

    /** Something that may become true. */
    @FunctionalInterface
    public interface Condition {
        boolean holds() throws Exception;
    }

    /**
     * Waits until the condition holds.
     *
     * @param what the condition in words, for the failure
     * @throws AssertionError when it does not hold within two minutes
     */
    public static void until(String what, Condition condition) {
        if (!within(BOUND, condition)) {
            throw new AssertionError("Timed out after " + BOUND + " waiting until " + what);
        }
    }

    /**
     * Reads a value until it is the expected one, and returns it.
     *
     * @param what the condition in words, for the failure
     * @throws AssertionError when it is another one for two minutes
     */
    public static <T> T until(String what, Callable<T> value, Predicate<? super T> expected) {
        long end = System.nanoTime() + BOUND.toNanos();
        T last = read(value);
        while (!expected.test(last)) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError(
                        "Timed out after " + BOUND + " waiting until " + what + "; the last value was " + last);
            }
            pause();
            last = read(value);
        }
        return last;
    }

    /** Waits until the condition holds, but no longer than the bound; returns whether it holds. */
    public static boolean within(Duration bound, Condition condition) {
        long end = System.nanoTime() + bound.toNanos();
        while (!read(condition::holds)) {
            if (System.nanoTime() - end > 0) {
                return false;
            }
            pause();
        }
        return true;
    }

    private static <T> T read(Callable<T> value) {
        try {
            return value.call();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException("The awaited value could not be read.", e);
        }
    }

    private static void pause() {
        LockSupport.parkNanos(INTERVAL.toNanos());
        if (Thread.currentThread().isInterrupted()) {
            throw new IllegalStateException("Interrupted while waiting.");
        }
    }
}
