package dev.semel.spring;

import dev.semel.http.RetryRules;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;
import org.springframework.web.reactive.function.client.ExchangeFunction;
import org.springframework.web.reactive.function.client.WebClientRequestException;
import reactor.core.publisher.Mono;

/**
 * Retries the requests of a {@code WebClient}, each under one key, by the {@link RetryRules}, without blocking a thread:
 * {@code WebClient.builder().filter(new RetryingExchange(RetryRules.usual()))}. A request that is subscribed to on the thread of a
 * leased handler, a step or the handler of a keyed request has their downstream key and fence. Make it the first filter of its
 * client: then the request keeps its key when an outer {@code retry()} subscribes to it again. To run a request a second time, build a new one,
 * inside {@code Mono.defer}.
 */
public final class RetryingExchange implements ExchangeFilterFunction {
    private final RetryRules rules;

    /** @param rules which failures are retried, and when */
    public RetryingExchange(RetryRules rules) {
        this.rules = rules;
    }

    @Override
    public Mono<ClientResponse> filter(ClientRequest request, ExchangeFunction next) {
        return Mono.defer(() -> attempt(keyed(request), next, 1, null));
    }

    private ClientRequest keyed(ClientRequest request) {
        if (request.headers().getFirst(RetryRules.KEY) != null) {
            return request;
        }
        return OutgoingKey.of(rules, request.method().name(), request.url())
                .map(key -> {
                    OutgoingHeaders.keep(request.headers(), RetryRules.KEY, key.key());
                    return ClientRequest.from(request).headers(key::setOn).build();
                })
                .orElse(request);
    }

    private Mono<ClientResponse> attempt(
            ClientRequest request, ExchangeFunction next, int number, @Nullable Duration previous) {
        return next.exchange(request)
                .map(response -> new AttemptEnd(response, null))
                .onErrorResume(WebClientRequestException.class, broken -> Mono.just(new AttemptEnd(null, broken)))
                .flatMap(ended -> rules.pause(number, previous, ended.got())
                        .map(pause -> ended.released().then(again(request, next, number, pause)))
                        .orElseGet(ended::told));
    }

    /** The end of an attempt, with or without a response. */
    private record AttemptEnd(
            @Nullable ClientResponse response, @Nullable WebClientRequestException broken) {
        RetryRules.@Nullable AttemptResponse got() {
            return response == null
                    ? null
                    : new RetryRules.AttemptResponse(
                            response.statusCode().value(),
                            response.headers().asHttpHeaders().getFirst(HttpHeaders.RETRY_AFTER));
        }

        Mono<Void> released() {
            return response == null ? Mono.empty() : response.releaseBody();
        }

        Mono<ClientResponse> told() {
            return response == null ? Mono.error(Objects.requireNonNull(broken)) : Mono.just(response);
        }
    }

    private Mono<ClientResponse> again(ClientRequest request, ExchangeFunction next, int number, Duration pause) {
        return Mono.delay(pause).then(Mono.defer(() -> attempt(request, next, number + 1, pause)));
    }
}
