package dev.semel.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.Await;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Callers and APIs that try to double an effect, to get at the answer of another, or to hold the gateway. */
@Timeout(120)
class HostileGatewayTest {
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

    @Test
    void requestOnAConnectionThatTheApiClosesIsNotSentAgain() throws Exception {
        AtomicInteger posts = new AtomicInteger();
        api.converses((call, out) -> {
            if (posts.incrementAndGet() == 2) {
                throw new IOException("closed with the request in its hands");
            }
            TestApi.write(out, TestApi.answer(201, "made"));
        });
        try (GatewayServer server = server()) {
            assertThat(server.post("/a", "first").statusCode()).isEqualTo(201);
            assertThat(server.post("/a", "second").statusCode()).isEqualTo(502);
            assertThat(server.post("/a", "second").body()).contains("idempotency.outcome_unknown");
        }
        assertThat(posts)
                .as("neither the HTTP client nor the retry sent it again")
                .hasValue(2);
    }

    @Test
    void unusedConnectionIsClosedBeforeServersUsuallyCloseThem() throws Exception {
        try (GatewayServer server = server("idle: 10m")) {
            assertThat(server.post("/a", "k").statusCode()).isEqualTo(200);
            Await.until("the gateway closes it", () -> api.connections() == 0);
        }
    }

    @Test
    void contentTypeThatThisServerDoesNotKnowIsPassedOn() throws Exception {
        try (GatewayServer server = server()) {
            HttpResponse<String> answer = server.send(
                    "POST", "/a", "x", "Idempotency-Key", "k", "Content-Type", "text/plain; charset=nonsense");
            assertThat(answer.statusCode()).isEqualTo(200);
        }
        assertThat(api.calls().get(0).header("Content-Type")).isEqualTo("text/plain; charset=nonsense");
    }

    @Test
    void answersBelongToTheTenantAndNameOfTheToken() throws Exception {
        try (GatewayServer server = server()) {
            api.answers(200, "for alice");
            assertThat(server.post("/a", "k").body()).isEqualTo("for alice");
            api.answers(200, "for another");
            for (String token : List.of(GatewayServer.BOB, GatewayServer.EVE)) {
                String answer = server.raw("POST /shop/a HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer " + token
                        + "\r\nIdempotency-Key: k\r\nContent-Type: application/json\r\nContent-Length: 7\r\n"
                        + "Connection: close\r\n\r\n{\"a\":1}");
                assertThat(answer).startsWith("HTTP/1.1 200").endsWith("for another");
            }
        }
        assertThat(api.calls().stream().map(call -> call.header("Idempotency-Key")))
                .doesNotHaveDuplicates()
                .hasSize(3);
    }

    @Test
    void headersOfTheCallerCannotReplaceKeyCredentialsOrOriginByNamingThemInConnection() throws Exception {
        try (GatewayServer server = server("headers: {X-Gateway: shop}")) {
            String answer = server.raw("POST /shop/a HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer "
                    + GatewayServer.ALICE + "\r\nIdempotency-Key: k\r\nContent-Length: 2\r\n"
                    + "Connection: close, Idempotency-Key, X-Gateway, X-Forwarded-For, Content-Length, Host\r\n"
                    + "X-Gateway: mine\r\n\r\n{}");
            assertThat(answer).startsWith("HTTP/1.1 200");
        }
        TestApi.ApiCall call = api.calls().get(0);
        assertThat(call.header("X-Gateway")).isEqualTo("shop");
        assertThat(call.header("X-Forwarded-For")).isEqualTo("127.0.0.1");
        assertThat(call.header("Idempotency-Key")).isNotNull().isNotEqualTo("k");
        assertThat(call.body()).isEqualTo("{}");
    }

    @Test
    void sameKeyAtTheSameMomentReachesTheApiOnce() throws Exception {
        CountDownLatch together = new CountDownLatch(1);
        api.converses((call, out) -> {
            try {
                together.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            TestApi.write(out, TestApi.answer(201, "made"));
        });
        try (GatewayServer server = server()) {
            List<CompletableFuture<Integer>> all = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                all.add(CompletableFuture.supplyAsync(() -> status(server)));
            }
            Await.until("one has reached the API", () -> api.calls().size() == 1);
            together.countDown();
            List<Integer> statuses = all.stream().map(CompletableFuture::join).toList();
            assertThat(statuses).contains(201).allMatch(status -> status == 201 || status == 409);
        }
        assertThat(api.calls()).hasSize(1);
    }

    private static int status(GatewayServer server) {
        try {
            return server.post("/a", "k").statusCode();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void requestUnderWayEndsUnderItsConfigurationWhenTheServerReloads() throws Exception {
        CountDownLatch reached = new CountDownLatch(1);
        CountDownLatch reloading = new CountDownLatch(1);
        api.converses((call, out) -> {
            reached.countDown();
            try {
                reloading.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            TestApi.write(out, TestApi.answer(201, "made"));
        });
        try (GatewayServer server = server()) {
            CompletableFuture<Integer> answered = CompletableFuture.supplyAsync(() -> status(server));
            reached.await();
            CompletableFuture<Boolean> reloaded = CompletableFuture.supplyAsync(() -> {
                try {
                    return server.reload();
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
            Await.until("the new configuration is in use", () -> server.get("/.semel/requests/none") != null);
            reloading.countDown();
            assertThat(answered.join()).isEqualTo(201);
            assertThat(reloaded.join()).isTrue();
            assertThat(server.post("/a", "k").headers().firstValue("Idempotency-Replayed"))
                    .contains("true");
        }
    }

    @Test
    void callersThatDoNotReadTheirAnswersDoNotHoldTheGateway() throws Exception {
        AtomicInteger ended = new AtomicInteger();
        api.converses((call, out) -> {
            if (call.target().endsWith("/endless")) {
                TestApi.write(out, "HTTP/1.1 200 OK\r\nContent-Length: 999999999\r\n\r\n");
                byte[] block = new byte[64 << 10];
                try {
                    while (true) {
                        out.write(block);
                    }
                } finally {
                    ended.incrementAndGet();
                }
            }
            TestApi.write(out, TestApi.answer(200, "ok"));
        });
        List<Socket> unread = new ArrayList<>();
        try (GatewayServer server = server("requests: 4")) {
            for (int i = 0; i < 4; i++) {
                Socket socket = new Socket("127.0.0.1", server.at("").getPort());
                unread.add(socket);
                socket.getOutputStream()
                        .write(("GET /shop/endless HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer " + GatewayServer.ALICE
                                        + "\r\n\r\n")
                                .getBytes(StandardCharsets.US_ASCII));
            }
            Await.until("all places are taken", () -> api.calls().size() == 4);
            assertThat(server.get("/a").statusCode()).isEqualTo(503);
            Await.until("they are free again", () -> server.get("/a").statusCode() == 200);
            Await.until("all are given up", () -> ended.get() == 4);
        } finally {
            for (Socket socket : unread) {
                socket.close();
            }
        }
    }
}
