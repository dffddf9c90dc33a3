package dev.semel.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.Await;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What passes the gateway, what is run once, and what a failure of the API leaves behind. */
@Timeout(300)
class GatewayTest {
    @TempDir
    private Path directory;

    private final TestApi api = new TestApi();

    @AfterEach
    void close() {
        api.close();
    }

    private GatewayServer server(String... settings) throws Exception {
        return GatewayServer.start(directory, api.url(), settings);
    }

    private static String code(HttpResponse<String> response) {
        return response.body().replaceAll("(?s).*\"code\":\"([^\"]*)\".*", "$1");
    }

    @Test
    void retryIsReplayedAndReachesTheApiOnceUnderADerivedKey() throws Exception {
        api.answers(201, "made", "Content-Type: text/plain\r\n", "Set-Cookie: a=b\r\n", "Keep-Alive: timeout=9\r\n");
        try (GatewayServer server = server()) {
            HttpResponse<String> first = server.post("/orders?x=1", "k-1");
            HttpResponse<String> again = server.post("/orders?x=1", "k-1");
            assertThat(first.statusCode()).isEqualTo(201);
            assertThat(first.headers().firstValue("Set-Cookie")).contains("a=b");
            assertThat(first.headers().firstValue("Keep-Alive")).isEmpty();
            assertThat(again.body()).isEqualTo("made");
            assertThat(again.headers().firstValue("Idempotency-Replayed")).contains("true");
            assertThat(again.headers().firstValue("Set-Cookie")).isEmpty();
        }
        assertThat(api.calls()).hasSize(1);
        TestApi.ApiCall call = api.calls().get(0);
        assertThat(call.line()).isEqualTo("POST /base/orders?x=1 HTTP/1.1");
        assertThat(call.body()).isEqualTo("{\"a\":1}");
        assertThat(call.header("Idempotency-Key")).isNotNull().isNotEqualTo("k-1");
        assertThat(call.header("Authorization")).isNull();
    }

    @Test
    void headersOfOneConnectionAndClaimsOfTheCallerAreNotPassedOn() throws Exception {
        try (GatewayServer server = server("headers: {X-Gateway: shop}")) {
            String answer = server.raw("GET http://evil.example/shop/a?b=c HTTP/1.1\r\nHost: evil.example\r\n"
                    + "Authorization: Bearer " + GatewayServer.ALICE + "\r\nConnection: close, X-Secret\r\n"
                    + "X-Secret: 1\r\nTE: trailers\r\nX-Forwarded-For: 1.2.3.4\r\nX-HTTP-Method-Override: POST\r\n"
                    + "X-Original-URL: /admin\r\nX-Kept: yes\r\n\r\n");
            assertThat(answer).startsWith("HTTP/1.1 200");
        }
        TestApi.ApiCall call = api.calls().get(0);
        assertThat(call.line()).isEqualTo("GET /base/a?b=c HTTP/1.1");
        assertThat(call.headers())
                .doesNotContainKeys("x-secret", "te", "x-http-method-override", "x-original-url", "authorization")
                .containsEntry("x-kept", "yes")
                .containsEntry("x-gateway", "shop")
                .containsEntry("x-forwarded-for", "127.0.0.1");
        assertThat(call.header("Host")).startsWith("127.0.0.1:");
    }

    @Test
    void pathsThatLeaveTheBaseAndSmuggledRequestsNeverReachTheApi() throws Exception {
        try (GatewayServer server = server()) {
            for (String path : new String[] {
                "/shop/../admin",
                "/shop/%2e%2e/admin",
                "/shop/a%2fb",
                "/shop/a%5cb",
                "/shop/..;/x",
                "/shop//x",
                "/shop/%2561",
                "/shop/a\\b",
                "/shop/%00",
                "/shopping/x"
            }) {
                String answer = server.raw("GET " + path + " HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer "
                        + GatewayServer.ALICE + "\r\nConnection: close\r\n\r\n");
                assertThat(answer).as(path).matches("(?s)HTTP/1.1 (400|404) .*");
            }
            String both = server.raw("POST /shop/x HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer " + GatewayServer.ALICE
                    + "\r\nIdempotency-Key: s\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
                    + "0\r\n\r\nGET /x HTTP/1.1\r\n\r\n");
            assertThat(both).startsWith("HTTP/1.1 400");
            String upgrade = server.raw("GET /shop/x HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer "
                    + GatewayServer.ALICE + "\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n");
            assertThat(upgrade).startsWith("HTTP/1.1 501").contains("gateway.upgrade_refused");
        }
        assertThat(api.calls()).isEmpty();
    }

