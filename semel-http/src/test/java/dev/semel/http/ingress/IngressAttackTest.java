package dev.semel.http.ingress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.engine.EngineSettings;
import dev.semel.http.Container;
import dev.semel.http.ReceivedResponse;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.TimeSource;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Requests that no sender makes: memory and work stay bounded, and nothing is stored. */
@Timeout(300)
class IngressAttackTest {
    private static final String HEAD = "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n";

    private static String talk(Endpoint endpoint, byte[]... said) throws IOException {
        try (Socket socket = new Socket("127.0.0.1", endpoint.uri().getPort())) {
            socket.setSoTimeout(60_000);
            ByteArrayOutputStream heard = new ByteArrayOutputStream();
            try {
                OutputStream out = socket.getOutputStream();
                for (byte[] each : said) {
                    out.write(each);
                }
                out.flush();
                socket.shutdownOutput();
                socket.getInputStream().transferTo(heard);
            } catch (SocketException e) {
                // It hung up on bytes that it did not want to read.
                return heard.toString(StandardCharsets.ISO_8859_1);
            }
            return heard.toString(StandardCharsets.ISO_8859_1);
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    @ParameterizedTest
    @EnumSource
    void e6_bodyIsBoundedWithAndWithoutADeclaredLength(Container container) throws IOException {
        try (Endpoint endpoint = Endpoint.open(Sender.GITHUB, container, source -> source.withLargestBody(10_000))) {
            String largest = "x".repeat(10_000);
            assertThat(endpoint.send(endpoint.webhook("e", largest)).status()).isEqualTo(200);
            ReceivedResponse declared = endpoint.send(endpoint.webhook("e", largest + "y"));
            assertThat(declared.status()).isEqualTo(413);
            assertThat(declared.code()).isEqualTo("request.too_large");
            HttpRequest.Builder chunked = endpoint.webhook("e", largest + "y")
                    .POST(HttpRequest.BodyPublishers.ofInputStream(
                            () -> new ByteArrayInputStream(Sender.utf8(largest + "y"))));
            assertThat(endpoint.send(chunked).status()).isEqualTo(413);
            byte[] chunk = ascii("1000\r\n" + "z".repeat(4096) + "\r\n");
            byte[][] endless = new byte[1_001][];
            endless[0] = ascii(HEAD + "Transfer-Encoding: chunked\r\n\r\n");
            Arrays.fill(endless, 1, endless.length, chunk);
            String heard = talk(endpoint, endless);
            assertThat(heard)
                    .satisfiesAnyOf(
                            text -> assertThat(text).startsWith("HTTP/1.1 413"),
                            text -> assertThat(text).isEmpty());
            assertThat(endpoint.messages()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void e6_bodyThatBreaksOffIsNotAccepted(Container container) throws IOException {
        try (Endpoint endpoint = Endpoint.open(Sender.GITHUB, container, UnaryOperator.identity())) {
            assertThat(talk(endpoint, ascii(HEAD + "Content-Length: 100\r\n\r\n{\"id\":1}")))
                    .doesNotContain("HTTP/1.1 2");
            assertThat(talk(endpoint, ascii(HEAD + "Transfer-Encoding: chunked\r\n\r\n8\r\n{\"id\"")))
                    .doesNotContain("HTTP/1.1 2");
            assertThat(talk(endpoint, ascii(HEAD + "Content-Length: 9\r\nContent-Length: 8\r\n\r\n{\"id\":1}")))
                    .doesNotContain("HTTP/1.1 2");
            assertThat(talk(endpoint, ascii(HEAD + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")))
                    .doesNotContain("HTTP/1.1 2");
            assertThat(endpoint.messages()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void signaturesInFoldedOrRepeatedHeadersAreRefused(Container container) throws IOException {
        try (Endpoint endpoint = Endpoint.open(Sender.GITHUB, container, UnaryOperator.identity())) {
            String body = "{\"number\":1}";
            String signature = Sender.GITHUB
                    .headers(Sender.GITHUB.secret, Sender.Event.of("d", 0, body))
                    .get("X-Hub-Signature-256");
            String length = "Content-Length: " + body.length() + "\r\n";
            String name = "X-Hub-Signature-256: ";
            assertThat(talk(
                            endpoint,
                            ascii(HEAD + length + name + "sha256=00\r\n" + name + signature + "\r\n\r\n" + body)))
                    .contains("HTTP/1.1 401");
            assertThat(talk(endpoint, ascii(HEAD + length + name + "sha256=00,\r\n " + signature + "\r\n\r\n" + body)))
                    .doesNotContain("HTTP/1.1 2");
            assertThat(talk(endpoint, ascii(HEAD + length + name + signature + "\u00e9\r\n\r\n" + body)))
                    .doesNotContain("HTTP/1.1 2");
            assertThat(talk(endpoint, ascii(HEAD + length + name + signature + "\r\n\r\n" + body)))
                    .contains("HTTP/1.1 200");
            assertThat(endpoint.messages()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void headerWithManySignaturesIsRefusedByContainerOrServlet(Container container) throws IOException {
        try (Endpoint endpoint = Endpoint.open(Sender.STANDARD, container, UnaryOperator.identity())) {
            for (int many : new int[] {100, 100_000}) {
                assertThat(talk(
                                endpoint,
                                ascii(HEAD + "Content-Length: 0\r\nwebhook-id: a\r\nwebhook-timestamp: 1700000000\r\n"
                                        + "webhook-signature: " + "v1,AAAA ".repeat(many) + "\r\n\r\n")))
                        .doesNotContain("HTTP/1.1 2");
            }
            assertThat(endpoint.messages()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void otherMethodsAreRefused(Container container) {
        try (Endpoint endpoint = Endpoint.open(Sender.GITHUB, container, UnaryOperator.identity())) {
            for (String method : new String[] {"GET", "PUT", "DELETE", "OPTIONS", "PATCH"}) {
                ReceivedResponse heard = endpoint.send(
                        HttpRequest.newBuilder(endpoint.uri()).method(method, HttpRequest.BodyPublishers.noBody()));
                assertThat(heard.status()).isEqualTo(405);
                assertThat(heard.header("Allow")).contains("POST");
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void contentTypeChangesNeitherKeyNorVerification(Container container) {
        try (Endpoint endpoint = Endpoint.open(Sender.STRIPE, container, UnaryOperator.identity())) {
            String[] types = {
                "application/json",
                "application/x-www-form-urlencoded",
                "multipart/form-data; boundary=x",
                "text/html; charset=utf-16",
                "*/*",
                "application/json; charset=nonsense"
            };
            for (String type : types) {
                ReceivedResponse heard = endpoint.send(
                        endpoint.webhook("", Sender.STRIPE.body("e-1")).header("Content-Type", type));
                assertThat(heard.status()).as(type).isEqualTo(200);
            }
            assertThat(endpoint.messages()).isEqualTo(1);
        }
    }

    /** Another filter may have had the form parsed; its raw bytes are gone. */
    @ParameterizedTest
    @EnumSource
    void formThatWasParsedInFrontOfTheServletIsRefusedAndNotTakenForAnEmptyBody(Container container) {
        MemoryStore store = new MemoryStore(TimeSource.system());
        try (Endpoint endpoint = Endpoint.serving(
                Sender.SLACK,
                container,
                EngineSettings.on(store).open(),
                store,
                (engine, clock) ->
                        new WebhookServlet(
                                engine,
                                Endpoint.INBOX,
                                WebhookSource.slack("slack", WebhookSecrets.of(Sender.SLACK.secret))) {
                            private static final long serialVersionUID = 1;

                            @Override
                            protected void service(HttpServletRequest request, HttpServletResponse response)
                                    throws IOException {
                                assertThat(request.getParameter("command")).isEqualTo("/webhook-collect");
                                super.service(request, response);
                            }
                        })) {
            ReceivedResponse heard = endpoint.send(endpoint.webhook("", SignatureTest.SLACK_COMMAND)
                    .header("Content-Type", "application/x-www-form-urlencoded"));
            assertThat(heard.status()).isEqualTo(400);
            assertThat(heard.code()).isEqualTo("request.body_incomplete");
        }
    }

    @ParameterizedTest
    @EnumSource
    void emptyAndUnsignedRequestsLeaveNothing(Container container) {
        try (Endpoint endpoint = Endpoint.open(Sender.SHOPIFY, container, UnaryOperator.identity())) {
            for (String signature : new String[] {"", "=", "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="}) {
                ReceivedResponse heard =
                        endpoint.send(endpoint.request(Map.of("X-Shopify-Hmac-Sha256", signature), new byte[0]));
                assertThat(heard.status()).isEqualTo(401);
            }
            assertThat(endpoint.messages()).isZero();
        }
    }

    /** The signature of an OAuth redirect, which everybody who installs the application sees. */
    @ParameterizedTest
    @EnumSource
    void signatureThatShopifyGaveOutForAQueryIsRefused(Container container) {
        String query = "code=0907a61c&shop=some-shop.myshopify.com&timestamp=1337178173";
        try (Endpoint endpoint = Endpoint.open(Sender.SHOPIFY, container, UnaryOperator.identity())) {
            for (String body : new String[] {query, "[1]", "  "}) {
                ReceivedResponse refused = endpoint.send(endpoint.webhook("w-1", body));
                assertThat(refused.status()).isEqualTo(400);
                assertThat(refused.code()).isEqualTo("ingress.event_invalid");
            }
            assertThat(endpoint.messages()).isZero();
        }
    }
}
