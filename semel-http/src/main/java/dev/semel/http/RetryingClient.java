package dev.semel.http;

import dev.semel.Policy;
import dev.semel.SemelException;
import dev.semel.policy.Catalogue;
import dev.semel.policy.Delays;
import dev.semel.policy.RetryAfter;
import dev.semel.time.TimeSource;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Sends a request until it is answered, under one key. It tries again after a broken connection, and after 408, 425, 429, 500,
 * 502, 503, 504 and a 409 with {@code Retry-After}, which is how "in progress" is told; never after another 409 or a 422: a key
 * that was used for another request will not become right. {@code Retry-After} is a floor. When the attempts are spent, or the
 * server asks for more patience than the policy has, the last answer is given to the caller.
 *
 * <p>Immutable and thread-safe. A request's body must be readable more than once, as those of {@code BodyPublishers.ofString},
 * {@code ofByteArray} and {@code ofFile} are.
 */
public final class RetryingClient {
    private static final Set<Integer> AGAIN = Set.of(408, 425, 429, 500, 502, 503, 504);
    private static final int CONFLICT = 409;

    private final HttpClient client;
    private final Policy policy;
    private final Tools tools;

    private record Tools(TimeSource time, RandomGenerator random, Supplier<String> keys) {}

    private RetryingClient(HttpClient client, Policy policy, Tools tools) {
        this.client = client;
        this.policy = policy;
        this.tools = tools;
    }

    /** By the policy {@code http.client}. */
    public static RetryingClient of(HttpClient client) {
        return new RetryingClient(
                client,
                Catalogue.shipped().get("http.client"),
                new Tools(
                        TimeSource.system(),
                        new SecureRandom(),
                        () -> UUID.randomUUID().toString()));
    }

    /** Attempts, backoff, jitter and the longest Retry-After are the policy's. */
    public RetryingClient withPolicy(Policy value) {
        return new RetryingClient(client, value, tools);
    }

    public RetryingClient withTime(TimeSource value) {
        return new RetryingClient(client, policy, new Tools(value, tools.random, tools.keys));
    }

    public RetryingClient withRandom(RandomGenerator value) {
        return new RetryingClient(client, policy, new Tools(tools.time, value, tools.keys));
    }

    /** Makes the keys of requests that have none; random UUIDs unless set. */
    public RetryingClient withKeys(Supplier<String> value) {
        return new RetryingClient(client, policy, new Tools(tools.time, tools.random, value));
    }

    /**
     * Sends the request, with the key that it has or a new one, and blocks until it is answered.
     *
     * @throws IOException when the last attempt got no answer; the same request, with its key, may be sent again
     */
    public <T> HttpResponse<T> send(HttpRequest request, HttpResponse.BodyHandler<T> body)
            throws IOException, InterruptedException {
        HttpRequest keyed = keyed(request);
        Duration previous = null;
        for (int attempt = 1; ; attempt++) {
            HttpResponse<T> response = null;
            IOException broken = null;
            try {
                response = client.send(keyed, body);
            } catch (IOException e) {
                broken = e;
            }
            Optional<Duration> pause =
                    attempt < policy.retry().maxAttempts() ? pause(attempt, previous, response) : Optional.empty();
            if (pause.isEmpty()) {
                if (broken != null) {
                    throw broken;
                }
                return response;
            }
            previous = pause.get();
            tools.time.sleep(previous);
        }
    }

    /** As {@link #send}, on a thread of the executor. */
    public <T> CompletableFuture<HttpResponse<T>> sendAsync(
            HttpRequest request, HttpResponse.BodyHandler<T> body, Executor executor) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return send(request, body);
                    } catch (IOException e) {
                        throw new CompletionException(e);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                        throw new CompletionException(e);
                    }
                },
                executor);
    }

    /** How long to wait before the next attempt; empty when there should be none. */
    private Optional<Duration> pause(int attempt, @Nullable Duration previous, @Nullable HttpResponse<?> response) {
        Duration backoff = Delays.before(policy, attempt, previous, tools.random);
        if (response == null) {
            return Optional.of(backoff);
        }
        Optional<Duration> asked = response.headers()
                .firstValue("Retry-After")
                .flatMap(value -> RetryAfter.parse(value, Instant.ofEpochMilli(tools.time.millis())));
        boolean again = AGAIN.contains(response.statusCode()) || response.statusCode() == CONFLICT && asked.isPresent();
        if (!again || asked.isPresent() && asked.get().compareTo(policy.retry().maxRetryAfter()) > 0) {
            return Optional.empty();
        }
        return Optional.of(asked.filter(floor -> floor.compareTo(backoff) > 0).orElse(backoff));
    }

    private HttpRequest keyed(HttpRequest request) {
        boolean needsKey = IdempotencyFilter.METHODS.contains(request.method());
        if (!needsKey || request.headers().firstValue(IdempotencyFilter.KEY).isPresent()) {
            return request;
        }
        String key = tools.keys.get();
        if (!Ids.isValid(key)) {
            throw new SemelException.Invalid(
                    "A key of " + key.length() + " characters was made: 1 to 128 visible ASCII characters are valid.");
        }
        return HttpRequest.newBuilder(request, (name, value) -> true)
                .header(IdempotencyFilter.KEY, key)
                .build();
    }
}
