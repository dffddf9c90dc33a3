package dev.semel.http;

import dev.semel.Policy;
import dev.semel.time.TimeSource;
import java.io.Closeable;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.BaseStream;
import org.jspecify.annotations.Nullable;

/**
 * Sends a request under one key and retries it by the {@link RetryRules}.
 *
 * <p>Immutable and thread-safe. A request's body must be readable more than once, as those of {@code BodyPublishers.ofString},
 * {@code ofByteArray} and {@code ofFile} are.
 */
public final class RetryingClient {
    private final HttpClient client;
    private final RetryRules rules;

    private RetryingClient(HttpClient client, RetryRules rules) {
        this.client = client;
        this.rules = rules;
    }

    /** By the policy {@code http.client}. */
    public static RetryingClient of(HttpClient client) {
        return new RetryingClient(client, RetryRules.usual());
    }

    /** Attempts, backoff, jitter and the longest Retry-After are the policy's. */
    public RetryingClient withPolicy(Policy value) {
        return new RetryingClient(client, rules.withPolicy(value));
    }

    /** The clock of the pauses, for tests. */
    public RetryingClient withTime(TimeSource value) {
        return new RetryingClient(client, rules.withTime(value));
    }

    /** The source of jitter, for tests. */
    public RetryingClient withRandom(RandomGenerator value) {
        return new RetryingClient(client, rules.withRandom(value));
    }

    /** Generates the keys of requests without one; random UUIDs unless set. */
    public RetryingClient withKeys(Supplier<String> value) {
        return new RetryingClient(client, rules.withKeys(value));
    }

    /**
     * Sends the request with its own key or a new one, and blocks until the last attempt has ended.
     *
     * @throws IOException when the last attempt got no response; the same request may be sent again with its key
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
            Optional<Duration> pause = rules.pause(attempt, previous, got(response));
            if (pause.isEmpty()) {
                if (broken != null) {
                    throw broken;
                }
                return response;
            }
            if (response != null) {
                release(response.body());
            }
            previous = pause.get();
            rules.time().sleep(previous);
        }
    }

    /** A streamed body holds its connection until it is closed. */
    private static void release(@Nullable Object body) throws IOException {
        if (body instanceof Closeable open) {
            open.close();
        } else if (body instanceof BaseStream<?, ?> lines) {
            lines.close();
        }
    }

    private static RetryRules.@Nullable AttemptResponse got(@Nullable HttpResponse<?> response) {
        return response == null
                ? null
                : new RetryRules.AttemptResponse(
                        response.statusCode(),
                        response.headers().firstValue("Retry-After").orElse(null));
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

    private HttpRequest keyed(HttpRequest request) {
        if (request.headers().firstValue(RetryRules.KEY).isPresent()) {
            return request;
        }
        return rules.newKey(request.method())
                .map(key -> HttpRequest.newBuilder(request, (name, value) -> true)
                        .header(RetryRules.KEY, key)
                        .build())
                .orElse(request);
    }
}
