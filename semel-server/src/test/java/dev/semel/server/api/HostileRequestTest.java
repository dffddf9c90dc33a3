package dev.semel.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.server.api.ApiServer.ApiReply;
import dev.semel.server.api.ApiServer.LedgerKind;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Requests that no honest client sends: each is rejected with its reason, and nothing is recorded. */
class HostileRequestTest {
    private static ApiServer server;

    @BeforeAll
    static void start() {
        server = LedgerKind.SQLITE.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    static Stream<Arguments> bodies() {
        return Stream.of(
                Arguments.of("{\"key\":\"k\",\"surprise\":1}", "request.invalid", "\"surprise\""),
                Arguments.of("{\"key\":\"a\",\"key\":\"b\"}", "request.body_malformed", "repeated fields"),
                Arguments.of(
                        "{\"key\":\"k\",\"payload\":{\"a\":1,\"a\":2}}", "request.body_malformed", "repeated fields"),
                Arguments.of("{\"key\":\"k\\u0000\"}", "idempotency.key_invalid", "visible ASCII"),
                Arguments.of("{\"key\":\"\"}", "idempotency.key_invalid", "visible ASCII"),
                Arguments.of("{\"key\":\"" + "k".repeat(129) + "\"}", "idempotency.key_invalid", "128"),
                Arguments.of("{\"key\":\"\\u00e9\"}", "idempotency.key_invalid", "visible ASCII"),
                Arguments.of("{\"payload\":1}", "idempotency.key_required", "key"),
                Arguments.of("{\"key\":7}", "request.invalid", "\"key\" must be a string"),
                Arguments.of("{\"key\":\"k\",\"lease\":30}", "request.invalid", "\"lease\""),
                Arguments.of("{\"key\":\"k\",\"lease\":\"0s\"}", "request.invalid", "1s to 3600s"),
                Arguments.of("{\"key\":\"k\",\"lease\":\"999999999d\"}", "request.invalid", "1s to 3600s"),
                Arguments.of("{\"key\":\"k\",\"wait\":\"1h\"}", "request.invalid", "\"wait\""),
                Arguments.of("{\"key\":\"k\",\"repeatable\":\"yes\"}", "request.invalid", "\"repeatable\""),
                Arguments.of("{\"key\":\"k\"", "request.body_malformed", "JSON"),
                Arguments.of("{\"key\":\"k\"} {}", "request.body_malformed", "JSON"),
                Arguments.of("", "request.body_malformed", "JSON"),
                Arguments.of("[]", "request.body_malformed", "not a JSON object"),
                Arguments.of("null", "request.body_malformed", "not a JSON object"),
                Arguments.of("{\"key\":\"k\",\"payload\":NaN}", "request.body_malformed", "JSON"),
                Arguments.of("{\"key\":\"k\",\"payload\":\"\\ud800\"}", "request.invalid", ""),
                Arguments.of(
                        "{\"key\":\"k\",\"payload\":" + "[".repeat(100_000) + "]".repeat(100_000) + "}",
                        "request.body_malformed",
                        "levels deep"),
                Arguments.of(
                        "{\"key\":\"k\",\"payload\":" + "[".repeat(65) + "]".repeat(65) + "}", "request.invalid", ""));
    }

    @ParameterizedTest
    @MethodSource("bodies")
    void badBodyIsRejectedAndItsFaultNamed(String body, String code, String said) {
        ApiReply reply = server.post("/operations/charge/begin", body);
        assertThat(reply.status()).as(reply.toString()).isEqualTo(400);
        assertThat(reply.text("code")).as(reply.toString()).isEqualTo(code);
        assertThat(reply.text("detail")).contains(said);
        assertThat(server.get(ApiServer.ACME, "/operations/charge?key=k").status())
                .isEqualTo(404);
    }

    @Test
    void hugeExponentCostsNothingAndIsKept() {
        ApiReply granted = server.post("/operations/numbers/begin", "{\"key\":\"k\",\"payload\":1e999999999}");
        assertThat(granted.status()).as(granted.toString()).isEqualTo(200);
        assertThat(server.post("/operations/numbers/finish", "{" + granted.run() + ",\"result\":1e999999999}")
                        .status())
                .isEqualTo(200);
        assertThat(server.post("/operations/numbers/begin", "{\"key\":\"k\",\"payload\":1e999999999}")
                        .http()
                        .body())
                .contains("999999999");
    }

    @Test
    void bodyThatIsNotUtf8IsRejected() {
        byte[] body = "{\"key\":\"k\",\"payload\":\"\u00e9\"}".getBytes(StandardCharsets.ISO_8859_1);
        ApiReply reply = server.post(ApiServer.ACME, "/operations/charge/begin", "application/json", body);
        assertThat(reply.status()).isEqualTo(400);
        assertThat(reply.text("code")).isEqualTo("request.body_malformed");
        byte[] utf16 = "{\"key\":\"k\"}".getBytes(StandardCharsets.UTF_16);
        assertThat(server.post(ApiServer.ACME, "/operations/charge/begin", "application/json", utf16)
                        .text("code"))
                .isEqualTo("request.body_malformed");
    }

    @Test
    void declaredLengthOfAGigabyteIsRejectedBeforeItArrives() throws IOException {
        try (Socket socket = new Socket("127.0.0.1", server.port())) {
            socket.setSoTimeout(60_000);
            String head = "POST /api/v1/operations/charge/begin HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "
                    + ApiServer.ACME + "\r\nContent-Type: application/json\r\nContent-Length: 1073741824\r\n\r\n{";
            socket.getOutputStream().write(head.getBytes(StandardCharsets.ISO_8859_1));
            socket.getOutputStream().flush();
            InputStream in = socket.getInputStream();
            assertThat(new String(in.readNBytes(12), StandardCharsets.ISO_8859_1))
                    .isEqualTo("HTTP/1.1 413");
        }
    }

    @Test
    void bodyOverTheLimitWithoutADeclaredLengthIsRejected() {
        byte[] large = ("{\"key\":\"k\",\"payload\":\"" + "x".repeat(2 << 20) + "\"}").getBytes(StandardCharsets.UTF_8);
        ApiReply reply = server.send(server.request("/operations/charge/begin")
                .header("Authorization", "Bearer " + ApiServer.ACME)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofInputStream(() -> new java.io.ByteArrayInputStream(large))));
        assertThat(reply.status()).isEqualTo(413);
        assertThat(reply.text("code")).isEqualTo("request.too_large");
    }

