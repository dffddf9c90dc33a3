package dev.semel.worker;

import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.execution.DeliveryResult;
import dev.semel.time.MonotonicClock;
import dev.semel.time.TimeSource;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.ratelimiter.RateLimiter;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Protects a receiver from this node: a circuit breaker and a rate limit. Both bound claims, the breaker also calls. Thread-safe. */
final class ReceiverProtection {
    /** Failures that say something about the receiver, and not about the message. */
    private static final Set<Failure.Category> RECEIVER = EnumSet.of(
            Failure.Category.NETWORK,
            Failure.Category.TIMEOUT,
            Failure.Category.UPSTREAM_ERROR,
            Failure.Category.RATE_LIMITED,
            Failure.Category.UNKNOWN);

    private static final int PROBES = 5;

    private final @Nullable CircuitBreaker breaker;
    private final @Nullable RateLimiter limiter;
    private final int probes;

    ReceiverProtection(String name, Channel.Capacity capacity, TimeSource time) {
        Channel.Breaker settings = capacity.breaker();
        this.probes = Math.min(PROBES, settings.calls());
        this.breaker = settings.failurePercent() == 0
                ? null
                : CircuitBreaker.of(
                        name,
                        CircuitBreakerConfig.custom()
                                .failureRateThreshold(settings.failurePercent())
                                .slidingWindowSize(settings.calls())
                                .minimumNumberOfCalls(settings.calls())
                                .waitDurationInOpenState(settings.pause())
                                .permittedNumberOfCallsInHalfOpenState(probes)
                                .clock(new MonotonicClock(time))
                                .build());
        this.limiter = capacity.perSecond() == 0
                ? null
                : RateLimiter.of(
                        name,
                        RateLimiterConfig.custom()
                                .limitForPeriod(Math.max(1, capacity.perSecond() / 10))
                                .limitRefreshPeriod(
                                        capacity.perSecond() < 10
                                                ? Duration.ofNanos(1_000_000_000L / capacity.perSecond())
                                                : Duration.ofMillis(100))
                                .timeoutDuration(Duration.ZERO)
                                .build());
    }

    /**
     * How many of so many may be claimed now.
     *
     * @param held records that this node has claimed and not written the result of. While the breaker is half open,
     *     no more is claimed than it still lets through: rejected records would be handed back and claimed again at
     *     once.
     */
    int claimable(int wanted, int held) {
        int allowed = wanted;
        if (breaker != null) {
            allowed = switch (breaker.getState()) {
                case OPEN, FORCED_OPEN -> breaker.tryAcquirePermission() ? released(1) : 0;
                case HALF_OPEN -> probesLeft(breaker, allowed, held);
                default -> allowed;
            };
        }
        if (limiter != null) {
            allowed = Math.min(allowed, Math.max(0, limiter.getMetrics().getAvailablePermissions()));
        }
        return allowed;
    }

    /** If nothing is held, no probe runs: when none may begin either, permissions were lost, and the breaker opens again. */
    private int probesLeft(CircuitBreaker halfOpen, int wanted, int held) {
        if (held == 0) {
            if (!halfOpen.tryAcquirePermission()) {
                halfOpen.transitionToOpenState();
                return 0;
            }
            halfOpen.releasePermission();
        }
        return Math.min(wanted, Math.max(0, probes - halfOpen.getMetrics().getNumberOfBufferedCalls() - held));
    }

    private int released(int permission) {
        if (breaker != null) {
            breaker.releasePermission();
        }
        return permission;
    }

    /** So many were claimed. */
    void claimed(int count) {
        if (limiter != null && count > 0) {
            limiter.acquirePermission(count);
        }
    }

    /**
     * Whether the handler may be called now. If so, one of {@link #count}, {@link #succeeded}, {@link #failed} and
     * {@link #release} must follow in any case: a half-open breaker waits for it.
     */
    boolean tryCall() {
        return breaker == null || breaker.tryAcquirePermission();
    }

    /** The call succeeded. */
    void succeeded() {
        if (breaker != null) {
            breaker.onSuccess(0, TimeUnit.NANOSECONDS);
        }
    }

    /**
     * Counts a call by its result.
     *
     * @param result nothing when the record was lost to another node
     */
    void count(@Nullable DeliveryResult result) {
        if (breaker == null) {
            return;
        }
        Failure failure = result == null ? null : result.failure();
        if (failure != null && RECEIVER.contains(failure.category())) {
            failed(failure);
        } else if (result != null && result.kind() == DeliveryResult.ResultKind.DONE) {
            succeeded();
        } else {
            release(1);
        }
    }

    /** The receiver failed. */
    void failed(Failure failure) {
        if (breaker != null) {
            breaker.onError(0, TimeUnit.NANOSECONDS, failure.asException());
        }
    }

    /** So many calls said nothing about the receiver. */
    void release(int calls) {
        for (int i = 0; i < calls && breaker != null; i++) {
            breaker.releasePermission();
        }
    }

    /** Whether all calls are let through. */
    boolean isClosed() {
        return breaker == null || breaker.getState() == CircuitBreaker.State.CLOSED;
    }
}
