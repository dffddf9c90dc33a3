package dev.semel.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.testkit.Await;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** WebSocket connections through the gateway. */
@Timeout(120)
class UpgradeTest {
    @TempDir
    private Path directory;

    private final EchoSockets api = new EchoSockets();

    @AfterEach
    void close() {
        api.close();
    }

    private GatewayServer server(String... settings) throws Exception {
        return GatewayServer.start(directory, api.url(), settings);
    }

    /** What a caller has received. */
    private static final class Received implements WebSocket.Listener {
        final List<String> texts = new CopyOnWriteArrayList<>();
        final AtomicLong bytes = new AtomicLong();
        final AtomicInteger closed = new AtomicInteger();
        private final StringBuilder part = new StringBuilder();

        @Override
        public CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
            part.append(data);
            if (last) {
                texts.add(part.toString());
                part.setLength(0);
            }
            socket.request(1);
            return null;
        }

        @Override
        public CompletionStage<?> onBinary(WebSocket socket, ByteBuffer data, boolean last) {
            bytes.addAndGet(data.remaining());
            socket.request(1);
            return null;
        }

        @Override
        public CompletionStage<?> onClose(WebSocket socket, int status, String reason) {
            closed.incrementAndGet();
            return null;
        }

        @Override
        public void onError(WebSocket socket, Throwable error) {
            closed.incrementAndGet();
        }

