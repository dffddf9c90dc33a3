package dev.semel.http;

import dev.semel.Policy;
import dev.semel.SemelException;
import dev.semel.policy.Catalogue;
import dev.semel.policy.Delays;
import dev.semel.policy.RetryAfter;
import dev.semel.time.TimeSource;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The keys and retries of a client. It retries after a broken connection, and after 408, 425, 429, 500, 502, 503, 504 and a 409
 * with {@code Retry-After}, which means "in progress". It never retries after another 409 or a 422: the key was used for another
 * request. {@code Retry-After} is the shortest pause. When the attempts are used up, or {@code Retry-After} exceeds the limit of
 * the policy, the caller gets the last response. Immutable and thread-safe.
 */
public final class RetryRules {
    /** The header that carries the key. */
    public static final String KEY = KeyHeader.NAME;

    /** The header that carries the fence of a run, so that the receiver can reject a late call with a lower one. */
    public static final String FENCE = "Idempotency-Fence";

    private static final Set<Integer> AGAIN = Set.of(408, 425, 429, 500, 502, 503, 504);
    private static final int CONFLICT = 409;

    private final Policy policy;
    private final TimeSource time;
    private final RandomGenerator random;
    private final Supplier<String> keys;

    private RetryRules(Policy policy, TimeSource time, RandomGenerator random, Supplier<String> keys) {
        this.policy = policy;
        this.time = time;
        this.random = random;
        this.keys = keys;
    }

    /** By the policy {@code http.client}. */
    public static RetryRules usual() {
        return new RetryRules(
                Catalogue.shipped().get("http.client"),
                TimeSource.system(),
                new SecureRandom(),
                () -> UUID.randomUUID().toString());
    }

    /** Attempts, backoff, jitter and the longest Retry-After are the policy's. */
    public RetryRules withPolicy(Policy value) {
        return new RetryRules(value, time, random, keys);
    }

    /** The clock of the pauses, for tests. */
    public RetryRules withTime(TimeSource value) {
        return new RetryRules(policy, value, random, keys);
    }

    /** The source of jitter, for tests. */
    public RetryRules withRandom(RandomGenerator value) {
        return new RetryRules(policy, time, value, keys);
    }

    /** Generates the keys of requests without one; random UUIDs unless set. */
    public RetryRules withKeys(Supplier<String> value) {
        return new RetryRules(policy, time, random, value);
    }

    /** The clock of the pauses. */
    public TimeSource time() {
        return time;
    }

    /** A new key for a request that needs one and has none. Send the same key with each attempt. */
    public Optional<String> newKey(String method) {
        if (!KeyHeader.METHODS.contains(method)) {
            return Optional.empty();
        }
        String key = keys.get();
        if (!KeyHeader.isValid(key)) {
            throw new SemelException.Invalid("The key supplier returned an invalid key of " + key.length()
                    + " characters: use 1 to 128 visible ASCII characters.");
        }
        return Optional.of(key);
    }

    /** The response to one attempt. */
    public record AttemptResponse(int status, @Nullable String retryAfter) {}

    /**
     * How long to wait before the next attempt; empty when there should be none.
     *
     * @param attempt the number of the attempt that has ended, from 1
     * @param previous the pause before it; null for the first
     * @param response null when the connection failed
     */
    public Optional<Duration> pause(int attempt, @Nullable Duration previous, @Nullable AttemptResponse response) {
        if (attempt >= policy.retry().maxAttempts()) {
            return Optional.empty();
        }
        Duration backoff = Delays.before(policy, attempt, previous, random);
        if (response == null) {
            return Optional.of(backoff);
        }
        Optional<Duration> floor = response.retryAfter == null
                ? Optional.empty()
                : RetryAfter.parse(response.retryAfter, Instant.ofEpochMilli(time.millis()));
        boolean again = AGAIN.contains(response.status) || response.status == CONFLICT && floor.isPresent();
        if (!again || floor.isPresent() && floor.get().compareTo(policy.retry().maxRetryAfter()) > 0) {
            return Optional.empty();
        }
        return Optional.of(floor.filter(wait -> wait.compareTo(backoff) > 0).orElse(backoff));
    }
}
