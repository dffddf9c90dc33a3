package dev.semel.server.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Failure;
import dev.semel.Failure.Category;
import dev.semel.testkit.Await;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Answers that are meant to harm: they cost bounded time and memory, and leave no connection behind. */
class HostileAnswerTest {
    private static final Duration SOON = Duration.ofMillis(300);

    private final Destinations destinations = Destinations.open();

    @AfterEach
    void close() {
        destinations.close();
    }

    private @Nullable Failure failure(RawServer server, Duration timeout) throws InterruptedException {
        return destinations.failure(Destinations.target(server.url(), timeout, Destinations.LOOPBACK));
    }

    private static void write(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.ISO_8859_1));
        out.flush();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 %s OK\r\n\r\n",
                "HTTP/1.1 %s OK\r\nContent-Length: 9223372036854775807\r\n\r\n",
                "HTTP/1.0 %s OK\r\nConnection: close\r\n\r\n"
            })
    void g4_endlessAnswerEndsAfterSixtyFourKibibytesAndItsStatusCounts(String head) throws Exception {
        for (int status : new int[] {200, 500}) {
            AtomicLong written = new AtomicLong();
            byte[] part = "x".repeat(16_384).getBytes(StandardCharsets.US_ASCII);
            try (RawServer server = RawServer.on((request, out) -> {
                write(out, head.replace("%s", Integer.toString(status)));
                while (true) {
                    out.write(part);
                    written.addAndGet(part.length);
                }
            })) {
                Failure failure = failure(server, Destinations.LONG);
                assertThat(failure == null).as("delivered").isEqualTo(status == 200);
                Await.until("its connection is closed", () -> server.openConnections() == 0);
                // What it wrote beyond the limit is in the buffers of the two sockets.
                assertThat(written.get()).isLessThan(64 << 20);
                assertThat((String) destinations.notes().get("answer")).hasSize(1_024);
            }
        }
    }

    @Test
    void g4_endlessChunkedAnswerEnds() throws Exception {
        String chunk = "4000\r\n" + "y".repeat(0x4000) + "\r\n";
        try (RawServer server = RawServer.on((request, out) -> {
            write(out, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
            while (true) {
                write(out, chunk);
            }
        })) {
            assertThat(failure(server, Destinations.LONG)).isNull();
            Await.until("its connection is closed", () -> server.openConnections() == 0);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "HTTP/1.1 200 OK\r\nX: ",
                "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffff\r\n"
            })
    void g4_slowAnswerTimesOutHoweverManyBytesTrickleIn(String head) throws Exception {
        try (RawServer server = RawServer.on((request, out) -> {
            write(out, head);
            while (!Await.within(Duration.ofMillis(20), () -> false)) {
                write(out, "a");
            }
        })) {
            Failure failure = failure(server, SOON);
            assertThat(failure).isNotNull();
            assertThat(failure.category()).isEqualTo(Category.TIMEOUT);
            assertThat(failure.reason()).contains("crm", "timed out", "300 ms");
            Await.until("its connection is closed", () -> server.openConnections() == 0);
        }
    }

    @Test
    void g4_destinationThatNeverAnswersTimesOut() throws Exception {
        try (RawServer server = RawServer.on((request, out) -> {})) {
            Failure failure = failure(server, SOON);
            assertThat(failure).isNotNull();
            assertThat(failure.category()).isEqualTo(Category.TIMEOUT);
        }
    }

    @Test
    void g4_endlessHeadersEndAsAFailure() throws Exception {
        try (RawServer server = RawServer.on((request, out) -> {
            write(out, "HTTP/1.1 200 OK\r\n");
            for (long i = 0; ; i++) {
                write(out, "X-" + i + ": " + "z".repeat(1_000) + "\r\n");
            }
        })) {
            Failure failure = failure(server, Destinations.LONG);
            assertThat(failure).isNotNull();
            assertThat(failure.category()).isEqualTo(Category.NETWORK);
            Await.until("its connection is closed", () -> server.openConnections() == 0);
        }
    }

    @Test
    void g4_compressedAnswerStaysCompressed() throws Exception {
        ByteArrayOutputStream bomb = new ByteArrayOutputStream();
        try (GZIPOutputStream zip = new GZIPOutputStream(bomb)) {
            for (int i = 0; i < 32; i++) {
                zip.write(new byte[1 << 20]);
            }
        }
        assertThat(bomb.size()).isLessThan(AnswerReader.MOST);
        try (RawServer server = RawServer.on((request, out) -> {
            write(out, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: " + bomb.size() + "\r\n\r\n");
            out.write(bomb.toByteArray());
        })) {
            assertThat(failure(server, Destinations.LONG)).isNull();
            assertThat(destinations.notes()).containsEntry("answer", "(encoded, not decoded)");
            assertThat(server.received().get(0).names()).doesNotContain("accept-encoding");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "this is not HTTP\r\n\r\n",
                "HTTP/1.1 abc OK\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"
            })
    void answerThatIsNotHttpIsANetworkFailure(String answer) throws Exception {
        try (RawServer server = RawServer.answering(any -> answer)) {
            Failure failure = failure(server, Destinations.LONG);
            assertThat(failure).isNotNull();
            assertThat(failure.category()).isEqualTo(Category.NETWORK);
            Await.until("its connection is closed", () -> server.openConnections() == 0);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "HTTP/1.1 200 OK\r\nContent-Le",
                "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"
            })
    void answerThatBreaksOffIsANetworkFailureEvenWithASuccessfulStatus(String answer) throws Exception {
        try (RawServer server = RawServer.on((request, out) -> {
            write(out, answer);
            throw new IOException("closes the connection");
        })) {
            Failure failure = failure(server, Destinations.LONG);
            assertThat(failure).isNotNull();
            assertThat(failure.category()).isEqualTo(Category.NETWORK);
        }
    }

    @Test
    void interimAnswersAreSkippedAndAnUpgradeIsAFailure() throws Exception {
        String interim = "HTTP/1.1 100 Continue\r\n\r\n" + "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n".repeat(50);
        try (RawServer server = RawServer.answering(any -> interim + RawServer.answer(200, "ok"))) {
            assertThat(failure(server, Destinations.LONG)).isNull();
            assertThat(destinations.notes()).containsEntry("answer", "ok");
        }
        try (RawServer server = RawServer.answering(
                any -> "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")) {
            Failure failure = failure(server, Duration.ofSeconds(5));
            assertThat(failure).isNotNull();
            assertThat(failure.category().retried()).isTrue();
        }
    }

    @Test
    void answerThatComesBeforeTheBodyIsReadCounts() throws Exception {
        String large = "b".repeat(4 << 20);
        try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            Thread thread = new Thread(() -> {
                try (Socket socket = listening.accept()) {
                    socket.getInputStream().read();
                    write(socket.getOutputStream(), RawServer.answer(413, "too large", "Connection: close\r\n"));
                    socket.shutdownOutput();
                    while (socket.getInputStream().read() >= 0) {
                        // reads on, so that the answer is not lost by a reset
                    }
                } catch (IOException ended) {
                    // by the client
                }
            });
            thread.start();
            HttpDelivery delivery = destinations.delivery(
                    Destinations.target(URI.create("http://127.0.0.1:" + listening.getLocalPort() + "/")));
            Failure failure = null;
            try {
                delivery.handle(Destinations.webhook(large, "text/plain", Map.of()), TestRun.FIRST);
            } catch (Failure.Thrown e) {
                failure = e.failure();
            }
            thread.join();
            assertThat(failure).isNotNull();
            assertThat(failure.reason()).contains("413");
        }
    }
}
