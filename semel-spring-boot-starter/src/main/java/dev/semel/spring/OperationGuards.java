package dev.semel.spring;

import dev.semel.Channel;
import dev.semel.Operation;

/**
 * A rate limit and a circuit breaker for an {@link Idempotent} method with a key. Declare a bean of this type for each method that needs
 * one. A call that is stopped by them gets {@link dev.semel.SemelException.NoResult} with the answer RetryLater; over HTTP that is
 * {@code request.rate_limited} or {@code operation.breaker_open}.
 *
 * @param operation the name in its {@link Idempotent}
 * @param rateLimit {@link Channel.RateLimit#NONE} for none
 * @param breaker {@link Channel.Breaker#NONE} for none
 */
public record OperationGuards(String operation, Channel.RateLimit rateLimit, Channel.Breaker breaker) {
    <P, R> Operation<P, R> on(Operation<P, R> declared) {
        return declared instanceof Operation.Atomic<P, R> atomic
                ? atomic.withRateLimit(rateLimit).withBreaker(breaker)
                : ((Operation.Leased<P, R>) declared).withRateLimit(rateLimit).withBreaker(breaker);
    }
}
