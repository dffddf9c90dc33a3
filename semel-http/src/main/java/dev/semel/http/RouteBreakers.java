package dev.semel.http;

import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.execution.ReceiverBreaker;
import dev.semel.time.TimeSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** The circuit breakers of the routes. Thread-safe. */
final class RouteBreakers {
    private static final Failure FAILED = Failure.of(Failure.Category.UPSTREAM_ERROR, "The handler failed.");

    private final Map<String, ReceiverBreaker> breakers = new ConcurrentHashMap<>();
    private final TimeSource time;

    RouteBreakers(TimeSource time) {
        this.time = time;
    }

    /** A permit of the route's breaker for one request. */
    Permit of(RouteTable.Match match) {
        Channel.Breaker settings = match.rule().breaker();
        return new Permit(
                settings.failurePercent() == 0
                        ? null
                        : breakers.computeIfAbsent(
                                match.operation(), name -> new ReceiverBreaker(name, settings, time)));
    }

    /** How a handler ended. */
    enum HandlerEnd {
        SUCCEEDED,
        FAILED,
        /** The handler is not at fault: the breaker does not count it. */
        NOT_JUDGED
    }

    /** The permission of one request to run its handler; returned once. */
    static final class Permit {
        private final @Nullable ReceiverBreaker breaker;
        private final AtomicBoolean taken = new AtomicBoolean();

        Permit(@Nullable ReceiverBreaker breaker) {
            this.breaker = breaker;
        }

        boolean take() {
            if (breaker == null) {
                return true;
            }
            if (!taken.get()) {
                taken.set(breaker.tryCall());
            }
            return taken.get();
        }

        void ended(HandlerEnd how) {
            if (breaker == null || !taken.compareAndSet(true, false)) {
                return;
            }
            switch (how) {
                case SUCCEEDED -> breaker.succeeded();
                case FAILED -> breaker.failed(FAILED);
                case NOT_JUDGED -> breaker.release(1);
            }
        }
    }
}