    @Test
    void callerWithoutATokenIsRejectedAlsoForReading() throws Exception {
        try (GatewayServer server = server()) {
            HttpResponse<String> answer =
                    server.send(HttpRequest.newBuilder(server.at("/a")).build());
            assertThat(answer.statusCode()).isEqualTo(401);
        }
        assertThat(api.calls()).isEmpty();
    }

    @Test
    void keysOfAnOpenGatewayBelongToTheCredentialsThatTheApiChecks() throws Exception {
        try (GatewayServer server = server("callers: upstream", "tenant: acme")) {
            HttpRequest.Builder request = HttpRequest.newBuilder(server.at("/a"))
                    .header("Idempotency-Key", "k")
                    .POST(HttpRequest.BodyPublishers.ofString("x"));
            assertThat(server.send(request.copy().build()).statusCode()).isEqualTo(401);
            server.send(request.copy().header("Authorization", "Basic one").build());
            server.send(request.copy().header("Authorization", "Basic one").build());
            server.send(request.copy().header("Authorization", "Basic two").build());
        }
        assertThat(api.calls())
                .extracting(call -> call.header("Authorization"))
                .containsExactly("Basic one", "Basic two");
        assertThat(api.calls().get(0).header("Idempotency-Key"))
                .isNotEqualTo(api.calls().get(1).header("Idempotency-Key"));
    }

    @Test
    void refusedConnectionHadNoEffectAndMayBeRetried() throws Exception {
        api.close();
        try (GatewayServer server = server()) {
            HttpResponse<String> first = server.post("/a", "k");
            assertThat(first.statusCode()).isEqualTo(502);
            assertThat(code(first)).isEqualTo("gateway.upstream_unreachable");
            assertThat(first.headers().firstValue("Retry-After")).isPresent();
            assertThat(code(server.post("/a", "k"))).isEqualTo("idempotency.retry_later");
        }
    }

