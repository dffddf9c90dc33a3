package dev.semel.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The load generator's parsing of responses, byte by byte. */
class HttpConnectionTest {
    private static final HttpForm FORM = new HttpForm("/orders", "X-A: b\r\n", "{}");

    private ServerSocket server;

    @BeforeEach
    void listen() throws IOException {
        server = new ServerSocket(0, 2, InetAddress.getLoopbackAddress());
    }

    @AfterEach
    void close() throws IOException {
        server.close();
    }

    /** Takes a connection for each and answers there, in pieces of one byte; what was asked is the first request. */
    private CompletableFuture<String> answering(List<List<String>> connections) {
        int length = FORM.under("k-1").length;
        return CompletableFuture.supplyAsync(() -> {
            String first = "";
            try {
                for (List<String> answers : connections) {
                    try (Socket socket = server.accept()) {
                        InputStream in = socket.getInputStream();
                        socket.setTcpNoDelay(true);
                        for (String answer : answers) {
                            String asked = new String(in.readNBytes(length), StandardCharsets.US_ASCII);
                            first = first.isEmpty() ? asked : first;
                            for (byte each : answer.getBytes(StandardCharsets.US_ASCII)) {
                                socket.getOutputStream().write(each);
                            }
                        }
                    }
                }
                return first;
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private static String body(HttpConnection.Reply reply) {
        return new String(reply.body(), StandardCharsets.US_ASCII);
    }

    @Test
    void answersAreReadFromOneConnectionUntilItCloses() throws IOException {
        CompletableFuture<String> asked = answering(List.of(
                List.of(
                        "HTTP/1.1 201 \r\ncontent-length: 5\r\nDate: today\r\n\r\nhello",
                        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nIdempotency-Replayed: true\r\n\r\n"
                                + "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nTrailer: t\r\n\r\n",
                        "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"),
                List.of("HTTP/1.1 409 Conflict\r\nContent-Length: 0\r\n\r\n")));
        try (HttpConnection connection = new HttpConnection(server.getLocalPort())) {
            HttpConnection.Reply first = connection.send(FORM.under("k-1"));
            assertThat(first.status()).isEqualTo(201);
            assertThat(first.replayed()).isFalse();
            assertThat(body(first)).isEqualTo("hello");
            HttpConnection.Reply second = connection.send(FORM.under("k-2"));
            assertThat(second.replayed()).isTrue();
            assertThat(body(second)).isEqualTo("abcde");
            assertThat(second.text()).isEqualTo("200, replayed, abcde");
            assertThat(connection.send(FORM.under("k-3")).status()).isEqualTo(204);
            assertThat(connection.send(FORM.under("k-4")).status()).isEqualTo(409);
        }
        assertThat(asked.join())
                .startsWith("POST /orders HTTP/1.1\r\n")
                .contains("\r\nIdempotency-Key: k-1\r\n", "\r\nX-A: b\r\n")
                .endsWith("\r\nContent-Length: 2\r\n\r\n{}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SSH-2.0\r\n\r\n",
                "HTTP/1.1 200 OK\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n"
            })
    void whatIsNoAnswerIsRefused(String answer) throws IOException {
        CompletableFuture<String> asked = answering(List.of(List.of(answer)));
        try (HttpConnection connection = new HttpConnection(server.getLocalPort())) {
            assertThatThrownBy(() -> connection.send(FORM.under("k-1"))).isInstanceOf(IOException.class);
        }
        assertThat(asked.handle((first, thrown) -> true).join()).isTrue();
    }
}
