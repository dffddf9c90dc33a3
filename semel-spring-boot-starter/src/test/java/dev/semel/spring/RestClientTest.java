package dev.semel.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.semel.Call;
import dev.semel.Key;
import dev.semel.LeasedContext;
import dev.semel.Operation;
import dev.semel.Semel;
import dev.semel.SemelException;
import dev.semel.Tenant;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;

/** The keys and fences of outgoing calls, as a downstream service gets them. */
class RestClientTest {
    private static final Operation.Leased<String, String> REFUND =
            Operation.leased("refund", String.class, String.class).asRepeatable();

    /** A call as the downstream service got it. */
    private record Received(
            String path, @Nullable String key, @Nullable String fence) {}

    private static final List<Received> RECEIVED = new CopyOnWriteArrayList<>();
    private static final ConcurrentLinkedQueue<Integer> STATUSES = new ConcurrentLinkedQueue<>();
    private static HttpServer downstream;
    private static ConfigurableApplicationContext context;

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Payments.class, Transfers.class})
    static class Application {}

    @Service
    static class Payments {
        // region client
        private final RestClient psp;

        Payments(RestClient.Builder builder, RetryingInterceptor semel) {
            this.psp = builder.requestInterceptor(semel).build();
        }

        @Idempotent(value = "capture", key = "#payment", form = Idempotent.Form.LEASED)
        public String capture(String payment, @Nullable LeasedContext run) {
            return psp.post().uri(url() + "/captures").body(payment).retrieve().body(String.class);
        }
        // endregion
    }

    @RestController
    static class Transfers {
        private final RestClient bank;

        Transfers(RestClient.Builder builder, RetryingInterceptor semel) {
            this.bank = builder.requestInterceptor(semel).build();
        }

        @PostMapping("/transfers")
        public String transfer() {
            for (String path : List.of("/debits?at=" + System.nanoTime(), "/credits")) {
                bank.post().uri(url() + path).body("100").retrieve().toBodilessEntity();
            }
            bank.get().uri(url() + "/balance").retrieve().toBodilessEntity();
            return "done";
        }
    }

    private static String url() {
        return "http://" + downstream.getAddress().getHostString() + ":"
                + downstream.getAddress().getPort();
    }

    @BeforeAll
    static void start() throws IOException {
        downstream = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        downstream.createContext("/", exchange -> {
            exchange.getRequestBody().readAllBytes();
            RECEIVED.add(new Received(
                    exchange.getRequestURI().getPath(),
                    exchange.getRequestHeaders().getFirst("Idempotency-Key"),
                    exchange.getRequestHeaders().getFirst("Idempotency-Fence")));
            Integer status = STATUSES.poll();
            exchange.sendResponseHeaders(status == null ? 200 : status, -1);
            exchange.close();
        });
        downstream.start();
        context = new SpringApplicationBuilder(Application.class)
                .properties(
                        "server.port=0",
                        "spring.datasource.url=" + Databases.SQLITE.fresh(),
                        "spring.main.banner-mode=off",
                        "spring.autoconfigure.exclude=" + Databases.JPA + "," + Web.SECURITY,
                        "semel.http.anonymous=true",
                        "semel.policy.http.client.max-attempts=2",
                        "semel.policy.http.client.backoff=none",
                        "semel.policy.default.backoff=none",
                        "semel.policy.api.request.backoff=none")
                .run();
    }

    @AfterAll
    static void stop() {
        context.close();
        downstream.stop(0);
    }

    @BeforeEach
    void clear() {
        RECEIVED.clear();
        STATUSES.clear();
    }

    private static List<String> keys() {
        return RECEIVED.stream().map(Received::key).toList();
    }

    @Test
    void callOfALeasedMethodCarriesTheDownstreamKeyAndTheFenceThroughItsRetries() {
        STATUSES.add(503);
        context.getBean(Payments.class).capture("p-1", null);
        assertThat(RECEIVED).hasSize(2).allSatisfy(call -> {
            assertThat(call.key()).startsWith("semel-");
            assertThat(Long.parseLong(String.valueOf(call.fence()))).isPositive();
        });
        assertThat(keys().stream().distinct()).hasSize(1);
    }

    @Test
    void callInAStepCarriesTheKeyOfTheStepAndOneThatIsRepeatedTheSameWithAHigherFence() {
        RestClient client = client();
        List<String> steps = new ArrayList<>();
        List<Integer> attempts = new ArrayList<>();
        context.getBean(Semel.class).run(REFUND, Call.of(Tenant.SINGLE, Key.of("r-1"), "100"), (amount, run) -> {
            attempts.add(run.attempt());
            run.step("psp", String.class, key -> {
                steps.add(key);
                client.post().uri(url() + "/refunds").body(amount).retrieve().toBodilessEntity();
                if (attempts.size() == 1) {
                    throw new IOException("connection reset");
                }
                return "refunded";
            });
            return "done";
        });
        assertThat(steps).hasSize(2);
        assertThat(keys()).isEqualTo(steps);
        assertThat(steps.get(0)).isEqualTo(steps.get(1));
        assertThat(Long.parseLong(String.valueOf(RECEIVED.get(1).fence())))
                .isGreaterThan(Long.parseLong(String.valueOf(RECEIVED.get(0).fence())));
    }

    @Test
    void anotherCallUnderTheKeyOfOneRunIsRejectedAndARetryOfTheFirstIsSent() {
        RestClient client = client();
        List<Throwable> thrown = new ArrayList<>();
        context.getBean(Semel.class).run(REFUND, Call.of(Tenant.SINGLE, Key.of("r-2"), "100"), (amount, run) -> {
            for (int attempt = 0; attempt < 2; attempt++) {
                client.post().uri(url() + "/first").body(amount).retrieve().toBodilessEntity();
            }
            try {
                client.post().uri(url() + "/second").body(amount).retrieve().toBodilessEntity();
            } catch (RuntimeException e) {
                thrown.add(e);
            }
            client.post()
                    .uri(url() + "/third")
                    .header("Idempotency-Key", "own")
                    .body(amount)
                    .retrieve()
                    .toBodilessEntity();
            return "done";
        });
        assertThat(thrown)
                .singleElement()
                .satisfies(e -> assertThat(e)
                        .isInstanceOf(SemelException.Invalid.class)
                        .hasMessageContaining("/second rejected and not sent")
                        .hasMessageContaining("Make each call in a step of its own"));
        assertThat(RECEIVED).extracting(Received::path).containsExactly("/first", "/first", "/third");
        assertThat(keys().get(1)).isEqualTo(keys().get(0));
        assertThat(keys().get(2)).isEqualTo("own");
    }

    @Test
    void callsOfAKeyedRequestHaveKeysOfTheirOwnThatStayTheSameWhenItIsRunAgain() {
        Web web = Web.of(context);
        STATUSES.addAll(List.of(200, 200, 500, 500));
        assertThat(web.post("/transfers", "k-1", null).statusCode()).isEqualTo(500);
        List<Received> first = List.copyOf(RECEIVED);
        RECEIVED.clear();
        assertThat(web.post("/transfers", "k-1", null).statusCode()).isEqualTo(200);
        assertThat(first).extracting(Received::path).startsWith("/debits", "/credits", "/balance");
        assertThat(first.stream().limit(2).map(Received::key).distinct())
                .hasSize(2)
                .doesNotContainNull();
        assertThat(first.get(2).key()).isNull();
        assertThat(keys().subList(0, 2))
                .isEqualTo(first.stream().limit(2).map(Received::key).toList());
        assertThat(Long.parseLong(String.valueOf(RECEIVED.get(0).fence())))
                .isGreaterThan(Long.parseLong(String.valueOf(first.get(0).fence())));
    }

    @Test
    void callOutsideAnyHandlerHasANewKeyAndNoFence() {
        client().post().uri(url() + "/a").retrieve().toBodilessEntity();
        client().post().uri(url() + "/b").retrieve().toBodilessEntity();
        assertThat(keys().stream().distinct()).hasSize(2).doesNotContainNull();
        assertThat(RECEIVED).extracting(Received::fence).containsOnlyNulls();
    }

    private static RestClient client() {
        return context.getBean(RestClient.Builder.class)
                .requestInterceptor(context.getBean(RetryingInterceptor.class))
                .build();
    }

    @Test
    void builderOfTheApplicationIsUnchangedUnlessThePropertyIsSet() {
        context.getBean(RestClient.Builder.class)
                .build()
                .post()
                .uri(url() + "/plain")
                .retrieve()
                .toBodilessEntity();
        assertThat(keys()).containsOnlyNulls();
        new ApplicationContextRunner()
                .withConfiguration(
                        AutoConfigurations.of(SemelAutoConfiguration.class, SemelClientAutoConfiguration.class))
                .withBean(RestClient.Builder.class, RestClient::builder)
                .withPropertyValues("semel.store=memory:", "semel.expert.rest-client=true")
                .run(changed -> {
                    assertThat(changed).hasNotFailed();
                    changed.getBean(RestClient.Builder.class)
                            .build()
                            .post()
                            .uri(url() + "/changed")
                            .retrieve()
                            .toBodilessEntity();
                });
        assertThat(keys()).hasSize(2);
        assertThat(keys().get(1)).isNotNull();
        assertThatThrownBy(() -> new SpringApplicationBuilder(Application.class)
                        .properties("semel.expert.rest-client=maybe", "spring.main.banner-mode=off")
                        .run())
                .hasStackTraceContaining("semel.expert.rest-client is \"maybe\": use true or false");
    }
}