    @Test
    void answerThatBreaksOffIsUnknownAndIsNotSentAgain() throws Exception {
        api.converses((call, out) -> {
            TestApi.write(out, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\nX-Half: yes\r\n\r\nhalf");
            throw new IOException("dropped");
        });
        try (GatewayServer server = server()) {
            HttpResponse<String> first = server.post("/a", "k");
            assertThat(first.statusCode()).isEqualTo(502);
            assertThat(first.body()).doesNotContain("half");
            assertThat(first.headers().firstValue("X-Half")).isEmpty();
            HttpResponse<String> again = server.post("/a", "k");
            assertThat(code(again)).isEqualTo("idempotency.outcome_unknown");
        }
        assertThat(api.calls()).hasSize(1);
    }

    @Test
    void errorOfAnApiThatIsNotRepeatableIsUnknown() throws Exception {
        api.answers(500, "broken");
        try (GatewayServer server = server()) {
            assertThat(server.post("/a", "k").statusCode()).isEqualTo(500);
            assertThat(code(server.post("/a", "k"))).isEqualTo("idempotency.outcome_unknown");
        }
    }

    @Test
    void repeatableApiGetsTheSameDerivedKeyAgainAfterAFailure() throws Exception {
        AtomicInteger number = new AtomicInteger();
        api.converses((call, out) -> {
            if (number.incrementAndGet() == 1) {
                throw new IOException("dropped");
            }
            TestApi.write(out, TestApi.answer(201, "made"));
        });
        try (GatewayServer server = server("repeatable: true")) {
            assertThat(server.post("/a", "k").statusCode()).isEqualTo(502);
            awaitMade(server);
        }
        assertThat(api.calls()).hasSize(2);
        assertThat(api.calls().get(0).header("Idempotency-Key"))
                .isNotNull()
                .isEqualTo(api.calls().get(1).header("Idempotency-Key"));
    }

    @Test
    void probeDecidesAboutARequestThatIsUnknown() throws Exception {
        api.converses((call, out) -> {
            if (call.line().startsWith("POST")) {
                throw new IOException("dropped");
            }
            TestApi.write(out, TestApi.answer(200, "done"));
        });
        try (GatewayServer server = server("probe: /requests/{key}")) {
            assertThat(server.post("/a", "k").statusCode()).isEqualTo(502);
            Await.until("the probe was asked", () -> api.calls().size() > 1);
            Await.until("the request is done", () -> {
                try {
                    HttpResponse<String> again = server.post("/a", "k");
                    return again.statusCode() == 200 && again.body().isEmpty();
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
        }
        String key = api.calls().get(0).header("Idempotency-Key");
        assertThat(api.calls().get(1).line()).isEqualTo("GET /base/requests/" + key + " HTTP/1.1");
        assertThat(api.calls())
                .filteredOn(call -> call.line().startsWith("POST"))
                .hasSize(1);
    }

    @Test
    void probeThatAnswersGoneLetsTheNextRequestRun() throws Exception {
        AtomicInteger posts = new AtomicInteger();
        api.converses((call, out) -> {
            if (call.line().startsWith("GET")) {
                TestApi.write(out, TestApi.answer(410, "never"));
            } else if (posts.incrementAndGet() == 1) {
                throw new IOException("dropped");
            } else {
                TestApi.write(out, TestApi.answer(201, "made"));
            }
        });
        try (GatewayServer server = server("probe: /requests/{key}")) {
            assertThat(server.post("/a", "k").statusCode()).isEqualTo(502);
            awaitMade(server);
        }
        assertThat(posts).hasValue(2);
    }

    private static void awaitMade(GatewayServer server) {
        Await.until("it is sent again", () -> {
            try {
                return server.post("/a", "k").statusCode() == 201;
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
    }

    @Test
    void errorOfARepeatableApiIsRetried() throws Exception {
        AtomicInteger number = new AtomicInteger();
        api.converses((call, out) -> TestApi.write(
                out, number.incrementAndGet() == 1 ? TestApi.answer(500, "broken") : TestApi.answer(201, "made")));
        try (GatewayServer server = server("repeatable: true")) {
            assertThat(server.post("/a", "k").statusCode()).isEqualTo(500);
            awaitMade(server);
        }
        assertThat(number).hasValue(2);
    }

    @Test
    void tokenWithoutTheScopeOfTheGatewayIsForbidden() throws Exception {
        try (GatewayServer server = server()) {
            HttpResponse<String> answer = server.send(HttpRequest.newBuilder(server.at("/a"))
                    .header("Authorization", "Bearer " + GatewayServer.CAROL)
                    .build());
            assertThat(answer.statusCode()).isEqualTo(403);
        }
        assertThat(api.calls()).isEmpty();
    }

    @Test
    void refusalsOfTheApiLeaveNoRecord() throws Exception {
        try (GatewayServer server = server()) {
            for (int status : new int[] {401, 403, 413, 429}) {
                api.answers(status, "no");
                assertThat(server.post("/a", "k").statusCode()).isEqualTo(status);
            }
            api.answers(422, "wrong");
            assertThat(server.post("/a", "k").statusCode()).isEqualTo(422);
            api.answers(200, "fine");
            assertThat(server.post("/a", "k").body()).isEqualTo("wrong");
        }
    }

    @Test
    void apiThatNeverAnswersOrNeverEndsIsGivenUp() throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        try (GatewayServer server = server("timeout: 500ms")) {
            api.converses((call, out) -> awaitQuietly(over));
            assertThat(server.post("/a", "silent").statusCode()).isEqualTo(504);
            assertThat(server.get("/a").statusCode()).isEqualTo(504);
            api.converses((call, out) -> {
                TestApi.write(
                        out, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 999999999\r\n\r\n");
                while (true) {
                    TestApi.write(out, "data: x\n\n");
                }
            });
            HttpResponse<String> endless = server.post("/a", "endless");
            // Whichever limit comes first: that of time, or that of bytes.
            assertThat(endless.statusCode()).isIn(200, 504);
            assertThat(endless.body()).doesNotContain("data:");
        } finally {
            over.countDown();
        }
    }

    private static void awaitQuietly(CountDownLatch latch) throws IOException {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        throw new IOException("over");
    }

    @Test
    void largeAnswerIsDeliveredOnceAndItsReplayHasNoBody() throws Exception {
        api.answers(200, "x".repeat(3_000));
        try (GatewayServer server = server("largest-response: 1KiB", "largest-request: 1KiB")) {
            assertThat(server.post("/a", "k").body()).hasSize(3_000);
            HttpResponse<String> again = server.post("/a", "k");
            assertThat(again.statusCode()).isEqualTo(200);
            assertThat(again.body()).isEmpty();
            HttpResponse<String> large = server.send("POST", "/a", "y".repeat(2_000), "Idempotency-Key", "large");
            assertThat(code(large)).isEqualTo("request.too_large");
        }
        assertThat(api.calls()).hasSize(1);
    }

    @Test
    void streamsOfReadersPassOrAreRefusedAsConfigured() throws Exception {
        api.answers(200, "data: x\n\n", "Content-Type: text/event-stream\r\n");
        try (GatewayServer server = server()) {
            assertThat(server.get("/events").body()).isEqualTo("data: x\n\n");
        }
        try (GatewayServer server = server("streams: refuse")) {
            assertThat(code(server.get("/events"))).isEqualTo("gateway.stream_refused");
        }
    }
}
