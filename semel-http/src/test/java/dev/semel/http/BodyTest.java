package dev.semel.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.testkit.Await;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Bodies of requests and responses: large, broken, packed, and as their handlers want them. */
@ParameterizedClass
@EnumSource(Container.class)
class BodyTest {
    private static final int MEGABYTE = 1 << 20;

    @Parameter
    private Container container;

    private final AtomicInteger runs = new AtomicInteger();

    private void length(HttpServletRequest request, HttpServletResponse response) throws IOException {
        runs.incrementAndGet();
        long length = 0;
        byte[] chunk = new byte[8192];
        InputStream in = request.getInputStream();
        for (int read = in.read(chunk); read >= 0; read = in.read(chunk)) {
            length += read;
        }
        response.getWriter().write(length + " bytes");
    }

    @Test
    void bodyLargerThanMemoryBufferReachesTheHandlerWhole() {
        try (FilteredServer server = FilteredServer.open(container, this::length)) {
            String large = "[" + "1,".repeat(MEGABYTE) + "1]";
            assertThat(server.send(server.post("/a", "k-1", large)).text()).isEqualTo(large.length() + " bytes");
            assertThat(server.send(server.post("/a", "k-1", large)).replayed()).isTrue();
            assertThat(server.send(server.post("/a", "k-1", large.replace("1]", "2]")))
                            .code())
                    .isEqualTo("idempotency.payload_mismatch");
        }
    }

    @Test
    void row_too_large_bodyOverTheLimitIsRejectedBeforeAnythingIsStored() throws Exception {
        try (FilteredServer server = FilteredServer.open(
                container, all -> all.withDefault(Rule.required().withLargestRequest(1000)), this::length)) {
            ReceivedResponse declared = server.send(server.post("/a", "k-1", "x".repeat(1001)));
            assertThat(declared.status()).isEqualTo(413);
            assertThat(declared.code()).isEqualTo("request.too_large");
            ReceivedResponse chunked = server.send(HttpRequest.newBuilder(server.at("/a"))
                    .header("X-User", "alice@acme")
                    .header("Idempotency-Key", "k-1")
                    .POST(HttpRequest.BodyPublishers.fromPublisher(
                            HttpRequest.BodyPublishers.ofByteArray(new byte[1001]))));
            assertThat(chunked.status()).isEqualTo(413);
            assertThat(runs).hasValue(0);
            assertThat(server.send(server.post("/a", "k-1", "x".repeat(1000))).text())
                    .isEqualTo("1000 bytes");
        }
    }

    @Test
    void e6_bodyShorterThanItSaysIsRejectedAndNothingIsRun() throws Exception {
        try (FilteredServer server = FilteredServer.open(container, this::length)) {
            try (RawConnection wire = RawConnection.to(server)) {
                wire.say(RawConnection.POST + "Content-Length: 100\r\n\r\n{\"a\":");
                wire.endOfTalk();
                String received = wire.receive();
                assertThat(received).startsWith("HTTP/1.1 400");
                if (container == Container.JETTY) {
                    assertThat(received).as("Tomcat lets nobody else answer").contains("request.body_incomplete");
                }
            }
            assertThat(runs).hasValue(0);
            assertThat(server.send(server.post("/a", "k-1", "{}")).replayed()).isFalse();
            assertThat(runs).hasValue(1);
        }
    }

    @Test
    void e6_chunkedBodyThatBreaksOffIsRejectedAndNothingIsRun() throws Exception {
        try (FilteredServer server = FilteredServer.open(container, this::length)) {
            try (RawConnection wire = RawConnection.to(server)) {
                wire.say(RawConnection.POST + "Transfer-Encoding: chunked\r\n\r\n5\r\n{\"a\":\r\n5\r\n");
                wire.endOfTalk();
                assertThat(wire.receive()).doesNotContain("HTTP/1.1 200");
            }
            assertThat(runs).hasValue(0);
        }
    }

    @Test
    void e6_bodyLongerThanItSaysBreaksOnlyTheNextRequest() throws Exception {
        try (FilteredServer server = FilteredServer.open(container, this::length);
                RawConnection wire = RawConnection.to(server)) {
            wire.say(RawConnection.POST + "Content-Length: 2\r\n\r\n{}{\"more\":true}\r\n\r\n");
            String received = wire.receive();
            assertThat(received).startsWith("HTTP/1.1 200").contains("2 bytes").contains("HTTP/1.1 400");
            assertThat(runs).hasValue(1);
            assertThat(server.send(server.post("/a", "k-1", "{}")).status()).isIn(200, 409);
            assertThat(runs).hasValue(1);
        }
    }

