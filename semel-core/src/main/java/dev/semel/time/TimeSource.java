package dev.semel.time;

import java.time.Duration;
import java.time.InstantSource;

/**
 * Reads the time and blocks. Everything in Semel that waits, waits here; a simulation hands in its own and decides who goes
 * on. Safety never rests on any of it: leases are judged by the store, and by the fence.
 */
public interface TimeSource {
    /** Wall-clock milliseconds since 1970; may jump. */
    long millis();

    /** Monotonic nanoseconds from an arbitrary origin. */
    long nanos();

    /** Blocks the calling thread. A duration of zero or less returns at once. */
    void sleep(Duration duration) throws InterruptedException;

    /** A new closed gate. */
    Gate gate();

    /** Opened once. Opening it releases all waiting threads. */
    interface Gate {
        /** Releases all waiting threads, now and for ever. Opening it again does nothing. */
        void open();

        /** Whether it has been opened. Never blocks. */
        boolean isOpen();

        /** Waits until the gate is open. */
        void await() throws InterruptedException;

        /** Waits at most so long; says whether the gate is open. */
        boolean await(Duration atMost) throws InterruptedException;
    }

    /** The machine's clock. */
    static TimeSource system() {
        return SystemTime.INSTANCE;
    }

    /** A clock of the application, which a test may move. Waiting threads continue when this clock reaches their time. */
    static TimeSource of(InstantSource clock) {
        return new ClockTime(clock);
    }
}