        boolean isClosed() {
            return closed.get() > 0;
        }
    }

    private static WebSocket connect(GatewayServer server, Received received, String token) {
        URI at = server.at("/chat?room=1");
        return HttpClient.newHttpClient()
                .newWebSocketBuilder()
                .header("Authorization", "Bearer " + token)
                .buildAsync(URI.create("ws" + at.toString().substring(4)), received)
                .join();
    }

    @Test
    void framesPassBothWaysInTheirOrderAndTheTokenIsNotPassedOn() throws Exception {
        Received received = new Received();
        try (GatewayServer server = server("upgrades: pass")) {
            WebSocket socket = connect(server, received, GatewayServer.ALICE);
            for (int i = 0; i < 1_000; i++) {
                socket.sendText("frame-" + i, true).join();
            }
            Await.until("all came back", () -> received.texts.size() == 1_001);
            assertThat(received.texts.get(0)).isEqualTo("hello");
            for (int i = 0; i < 1_000; i++) {
                assertThat(received.texts.get(i + 1)).isEqualTo("frame-" + i);
            }
            socket.sendClose(WebSocket.NORMAL_CLOSURE, "").join();
            Await.until("both ends are closed", () -> received.isClosed() && api.connections() == 0);
        }
        assertThat(api.heads().get(0))
                .startsWith("GET /base/chat?room=1 HTTP/1.1")
                .doesNotContain(GatewayServer.ALICE)
                .doesNotContainIgnoringCase("authorization");
    }

    @Test
    void largeFramesPassAndAnApiThatClosesEndsTheConnection() throws Exception {
        Received received = new Received();
        try (GatewayServer server = server("upgrades: pass")) {
            WebSocket socket = connect(server, received, GatewayServer.ALICE);
            int large = 8 << 20;
            socket.sendBinary(ByteBuffer.allocate(large), true).join();
            Await.until("it came back", () -> received.bytes.get() == large);
            socket.sendText("close", true).join();
            Await.until("both ends are closed", () -> received.isClosed() && api.connections() == 0);
        }
    }

    @Test
    void apiThatDiesClosesTheCallersConnection() throws Exception {
        Received received = new Received();
        try (GatewayServer server = server("upgrades: pass")) {
            connect(server, received, GatewayServer.ALICE);
            Await.until("it said hello", () -> received.texts.size() == 1);
            api.dropConnections();
            Await.until("the caller knows", received::isClosed);
        }
    }

    @Test
    void connectionThatStandsStillOrLastsTooLongIsClosedAndItsPlaceIsFree() throws Exception {
        Received idle = new Received();
        try (GatewayServer server = server("upgrades: pass", "idle: 500ms", "upgraded-connections: 1")) {
            connect(server, idle, GatewayServer.ALICE);
            Await.until("it is closed", () -> idle.isClosed() && api.connections() == 0);
            Received next = new Received();
            connect(server, next, GatewayServer.ALICE);
            Await.until("the next one is served", () -> next.texts.size() == 1);
        }
        Received busy = new Received();
        try (GatewayServer server = server("upgrades: pass", "longest-upgrade: 1s")) {
            WebSocket socket = connect(server, busy, GatewayServer.ALICE);
            Await.until("it is closed although it is in use", () -> {
                if (!socket.isOutputClosed() && !busy.isClosed()) {
                    socket.sendText("x", true).exceptionally(failed -> socket).join();
                }
                return busy.isClosed() && api.connections() == 0;
            });
        }
    }

    @Test
    void connectionsOverTheLimitWithoutATokenOrNotConfiguredAreRefused() throws Exception {
        try (GatewayServer server = server("upgrades: pass", "upgraded-connections: 1")) {
            connect(server, new Received(), GatewayServer.ALICE);
            assertRefused(server, GatewayServer.ALICE, 503);
            assertRefused(server, GatewayServer.CAROL, 403);
            assertRefused(server, "nobody-0123456789abcdef", 401);
            String other = server.raw("GET /shop/x HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer " + GatewayServer.ALICE
                    + "\r\nConnection: Upgrade, close\r\nUpgrade: something\r\n\r\n");
            assertThat(other).startsWith("HTTP/1.1 501");
        }
        try (GatewayServer server = server()) {
            assertRefused(server, GatewayServer.ALICE, 501);
        }
        assertThat(api.heads()).hasSize(1);
    }

    private static void assertRefused(GatewayServer server, String token, int status) {
        assertThatThrownBy(() -> connect(server, new Received(), token))
                .isInstanceOf(CompletionException.class)
                .cause()
                .isInstanceOfSatisfying(
                        WebSocketHandshakeException.class,
                        refused ->
                                assertThat(refused.getResponse().statusCode()).isEqualTo(status));
    }

    @Test
    void otherAnswersOfTheApiArePassedBackAndTheConnectionIsClosed() throws Exception {
        try (TestApi plain = new TestApi();
                GatewayServer server = GatewayServer.start(directory, plain.url(), "upgrades: pass", "timeout: 1s")) {
            String upgrade = "GET /shop/x HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer " + GatewayServer.ALICE
                    + "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
            plain.answers(426, "other version", "Sec-WebSocket-Version: 13\r\n");
            assertThat(server.raw(upgrade + "GET /shop/smuggled HTTP/1.1\r\nHost: h\r\n\r\n"))
                    .startsWith("HTTP/1.1 426")
                    .contains("Sec-WebSocket-Version: 13")
                    .endsWith("other version");
            plain.answers(101, "", "Upgrade: other\r\n", "Connection: Upgrade\r\n");
            assertThat(server.raw(upgrade)).startsWith("HTTP/1.1 502");
            plain.converses((call, out) -> {
                throw new java.io.IOException("closed");
            });
            assertThat(server.raw(upgrade)).startsWith("HTTP/1.1 502");
        }
    }

    @Test
    void stopClosesUpgradedConnectionsWithoutWaitingForTheirEnd() throws Exception {
        Received received = new Received();
        GatewayServer server = server("upgrades: pass");
        connect(server, received, GatewayServer.ALICE);
        Await.until("it said hello", () -> received.texts.size() == 1);
        assertThat(server.stop()).as("it stops within its bound").isTrue();
        Await.until("both ends are closed", () -> received.isClosed() && api.connections() == 0);
    }

    @Test
    void reloadClosesUpgradedConnectionsAndNewOnesAreServed() throws Exception {
        Received received = new Received();
        try (GatewayServer server = server("upgrades: pass")) {
            connect(server, received, GatewayServer.ALICE);
            Await.until("it said hello", () -> received.texts.size() == 1);
            assertThat(server.reload()).isTrue();
            Await.until("both ends are closed", () -> received.isClosed() && api.connections() == 0);
            Received next = new Received();
            connect(server, next, GatewayServer.ALICE);
            Await.until("it said hello", () -> next.texts.size() == 1);
        }
    }
}
