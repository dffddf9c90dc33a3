package dev.semel.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.semel.Policy;
import dev.semel.http.RetryRules;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.http.HttpEntity;
import org.springframework.http.HttpMethod;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.http.client.SimpleClientHttpRequestFactory;
import org.springframework.http.client.reactive.JdkClientHttpConnector;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClientResponseException;
import org.springframework.web.client.RestTemplate;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.WebClientResponseException;
import reactor.core.publisher.Mono;

/** One key across all attempts, by each of Spring's clients. */
class ClientTest {
    private static final RetryRules RULES = RetryRules.usual()
            .withPolicy(Policy.named("test")
                    .withMaxAttempts(3)
                    .withBackoff(new Policy.Backoff.None())
                    .build());

    /** What a server answers: a status, with or without Retry-After; 0 breaks the connection. */
    private record Scripted(int status, boolean retryAfter) {}

    enum Clients {
        REST {
            @Override
            String send(HttpMethod method, String url) {
                return RestClient.builder()
                        .requestFactory(new JdkClientHttpRequestFactory())
                        .requestInterceptor(new RetryingInterceptor(RULES))
                        .build()
                        .method(method)
                        .uri(url)
                        .body("hello")
                        .exchange(
                                (request, response) -> response.getStatusCode().value() + " "
                                        + new String(response.getBody().readAllBytes(), StandardCharsets.UTF_8));
            }
        },
        /** Which learns only when it is asked for the status that nobody answers. */
        TEMPLATE {
            @Override
            String send(HttpMethod method, String url) {
                RestTemplate template = new RestTemplate(new SimpleClientHttpRequestFactory());
                template.setInterceptors(List.of(new RetryingInterceptor(RULES)));
                try {
                    var response = template.exchange(url, method, new HttpEntity<>("hello"), String.class);
                    return response.getStatusCode().value() + " " + response.getBody();
                } catch (RestClientResponseException e) {
                    return e.getStatusCode().value() + " " + e.getResponseBodyAsString();
                }
            }
        },
        WEB {
            @Override
            String send(HttpMethod method, String url) {
                WebClient.RequestBodySpec request = WebClient.builder()
                        .clientConnector(new JdkClientHttpConnector())
                        .filter(new RetryingExchange(RULES))
                        .build()
                        .method(method)
                        .uri(url);
                try {
                    return "200 "
                            + request.bodyValue("hello")
                                    .retrieve()
                                    .bodyToMono(String.class)
                                    .block();
                } catch (WebClientResponseException e) {
                    return e.getStatusCode().value() + " " + e.getResponseBodyAsString();
                }
            }
        };

        abstract String send(HttpMethod method, String url);
    }

    private final Queue<Scripted> script = new ConcurrentLinkedQueue<>();
    private final List<String> keys = new CopyOnWriteArrayList<>();
    private HttpServer server;
    private String url;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            keys.add(String.valueOf(exchange.getRequestHeaders().getFirst("Idempotency-Key")));
            exchange.getRequestBody().readAllBytes();
            Scripted next = script.poll();
            if (next == null || next.status == 0) {
                exchange.close();
                return;
            }
            if (next.retryAfter) {
                exchange.getResponseHeaders().set("Retry-After", "0");
            }
            byte[] body = ("answer " + keys.size()).getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(next.status, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        url = "http://" + server.getAddress().getHostString() + ":"
                + server.getAddress().getPort() + "/";
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private void answers(Scripted... scripted) {
        script.addAll(List.of(scripted));
    }

    @ParameterizedTest
    @EnumSource
    void oneKeyGoesWithEveryAttempt(Clients clients) {
        answers(new Scripted(503, true), new Scripted(409, true), new Scripted(200, false));
        assertThat(clients.send(HttpMethod.POST, url)).isEqualTo("200 answer 3");
        assertThat(keys).hasSize(3).doesNotContain("null");
        assertThat(keys.stream().distinct()).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource
    void brokenConnectionIsRetriedAndFinallyThrown(Clients clients) {
        answers(new Scripted(0, false), new Scripted(200, false));
        assertThat(clients.send(HttpMethod.PUT, url)).isEqualTo("200 answer 2");
        keys.clear();
        assertThatThrownBy(() -> clients.send(HttpMethod.PUT, url)).isInstanceOf(RuntimeException.class);
        assertThat(keys).hasSize(3);
        assertThat(keys.stream().distinct()).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource
    void permanentResponseIsReturnedToTheCaller(Clients clients) {
        answers(new Scripted(409, false));
        assertThat(clients.send(HttpMethod.POST, url)).isEqualTo("409 answer 1");
        answers(new Scripted(500, false), new Scripted(502, false), new Scripted(504, false));
        assertThat(clients.send(HttpMethod.POST, url)).isEqualTo("504 answer 4");
    }

    /** Subscribed to again, a request is the same one. */
    @Test
    void outerRetryOfAWebClientKeepsTheKey() {
        answers(new Scripted(400, false), new Scripted(200, false), new Scripted(200, false));
        Mono<String> request = WebClient.builder()
                .clientConnector(new JdkClientHttpConnector())
                .filter(new RetryingExchange(RULES))
                .build()
                .post()
                .uri(url)
                .bodyValue("hello")
                .retrieve()
                .bodyToMono(String.class);
        assertThat(request.retry(1).block()).isEqualTo("answer 2");
        assertThat(keys).hasSize(2).doesNotContain("null");
        assertThat(keys.stream().distinct()).hasSize(1);
        assertThat(Clients.WEB.send(HttpMethod.POST, url)).isEqualTo("200 answer 3");
        assertThat(keys.stream().distinct()).hasSize(2);
    }
}