    @Test
    void otherTypesMethodsAndPathsAreRejected() {
        byte[] json = "{\"key\":\"k\"}".getBytes(StandardCharsets.UTF_8);
        assertThat(server.post(ApiServer.ACME, "/operations/charge/begin", "text/plain", json)
                        .text("code"))
                .isEqualTo("request.type_unsupported");
        ApiReply method = server.get(ApiServer.ACME, "/operations/charge/begin");
        assertThat(method.status()).isEqualTo(405);
        assertThat(method.header("Allow")).isEqualTo("POST");
        for (String path : new String[] {"/", "/operations", "/operations/", "/operations/charge/other", "/x/y/z"}) {
            assertThat(server.post(path, "{}").status()).as(path).isEqualTo(404);
        }
        assertThat(server.post("/operations/" + "x".repeat(121) + "/begin", "{\"key\":\"k\"}")
                        .status())
                .isEqualTo(400);
    }

    static Stream<String> handles() {
        return Stream.of(
                "{\"record\":\"abc\",\"fence\":\"1\"}",
                "{\"record\":\"" + "0".repeat(64) + "\",\"fence\":1}",
                "{\"record\":\"" + "0".repeat(64) + "\",\"fence\":\"-1\"}",
                "{\"record\":\"" + "0".repeat(64) + "\",\"fence\":\"9999999999999999999\"}",
                "{\"record\":\"" + "0".repeat(64) + "\"}",
                "{\"fence\":\"1\"}");
    }

    @ParameterizedTest
    @MethodSource("handles")
    void malformedRecordOrFenceIsRejected(String body) {
        assertThat(server.post("/operations/charge/renew", body).status()).isEqualTo(400);
    }
}
