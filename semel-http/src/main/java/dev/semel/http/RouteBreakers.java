package dev.semel.http;

import dev.semel.Channel;
import dev.semel.time.MonotonicClock;
import dev.semel.time.TimeSource;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import java.time.Clock;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** The circuit breakers of the routes. Thread-safe. */
final class RouteBreakers {
    private static final int PROBES = 5;

    private final Map<String, CircuitBreaker> breakers = new ConcurrentHashMap<>();
    private final Clock clock;

    RouteBreakers(TimeSource time) {
        this.clock = new MonotonicClock(time);
    }

    /** A permit of the route's breaker for one request. */
    Permit of(RouteTable.Match match) {
        Channel.Breaker settings = match.rule().breaker();
        return new Permit(
                settings.failurePercent() == 0
                        ? null
                        : breakers.computeIfAbsent(match.operation(), name -> breaker(name, settings)));
    }

    private CircuitBreaker breaker(String name, Channel.Breaker settings) {
        return CircuitBreaker.of(
                name,
                CircuitBreakerConfig.custom()
                        .failureRateThreshold(settings.failurePercent())
                        .slidingWindowSize(settings.calls())
                        .minimumNumberOfCalls(settings.calls())
                        .waitDurationInOpenState(settings.pause())
                        .permittedNumberOfCallsInHalfOpenState(Math.min(PROBES, settings.calls()))
                        .clock(clock)
                        .build());
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
        private final @Nullable CircuitBreaker breaker;
        private final AtomicBoolean taken = new AtomicBoolean();

        Permit(@Nullable CircuitBreaker breaker) {
            this.breaker = breaker;
        }

        boolean take() {
            if (breaker == null) {
                return true;
            }
            if (!taken.get()) {
                taken.set(breaker.tryAcquirePermission());
            }
            return taken.get();
        }

        void ended(HandlerEnd how) {
            if (breaker == null || !taken.compareAndSet(true, false)) {
                return;
            }
            switch (how) {
                case SUCCEEDED -> breaker.onSuccess(0, TimeUnit.NANOSECONDS);
                case FAILED ->
                    breaker.onError(0, TimeUnit.NANOSECONDS, new IllegalStateException("the handler failed"));
                case NOT_JUDGED -> breaker.releasePermission();
            }
        }
    }
}
