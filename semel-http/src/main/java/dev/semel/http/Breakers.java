package dev.semel.http;

import dev.semel.Channel;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One breaker for each route that has one. Thread-safe. */
final class Breakers {
    private static final int PROBES = 5;

    private final Map<String, CircuitBreaker> breakers = new ConcurrentHashMap<>();

    /** Nothing for a route without one. */
    @Nullable
    CircuitBreaker of(RouteTable.Match match) {
        Channel.Breaker settings = match.rule().breaker();
        return settings.failurePercent() == 0
                ? null
                : breakers.computeIfAbsent(match.operation(), name -> breaker(name, settings));
    }

    private static CircuitBreaker breaker(String name, Channel.Breaker settings) {
        return CircuitBreaker.of(
                name,
                CircuitBreakerConfig.custom()
                        .failureRateThreshold(settings.failurePercent())
                        .slidingWindowSize(settings.calls())
                        .minimumNumberOfCalls(settings.calls())
                        .waitDurationInOpenState(settings.pause())
                        .permittedNumberOfCallsInHalfOpenState(Math.min(PROBES, settings.calls()))
                        .build());
    }

    static void ended(@Nullable CircuitBreaker breaker, boolean failed) {
        if (breaker != null && failed) {
            breaker.onError(0, TimeUnit.NANOSECONDS, new IllegalStateException("the handler failed"));
        } else if (breaker != null) {
            breaker.onSuccess(0, TimeUnit.NANOSECONDS);
        }
    }
}
