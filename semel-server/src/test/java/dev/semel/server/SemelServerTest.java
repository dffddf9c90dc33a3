package dev.semel.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.SemelException;
import dev.semel.server.config.DestinationConfig;
import dev.semel.server.config.RouteConfig;
import dev.semel.server.config.RouteConfig.Condition;
import dev.semel.server.config.ServerConfig;
import dev.semel.testkit.Await;
import dev.semel.testkit.PrivatePostgres;
import java.io.IOException;
import java.net.BindException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
class SemelServerTest {
    private static final String EVENT = StripeSender.body("evt-1", "lane", 1);

    @TempDir
    private Path directory;

    private final StripeSender stripe = new StripeSender();
    private final Receiver billing = new Receiver();
    private final Receiver archive = new Receiver();
    private String store;

    @BeforeEach
    void name() {
        store = "sqlite:" + directory.resolve("ledger.db");
    }

    @AfterEach
    void close() {
        billing.close();
        archive.close();
    }

    private ServerConfig toBoth(int port) {
        return TestConfig.of(
                store,
                port,
                TestConfig.destination("billing", billing.url()),
                TestConfig.destination("archive", archive.url()));
    }

    private static HttpResponse<String> get(SemelServer server, String path, String... headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(server.uri().resolve(path));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void webhookThatIsSentTwiceReachesEachDestinationOnce() throws Exception {
        try (SemelServer server = SemelServer.start(toBoth(0))) {
            assertThat(stripe.acknowledged(server.uri(), EVENT)).contains("accepted");
            assertThat(stripe.acknowledged(server.uri(), EVENT)).contains("duplicate");
            Await.until(
                    "both have it",
                    () -> billing.applied().size() + archive.applied().size() == 2);
        }
        assertThat(billing.applied()).containsExactly("evt-1");
        assertThat(archive.applied()).containsExactly("evt-1");
    }

    @Test
    void routesLeadToTheDestinationsWhoseConditionsHoldEachOnce() throws Exception {
        ServerConfig config = TestConfig.routed(
                store,
                0,
                List.of(
                        new RouteConfig("stripe", List.of("archive"), List.of()),
                        new RouteConfig(
                                "stripe",
                                List.of("billing", "archive"),
                                List.of(new Condition("/lane", new RouteConfig.Test.In(Set.of("a")))))),
                TestConfig.destination("billing", billing.url()),
                TestConfig.destination("archive", archive.url()));
        try (SemelServer server = SemelServer.start(config)) {
            stripe.send(server.uri(), StripeSender.body("evt-a", "a", 1));
            stripe.send(server.uri(), StripeSender.body("evt-b", "b", 1));
            Await.until(
                    "all have theirs",
                    () -> billing.applied().size() + archive.applied().size() == 3);
        }
        assertThat(billing.applied()).containsExactly("evt-a");
        assertThat(archive.applied()).containsExactlyInAnyOrder("evt-a", "evt-b");
    }

    @Test
    void failingDestinationDelaysNoOtherAndGetsItsWebhooksInOrderLater() throws Exception {
        billing.answers(() -> 503);
        try (SemelServer server = SemelServer.start(toBoth(0))) {
            for (int i = 1; i <= 3; i++) {
                stripe.send(server.uri(), StripeSender.body("evt-" + i, "lane", i));
            }
            Await.until("the other one has all", () -> archive.applied().size() == 3);
            assertThat(billing.applied()).isEmpty();
            billing.answers(() -> 200);
            Await.until("it has all", () -> billing.applied().size() == 3);
        }
        assertThat(billing.applied()).containsExactly("evt-1", "evt-2", "evt-3");
    }

    @Test
    void webhookWithoutValidSignatureIsRejectedAndUnknownPathsAreNotFound() throws Exception {
        try (SemelServer server = SemelServer.start(toBoth(0))) {
            HttpRequest unsigned = HttpRequest.newBuilder(server.uri().resolve(TestConfig.PATH))
                    .POST(HttpRequest.BodyPublishers.ofString(EVENT))
                    .build();
            HttpResponse<String> rejected =
                    HttpClient.newHttpClient().send(unsigned, HttpResponse.BodyHandlers.ofString());
            assertThat(rejected.statusCode()).isEqualTo(401);
            assertThat(rejected.body()).contains("ingress.signature_invalid");
            assertThat(get(server, "/").headers().firstValue("Location")).hasValue("./console/");
            for (String path : List.of("/in", TestConfig.PATH + "/", "/%2e%2e/livez")) {
                assertThat(get(server, path).statusCode()).as(path).isBetween(400, 404);
            }
            assertThat(get(server, "/nothing").body()).contains("request.not_found");
        }
        assertThat(billing.applied()).isEmpty();
    }

    @Test
    void healthAndMetricsAreServedAndMetricsOnlyToThisMachine() throws Exception {
        try (SemelServer server = SemelServer.start(toBoth(0))) {
            assertThat(get(server, "/livez").statusCode()).isEqualTo(200);
            assertThat(get(server, "/readyz").statusCode()).isEqualTo(200);
            stripe.send(server.uri(), EVENT);
            Await.until(
                    "its request is counted",
                    () -> get(server, "/metrics").body().contains("semel_ingress_requests_total"));
            assertThat(get(server, "/metrics", "X-Forwarded-For", "192.0.2.1").statusCode())
                    .isEqualTo(404);
        }
    }

    @Test
    void apiGrantsAnOperationOnceAndOnlyWithAToken() throws Exception {
        try (SemelServer server = SemelServer.start(toBoth(0))) {
            String begin = "{\"key\": \"order-1\", \"payload\": 1}";
            assertThat(begin(server, TestConfig.TOKEN, begin).body()).contains("\"granted\"");
            assertThat(begin(server, TestConfig.TOKEN, begin).body()).contains("idempotency.in_progress");
            assertThat(begin(server, "token-of-somebody-else", begin).statusCode())
                    .isEqualTo(401);
        }
    }

    private static HttpResponse<String> begin(SemelServer server, String token, String body)
            throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(server.uri().resolve("/api/v1/operations/charge/begin"))
                .header("Authorization", "Bearer " + token)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void channelsOfSourcesAndDestinationsAreClosedToTheApi() throws Exception {
        try (SemelServer server = SemelServer.start(toBoth(0))) {
            HttpRequest request = HttpRequest.newBuilder(
                            server.uri().resolve("/api/v1/operations/destination.billing/begin"))
                    .header("Authorization", "Bearer " + TestConfig.TOKEN)
                    .header("Content-Type", "application/json")
                    .POST(HttpRequest.BodyPublishers.ofString("{\"key\": \"k\"}"))
                    .build();
            HttpResponse<String> response =
                    HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
            assertThat(response.statusCode()).isEqualTo(403);
            assertThat(response.body()).contains("access.denied");
        }
    }

    @Test
    void stopEndsAndHandsBackAlthoughARequestOutlivesItsBound() throws Exception {
        ServerConfig.Listen brief =
                new ServerConfig.Listen("127.0.0.1", 0, null, TestConfig.LIMITS, Duration.ofMillis(300));
        ServerConfig both = toBoth(0);
        ServerConfig config = new ServerConfig(store, brief, both.policies(), both.tokens(), both.routing());
        SemelServer server = SemelServer.start(config);
        try (Socket slow = new Socket("127.0.0.1", server.uri().getPort())) {
            slow.getOutputStream()
                    .write(("POST " + TestConfig.PATH + " HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n1")
                            .getBytes(StandardCharsets.US_ASCII));
            slow.getOutputStream().flush();
            stripe.send(server.uri(), EVENT);
            Await.until("it is delivered", () -> billing.applied().size() == 1);
            assertThat(server.stop()).as("a request was cut off").isFalse();
        }
        try (SemelServer next = SemelServer.start(toBoth(0))) {
            assertThat(stripe.acknowledged(next.uri(), EVENT)).contains("duplicate");
        }
    }

    @Test
    void rejectedReloadHasHandledNothing() throws Exception {
        ServerConfig before = TestConfig.of(store, 0, TestConfig.destination("billing", billing.url()));
        DestinationConfig archived = TestConfig.destination("archive", archive.url());
        DestinationConfig wrong = new DestinationConfig(
                "wrong",
                new DestinationConfig.Target(
                        archive.url(),
                        Map.of("Host", "elsewhere"),
                        List.of(),
                        Duration.ofSeconds(1),
                        archived.target().egress()),
                "worker.job",
                true,
                archived.capacity(),
                null);
        try (SemelServer server = SemelServer.start(before)) {
            assertThatThrownBy(() -> server.reload(TestConfig.of(store, 0, archived, wrong)))
                    .isInstanceOf(SemelException.class);
            stripe.send(server.uri(), EVENT);
            Await.until("it goes where it went before", () -> billing.applied().size() == 1);
        }
        assertThat(archive.applied()).isEmpty();
    }

    @Test
    void reloadTakesNewDestinationsIntoUseAndLosesNothing() throws Exception {
        ServerConfig before = TestConfig.of(store, 0, TestConfig.destination("billing", billing.url()));
        billing.answers(() -> 503);
        try (SemelServer server = SemelServer.start(before)) {
            stripe.send(server.uri(), EVENT);
            ServerConfig after = toBoth(0);
            assertThat(server.reload(after)).isTrue();
            assertThat(stripe.acknowledged(server.uri(), StripeSender.body("evt-2", "lane", 2)))
                    .contains("accepted");
            Await.until(
                    "the new destination has the second",
                    () -> archive.applied().size() == 1);
            billing.answers(() -> 200);
            Await.until("the first has both", () -> billing.applied().size() == 2);
        }
        assertThat(billing.applied()).containsExactly("evt-1", "evt-2");
        assertThat(archive.applied()).containsExactly("evt-2");
    }

    @Test
    void reloadThatCannotBeUsedChangesNothing() throws Exception {
        try (SemelServer server = SemelServer.start(toBoth(0))) {
            ServerConfig elsewhere = toBoth(server.uri().getPort() + 1);
            assertThatThrownBy(() -> server.reload(elsewhere))
                    .isInstanceOf(SemelException.Misconfigured.class)
                    .hasMessageContaining("restart the server");
            ServerConfig noStore = TestConfig.of("sqlite:" + directory.resolve("missing/ledger.db"), 0);
            assertThatThrownBy(() -> server.reload(noStore)).isInstanceOf(SemelException.class);
            assertThat(stripe.acknowledged(server.uri(), EVENT)).contains("accepted");
            Await.until("it is delivered", () -> billing.applied().size() == 1);
        }
    }

    @Test
    void portInUseIsAnErrorThatNamesIt() throws Exception {
        try (ServerSocket taken = new ServerSocket(0)) {
            assertThatThrownBy(() -> SemelServer.start(TestConfig.of(store, taken.getLocalPort())))
                    .isInstanceOf(IOException.class)
                    .hasRootCauseInstanceOf(BindException.class)
                    .hasMessageContaining("" + taken.getLocalPort());
        }
    }

    @Test
    void serverStartsWhileItsDatabaseIsDownAndIsReadyWhenItComesBack() throws Exception {
        try (PrivatePostgres postgres = PrivatePostgres.start(PrivatePostgres.FAST)) {
            store = postgres.url(postgres.freshDatabase());
            postgres.stop();
            try (SemelServer server = SemelServer.start(toBoth(0))) {
                assertThat(get(server, "/livez").statusCode()).isEqualTo(200);
                assertThat(get(server, "/readyz").statusCode()).isEqualTo(503);
                HttpResponse<String> rejected = stripe.send(server.uri(), EVENT);
                assertThat(rejected.statusCode()).isEqualTo(503);
                assertThat(rejected.headers().firstValue("Retry-After")).isPresent();
                postgres.restart();
                Await.until("it is ready", () -> get(server, "/readyz").statusCode() == 200);
                assertThat(stripe.acknowledged(server.uri(), EVENT)).contains("accepted");
                Await.until("it is delivered", () -> billing.applied().size() == 1);
            }
        }
    }

    @Test
    void b10_stopAnswersWhatIsUnderWayAndLosesNothing() throws Exception {
        int sent = 40;
        SemelServer server = SemelServer.start(toBoth(0));
        URI uri = server.uri();
        for (int i = 1; i <= sent; i++) {
            assertThat(stripe.acknowledged(uri, StripeSender.body("evt-" + i, "lane-" + i % 5, i)))
                    .contains("accepted");
        }
        assertThat(server.stop()).as("it drains within its bound").isTrue();
        assertThatThrownBy(() -> stripe.send(uri, EVENT)).isInstanceOf(IOException.class);
        try (SemelServer next = SemelServer.start(toBoth(0))) {
            assertThat(next.uri()).isNotNull();
            Await.until("all are delivered", () -> billing.applied().size() == sent);
            Await.until("all are delivered", () -> archive.applied().size() == sent);
        }
    }
}
