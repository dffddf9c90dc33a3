package dev.semel.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.server.api.ApiServer.ApiReply;
import dev.semel.server.api.ApiServer.LedgerKind;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who may do what by the API. */
class ApiAccessTest {
    private static final String BEGIN = "/operations/charge/begin";
    private ApiServer server;

    @BeforeEach
    void start() {
        server = LedgerKind.SQLITE.start();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private ApiReply anonymous() {
        return server.send(server.request(BEGIN)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString("{\"key\":\"k\"}")));
    }

    @Test
    void requestWithoutTokenIsUnauthenticated() {
        ApiReply reply = anonymous();
        assertThat(reply.status()).isEqualTo(401);
        assertThat(reply.header("WWW-Authenticate")).isEqualTo("Bearer");
        assertThat(reply.text("code")).isEqualTo("request.unauthenticated");
        assertThat(reply.header("X-Correlation-ID")).isNotEmpty();
    }

    @Test
    void requestWithUnknownTokenOrOtherSchemeOrTwoTokensIsUnauthenticated() {
        assertThat(server.post("x".repeat(30), BEGIN, "{\"key\":\"k\"}").status())
                .isEqualTo(401);
        assertThat(server.send(server.request(BEGIN)
                                .header("Authorization", "Basic " + ApiServer.ACME)
                                .GET())
                        .status())
                .isEqualTo(401);
        assertThat(server.send(server.request(BEGIN)
                                .header("Authorization", "Bearer " + ApiServer.ACME)
                                .header("Authorization", "Bearer " + ApiServer.GLOBEX)
                                .GET())
                        .status())
                .isEqualTo(401);
    }

    @Test
    void tokenWithoutTheScopeIsDeniedForNamesThatExistAndForThoseThatDoNot() {
        server.post(BEGIN, "{\"key\":\"k\"}");
        ApiReply there = server.post(ApiServer.ORDERS_ONLY, BEGIN, "{\"key\":\"k\"}");
        ApiReply absent = server.post(ApiServer.ORDERS_ONLY, "/operations/other/begin", "{\"key\":\"k\"}");
        assertThat(there.status()).isEqualTo(403);
        assertThat(there.text("code")).isEqualTo("access.denied");
        assertThat(absent.status()).isEqualTo(403);
        assertThat(absent.text("detail")).isEqualTo(there.text("detail"));
        assertThat(server.get(ApiServer.ORDERS_ONLY, "/operations/charge?key=k").status())
                .isEqualTo(403);
    }

    @Test
    void scopeLimitedByPrefixAllowsItsNamesOnly() {
        String message = "{\"key\":\"k\",\"payload\":1}";
        assertThat(server.post(ApiServer.ORDERS_ONLY, "/channels/orders.new/messages", message)
                        .status())
                .isEqualTo(202);
        assertThat(server.post(ApiServer.ORDERS_ONLY, "/channels/orders/messages", message)
                        .status())
                .isEqualTo(403);
        assertThat(server.post(ApiServer.ORDERS_ONLY, "/operations/orders.place/begin", "{\"key\":\"k\"}")
                        .status())
                .isEqualTo(200);
        assertThat(server.post(ApiServer.ORDERS_ONLY, "/operations/orders.new/begin", "{\"key\":\"k\"}")
                        .status())
                .isEqualTo(403);
    }

    /** The server does not wait for that body, so it closes the connection: a client must not send its next request on it. */
    @ParameterizedTest
    @ValueSource(strings = {"", "Authorization: Bearer " + ApiServer.ORDERS_ONLY + "\r\n"})
    void rejectionBeforeTheBodyHasArrivedTellsTheClientThatTheConnectionIsClosed(String authorization)
            throws IOException {
        try (Socket socket = new Socket("127.0.0.1", server.port())) {
            String head = "POST /api/v1" + BEGIN + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                    + authorization + "Content-Length: 11\r\n\r\n";
            socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
            String reply = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(reply).startsWith("HTTP/1.1 40").containsIgnoringCase("\r\nConnection: close\r\n");
        }
    }

    @Test
    void manyFailedAttemptsAreRateLimitedAndAValidTokenStillWorks() {
        ApiReply reply = anonymous();
        for (int i = 0; i < 100 && reply.status() == 401; i++) {
            reply = anonymous();
        }
        assertThat(reply.status()).isEqualTo(429);
        assertThat(reply.text("code")).isEqualTo("request.rate_limited");
        assertThat(Integer.parseInt(reply.header("Retry-After"))).isBetween(1, 60);
        assertThat(server.post(BEGIN, "{\"key\":\"k\"}").status()).isEqualTo(200);
    }
}
