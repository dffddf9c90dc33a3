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
 * Under which key a client sends a request, and when it sends it again: after a broken connection, and after 408, 425, 429, 500,
 * 502, 503, 504 and a 409 with {@code Retry-After}, which is how "in progress" is told; never after another 409 or a 422: a key
 * that was used for another request will not become right. {@code Retry-After} is a floor. When the attempts are spent, or the
 * server asks for more patience than the policy has, the last answer is given to the caller. Immutable and thread-safe.
 */
public final class RetryRules {
    /** The header that carries the key. */
    public static final String KEY = KeyHeader.NAME;

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

    public RetryRules withTime(TimeSource value) {
        return new RetryRules(policy, value, random, keys);
    }

    public RetryRules withRandom(RandomGenerator value) {
        return new RetryRules(policy, time, value, keys);
    }

    /** Makes the keys of requests that have none; random UUIDs unless set. */
    public RetryRules withKeys(Supplier<String> value) {
        return new RetryRules(policy, time, random, value);
    }

    /** What reads the time and waits. */
    public TimeSource time() {
        return time;
    }

    /** A new key, for a request that needs one and has none; the same one goes with each of its attempts. */
    public Optional<String> newKey(String method) {
        if (!KeyHeader.METHODS.contains(method)) {
            return Optional.empty();
        }
        String key = keys.get();
        if (!KeyHeader.isValid(key)) {
            throw new SemelException.Invalid(
                    "The key supplier returned an invalid key of " + key.length()
                            + " characters: use 1 to 128 visible ASCII characters.");
        }
        return Optional.of(key);
    }

    /** What an attempt got. */
    public record Got(int status, @Nullable String retryAfter) {}

    /**
     * How long to wait before the next attempt; empty when there should be none.
     *
     * @param attempt the one that has ended, from 1
     * @param previous the pause before it; absent for the first
     * @param got absent when the connection broke
     */
    public Optional<Duration> pause(int attempt, @Nullable Duration previous, @Nullable Got got) {
        if (attempt >= policy.retry().maxAttempts()) {
            return Optional.empty();
        }
        Duration backoff = Delays.before(policy, attempt, previous, random);
        if (got == null) {
            return Optional.of(backoff);
        }
        Optional<Duration> asked = got.retryAfter == null
                ? Optional.empty()
                : RetryAfter.parse(got.retryAfter, Instant.ofEpochMilli(time.millis()));
        boolean again = AGAIN.contains(got.status) || got.status == CONFLICT && asked.isPresent();
        if (!again || asked.isPresent() && asked.get().compareTo(policy.retry().maxRetryAfter()) > 0) {
            return Optional.empty();
        }
        return Optional.of(asked.filter(floor -> floor.compareTo(backoff) > 0).orElse(backoff));
    }
}
