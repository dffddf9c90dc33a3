package dev.semel.server.api;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Lets a bounded number of requests wait, because each holds a thread; the others are answered without waiting. */
final class WaitingRequests {
    private final Semaphore places;

    WaitingRequests(int most) {
        this.places = new Semaphore(most);
    }

    /** Calls it with the wait that was asked for, or with none. */
    <T> T call(@Nullable Duration wait, Function<Duration, T> work) {
        if (wait == null || wait.isZero() || !places.tryAcquire()) {
            return work.apply(Duration.ZERO);
        }
        try {
            return work.apply(wait);
        } finally {
            places.release();
        }
    }
}