    @Test
    void e6_slowBodyDoesNotBlockOtherRequests() throws Exception {
        try (FilteredServer server = FilteredServer.open(container, this::length);
                RawConnection wire = RawConnection.to(server)) {
            wire.say(RawConnection.POST
                    + "Content-Type: application/json\r\nConnection: close\r\nContent-Length: 4\r\n\r\n{");
            assertThat(server.send(server.post("/a", "k-1", "{  }")).text()).isEqualTo("4 bytes");
            wire.say("  }");
            assertThat(wire.receive()).startsWith("HTTP/1.1 200").contains("Idempotency-Replayed: true");
            assertThat(runs).hasValue(1);
        }
    }

    private static byte[] gzipped(byte[] bytes, int times) throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
            for (int i = 0; i < times; i++) {
                out.write(bytes);
            }
        }
        return packed.toByteArray();
    }

    private HttpRequest.Builder packed(FilteredServer server, String key, byte[] body) {
        return HttpRequest.newBuilder(server.at("/a"))
                .header("X-User", "alice@acme")
                .header("Content-Type", "application/json")
                .header("Content-Encoding", "gzip")
                .header("Idempotency-Key", key)
                .POST(HttpRequest.BodyPublishers.ofByteArray(body));
    }

    @Test
    void e6_gzipBombIsRejectedOnceItIsOverTheLimit() throws IOException {
        try (FilteredServer server = FilteredServer.open(container, this::length)) {
            byte[] bomb = gzipped(new byte[MEGABYTE], 200);
            assertThat(bomb.length).isLessThan(MEGABYTE);
            ReceivedResponse received = server.send(packed(server, "k-1", bomb));
            assertThat(received.status()).isEqualTo(413);
            assertThat(received.code()).isEqualTo("request.too_large");
            assertThat(runs).hasValue(0);
        }
    }

    @Test
    void gzippedBodyIsComparedByItsContent() throws IOException {
        try (FilteredServer server = FilteredServer.open(container, this::length)) {
            byte[] one = gzipped("{\"a\":1,\"b\":2}".getBytes(StandardCharsets.UTF_8), 1);
            byte[] same = gzipped("{ \"b\":2, \"a\":1 }".getBytes(StandardCharsets.UTF_8), 1);
            byte[] other = gzipped("{\"a\":1,\"b\":3}".getBytes(StandardCharsets.UTF_8), 1);
            assertThat(server.send(packed(server, "k-1", one)).text()).isEqualTo(one.length + " bytes");
            assertThat(server.send(packed(server, "k-1", same)).replayed()).isTrue();
            assertThat(server.send(packed(server, "k-1", other)).code()).isEqualTo("idempotency.payload_mismatch");
            byte[] broken = Arrays.copyOf(one, one.length - 9);
            assertThat(server.send(packed(server, "k-2", broken)).text()).isEqualTo(broken.length + " bytes");
            assertThat(server.send(packed(server, "k-3", new byte[] {1, 2, 3})).text())
                    .isEqualTo("3 bytes");
        }
    }

    private HttpRequest.Builder typed(FilteredServer server, String key, String type, String body) {
        return HttpRequest.newBuilder(server.at("/a?q=1"))
                .header("X-User", "alice@acme")
                .header("Content-Type", type)
                .header("Idempotency-Key", key)
                .POST(HttpRequest.BodyPublishers.ofString(body));
    }

    @Test
    void formReachesTheHandlerAsParametersAndAsReader() {
        try (FilteredServer server = FilteredServer.open(container, (request, response) -> {
            runs.incrementAndGet();
            String all = request.getParameterMap().entrySet().stream()
                    .map(each -> each.getKey() + "=" + String.join(",", each.getValue()))
                    .sorted()
                    .collect(Collectors.joining(" "));
            assertThat(request.getParameter("name")).isEqualTo("J\u00f6rg & Co");
            assertThat(request.getParameter("none")).isNull();
            assertThat(request.getParameterValues("none")).isNull();
            assertThat(request.getParameterValues("x")).containsExactly("1", "2");
            assertThat(request.getParameterNames().hasMoreElements()).isTrue();
            assertThat(request.getReader().readLine()).startsWith("name=J%C3%B6rg");
            response.setCharacterEncoding("UTF-8");
            response.getWriter().write(all);
        })) {
            String form = "name=J%C3%B6rg+%26+Co&x=1&x=2&empty";
            String type = "application/x-www-form-urlencoded";
            assertThat(server.send(typed(server, "k-1", type, form)).text())
                    .isEqualTo("empty= name=J\u00f6rg & Co q=1 x=1,2");
            assertThat(server.send(typed(server, "k-1", type, form)).replayed()).isTrue();
            assertThat(server.send(typed(server, "k-1", type, form + "&y=1")).code())
                    .isEqualTo("idempotency.payload_mismatch");
            assertThat(runs).hasValue(1);
        }
    }

    private static String multipart(String boundary, String text) {
        return "--" + boundary + "\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nhello\r\n--" + boundary
                + "\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\nContent-Type:"
                + " text/plain\r\n\r\n"
                + text + "\r\n--" + boundary + "--\r\n";
    }

    @Test
    void multipartBodyIsComparedByItsPartsNotItsBoundary() {
        try (FilteredServer server = FilteredServer.open(container, (request, response) -> {
            runs.incrementAndGet();
            try (InputStream in = request.getPart("file").getInputStream()) {
                String file = new String(in.readAllBytes(), StandardCharsets.UTF_8);
                response.getWriter().write(request.getParameter("title") + " " + file.length());
            }
        })) {
            String content = "content ".repeat(1000);
            String type = "multipart/form-data; boundary=";
            assertThat(server.send(typed(server, "k-1", type + "one", multipart("one", content)))
                            .text())
                    .isEqualTo("hello 8000");
            assertThat(server.send(typed(server, "k-1", type + "two", multipart("two", content)))
                            .replayed())
                    .isTrue();
            assertThat(server.send(typed(server, "k-1", type + "one", multipart("one", content + "!")))
                            .code())
                    .isEqualTo("idempotency.payload_mismatch");
            assertThat(runs).hasValue(1);
        }
    }

    @Test
    void multipartBodyOverTheContainersOwnLimitIsRejected() {
        try (FilteredServer server = FilteredServer.open(container, (request, response) -> runs.incrementAndGet())) {
            String large = multipart("one", "x".repeat(2 * MEGABYTE));
            ReceivedResponse received = server.send(typed(server, "k-1", "multipart/form-data; boundary=one", large));
            assertThat(received.status()).isEqualTo(413);
            assertThat(runs).hasValue(0);
        }
    }

    @Test
    void compressedResponseIsReplayedCompressed() throws IOException {
        byte[] packed = gzipped("hello".getBytes(StandardCharsets.UTF_8), 1);
        try (FilteredServer server = FilteredServer.open(container, (request, response) -> {
            response.setHeader("Content-Encoding", "gzip");
            response.getOutputStream().write(packed);
        })) {
            for (int i = 0; i < 2; i++) {
                ReceivedResponse received = server.send(server.post("/a", "k-1", "{}"));
                assertThat(received.header("Content-Encoding")).contains("gzip");
                assertThat(received.body()).isEqualTo(packed);
            }
        }
    }

    @Test
    void e5_row_response_not_kept_aLargeOrStreamedResponseIsSentWholeOnceAndNeverRunAgain() {
        byte[] chunk = "0123456789abcdef".repeat(1024).getBytes(StandardCharsets.US_ASCII);
        try (FilteredServer server = FilteredServer.open(container, (request, response) -> {
            runs.incrementAndGet();
            response.setContentType("text/plain");
            response.setHeader("Location", "/reports/7");
            for (int i = 0; i < 640; i++) {
                response.getOutputStream().write(chunk);
                response.flushBuffer();
            }
        })) {
            ReceivedResponse first = server.send(server.post("/a", "k-1", "{}"));
            assertThat(first.status()).isEqualTo(200);
            assertThat(first.body().length).isEqualTo(640 * chunk.length);
            assertThat(Arrays.copyOfRange(first.body(), first.body().length - chunk.length, first.body().length))
                    .isEqualTo(chunk);
            for (int i = 0; i < 2; i++) {
                ReceivedResponse again = server.send(server.post("/a", "k-1", "{}"));
                assertThat(again.status()).isEqualTo(200);
                assertThat(again.body()).isEmpty();
                assertThat(again.header("Idempotency-Notice")).contains("idempotency.response_not_kept");
                assertThat(again.replayed()).isTrue();
                assertThat(again.header("Location")).contains("/reports/7");
            }
            assertThat(runs).hasValue(1);
        }
    }

    @Test
    void responseOfExactlyTheCapIsKept() {
        try (FilteredServer server = FilteredServer.open(
                container,
                all -> all.withDefault(Rule.required().withLargestKeptResponse(1000)),
                (request, response) -> response.getOutputStream()
                        .write(new byte["/fits".equals(request.getPathInfo()) ? 1000 : 1001]))) {
            server.send(server.post("/fits", "k-1", "{}"));
            assertThat(server.send(server.post("/fits", "k-1", "{}")).body()).hasSize(1000);
            assertThat(server.send(server.post("/over", "k-2", "{}")).body()).hasSize(1001);
            assertThat(server.send(server.post("/over", "k-2", "{}")).body()).isEmpty();
        }
    }

    @Test
    void e4_clientDisconnectedMidResponseGetsAllOfItOnRetry() throws Exception {
        CountDownLatch gone = new CountDownLatch(1);
        try (FilteredServer server = FilteredServer.open(
                container,
                all -> all.withDefault(Rule.required().withLargestKeptResponse(900_000)),
                (request, response) -> {
                    runs.incrementAndGet();
                    assertThat(gone.await(60, TimeUnit.SECONDS)).isTrue();
                    response.getOutputStream().write(new byte[900_000]);
                })) {
            RawConnection wire = RawConnection.to(server);
            wire.say(RawConnection.POST + "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}");
            Await.until("the handler runs", () -> runs.get() == 1);
            wire.close();
            gone.countDown();
            Await.until(
                    "the response is replayed",
                    () -> server.send(server.post("/a", "k-1", "{}")).status() == 200);
            assertThat(server.send(server.post("/a", "k-1", "{}")).body()).hasSize(900_000);
            assertThat(runs).hasValue(1);
        }
    }

    @Test
    void badInput_responseThatFailsHalfWayIsNotStored() {
        for (Level level : new Level[] {Level.PLAIN, Level.SPAN}) {
            runs.set(0);
            try (FilteredServer server = FilteredServer.open(
                    container, all -> all.withDefault(Rule.required().withLevel(level)), (request, response) -> {
                        runs.incrementAndGet();
                        response.setHeader("X-Half", "sent");
                        response.getOutputStream().write(new byte[100_000]);
                        response.flushBuffer();
                        throw new IOException("half-way");
                    })) {
                ReceivedResponse first = server.send(server.post("/a", "k-1", "{}"));
                assertThat(first.status()).isEqualTo(500);
                assertThat(first.header("X-Half")).isEmpty();
                assertThat(server.send(server.post("/a", "k-1", "{}")).code())
                        .isEqualTo(level == Level.PLAIN ? "idempotency.outcome_unknown" : "idempotency.retry_later");
                assertThat(runs).hasValue(1);
            }
        }
    }

    @Test
    void multipartBodyOfUnknownLengthIsLimitedToo() {
        String body = "--one\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\n"
                + "x".repeat(5000) + "\r\n--one--\r\n";
        try (FilteredServer server = FilteredServer.open(
                container,
                all -> all.withDefault(Rule.required().withLargestRequest(1000)),
                (request, response) -> runs.incrementAndGet())) {
            ReceivedResponse received = server.send(HttpRequest.newBuilder(server.at("/a"))
                    .header("X-User", "alice@acme")
                    .header("Content-Type", "multipart/form-data; boundary=one")
                    .header("Idempotency-Key", "k-1")
                    .POST(HttpRequest.BodyPublishers.fromPublisher(HttpRequest.BodyPublishers.ofString(body))));
            assertThat(received.status()).isEqualTo(413);
            assertThat(runs).hasValue(0);
        }
    }

    @Test
    void invalidJsonReachesItsHandler() {
        try (FilteredServer server = FilteredServer.open(container, (request, response) -> runs.incrementAndGet())) {
            assertThat(server.send(server.post("/a", "k-1", "[".repeat(400_000)))
                            .status())
                    .isEqualTo(200);
            assertThat(server.send(server.post("/a", "k-2", "[".repeat(40_000) + "]".repeat(40_000)))
                            .status())
                    .isEqualTo(200);
            assertThat(server.send(server.post("/a", "k-3", "1e999999999")).status())
                    .isEqualTo(200);
            assertThat(server.send(server.post("/a", "k-4", "9".repeat(100_000)))
                            .status())
                    .isEqualTo(200);
            assertThat(server.send(server.post("/a?x=%25zz", "k-5", "{\"a\":1,\"a\":2}"))
                            .status())
                    .isIn(200, 400);
        }
    }

    @Test
    void multipartBodyThatBreaksOffIsIncompleteAndNotTooLarge() throws Exception {
        try (FilteredServer server = FilteredServer.open(container, (request, response) -> runs.incrementAndGet());
                RawConnection wire = RawConnection.to(server)) {
            wire.say(RawConnection.POST
                    + "Content-Type: multipart/form-data; boundary=one\r\nContent-Length:"
                    + " 500\r\n\r\n--one\r\nContent-");
            wire.endOfTalk();
            String received = wire.receive();
            assertThat(received).startsWith("HTTP/1.1 400");
            assertThat(runs).hasValue(0);
        }
    }

    @Test
    void multipartBodyWithoutItsEndIsIncompleteAndNotTooLarge() {
        try (FilteredServer server = FilteredServer.open(container, (request, response) -> runs.incrementAndGet())) {
            String body = "--one\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nno end";
            ReceivedResponse received = server.send(typed(server, "k-1", "multipart/form-data; boundary=one", body));
            assertThat(received.status()).isEqualTo(400);
            assertThat(received.code()).isEqualTo("request.body_incomplete");
            assertThat(runs).hasValue(0);
        }
    }

    @Test
    void multipartWithoutBoundaryIsRejectedAsMissingBoundaryAndNotRun() {
        try (FilteredServer server = FilteredServer.open(container, (request, response) -> runs.incrementAndGet())) {
            for (String type : List.of("multipart/form-data", "multipart/form-data; charset=UTF-8; boundary=")) {
                ReceivedResponse received = server.send(typed(server, "k-1", type, multipart("one", "content")));
                assertThat(received.status()).isEqualTo(400);
                assertThat(received.code()).isEqualTo("request.body_malformed");
                assertThat(received.text()).contains("no boundary parameter").doesNotContain("etry");
            }
            assertThat(runs).hasValue(0);
            assertThat(server.send(typed(server, "k-1", "multipart/form-data; boundary=\"one\"", multipart("one", "x")))
                            .status())
                    .isEqualTo(200);
        }
    }

    /** Names of parameters are case-insensitive, but Jetty reads this one only in lower case, with a filter and without. */
    @Test
    void boundaryInCapitalsIsReadOrRejectedAsUnreadButNotAsTooLarge() {
        try (FilteredServer server = FilteredServer.open(container, (request, response) -> runs.incrementAndGet())) {
            String type = "Multipart/Form-Data; Boundary=one";
            ReceivedResponse received = server.send(typed(server, "k-1", type, multipart("one", "content")));
            if (container == Container.TOMCAT) {
                assertThat(received.status()).isEqualTo(200);
                assertThat(server.send(typed(server, "k-1", type.toLowerCase(Locale.ROOT), multipart("one", "content")))
                                .replayed())
                        .isTrue();
                assertThat(server.send(typed(server, "k-2", type, multipart("one", "x".repeat(2 * MEGABYTE))))
                                .status())
                        .isEqualTo(413);
            } else {
                assertThat(received.status()).isEqualTo(400);
                assertThat(received.code()).isEqualTo("request.body_malformed");
                assertThat(received.text()).contains("only in lower case").doesNotContain("etry");
            }
        }
    }

    @Test
    void twoContentLengthsAreRejectedAsIncomplete() {
        HttpServletRequest request = (HttpServletRequest) java.lang.reflect.Proxy.newProxyInstance(
                BodyTest.class.getClassLoader(), new Class<?>[] {HttpServletRequest.class}, (proxy, method, given) -> {
                    throw new IllegalArgumentException("as Tomcat says it of two lengths over HTTP/2");
                });
        assertThatThrownBy(() -> RequestBody.read(request, Rule.Limits.DEFAULT))
                .isInstanceOf(RequestBody.Incomplete.class);
    }

    @Test
    void formWithTooManyFieldsIsTooLargeAndNotAServerError() {
        try (FilteredServer server = FilteredServer.open(container, (request, response) -> {
            runs.incrementAndGet();
            response.getWriter().write(String.valueOf(request.getParameterMap().size()));
        })) {
            String form = IntStream.range(0, 1000).mapToObj(n -> "f" + n).collect(Collectors.joining("&"));
            String type = "application/x-www-form-urlencoded";
            assertThat(server.send(typed(server, "k-1", type, form)).status()).isEqualTo(413);
            assertThat(server.send(typed(server, "k-2", type, form.substring(0, form.lastIndexOf("&"))))
                            .status())
                    .isEqualTo(200);
        }
    }
}
