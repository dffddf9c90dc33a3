package dev.semel.spring;

import dev.semel.http.RetryRules;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpRequest;
import org.springframework.http.client.ClientHttpRequestExecution;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.ClientHttpResponse;

/**
 * Retries the requests of a {@code RestClient} or {@code RestTemplate}, each under one key, by the {@link RetryRules}. A request
 * that is sent by a leased handler, a step or the handler of a keyed request has their downstream key and fence. Make it the last
 * interceptor of its client, and use it only for services that honour the key, because others would run a retry again:
 * {@code RestClient.builder().requestInterceptor(interceptor)}.
 */
public final class RetryingInterceptor implements ClientHttpRequestInterceptor {
    private final RetryRules rules;

    /** @param rules which failures are retried, and when */
    public RetryingInterceptor(RetryRules rules) {
        this.rules = rules;
    }

    @Override
    public ClientHttpResponse intercept(HttpRequest request, byte[] body, ClientHttpRequestExecution execution)
            throws IOException {
        if (request.getHeaders().getFirst(RetryRules.KEY) == null) {
            OutgoingKey.of(rules, request.getMethod().name(), request.getURI())
                    .ifPresent(key -> key.setOn(request.getHeaders()));
        }
        Duration previous = null;
        for (int attempt = 1; ; attempt++) {
            ClientHttpResponse response = null;
            RetryRules.AttemptResponse got = null;
            IOException broken = null;
            try {
                response = execution.execute(request, body);
                // Some clients wait for the response only here.
                got = got(response);
            } catch (IOException e) {
                broken = e;
            }
            Optional<Duration> pause = rules.pause(attempt, previous, got);
            if (pause.isEmpty()) {
                if (broken == null) {
                    return Objects.requireNonNull(response);
                }
                close(response);
                throw broken;
            }
            close(response);
            previous = pause.get();
            sleep(previous);
        }
    }

    private static void close(@Nullable ClientHttpResponse response) {
        if (response != null) {
            response.close();
        }
    }

    private static RetryRules.AttemptResponse got(ClientHttpResponse response) throws IOException {
        return new RetryRules.AttemptResponse(
                response.getStatusCode().value(), response.getHeaders().getFirst(HttpHeaders.RETRY_AFTER));
    }

    private void sleep(Duration pause) throws IOException {
        try {
            rules.time().sleep(pause);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(
                    "Interrupted before the next attempt; the request may be sent again with the same key.", e);
        }
    }
}
