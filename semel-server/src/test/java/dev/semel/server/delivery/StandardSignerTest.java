package dev.semel.server.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.standardwebhooks.exceptions.WebhookVerificationException;
import dev.semel.SemelException;
import dev.semel.engine.Engine;
import dev.semel.http.ingress.Webhook;
import dev.semel.http.ingress.WebhookSecrets;
import dev.semel.http.ingress.WebhookServlet;
import dev.semel.http.ingress.WebhookSource;
import dev.semel.server.config.DestinationConfig.Target;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.TimeSource;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Signatures by Standard Webhooks: the published examples, and our own ingress as the receiver. */
class StandardSignerTest {
    private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

    private static HttpFields signed(List<String> secrets, String id, long at, String body) {
        HttpFields.Mutable headers = HttpFields.build();
        new StandardSigner("crm", secrets)
                .sign(headers, id, Instant.ofEpochSecond(at), body.getBytes(StandardCharsets.UTF_8));
        return headers;
    }

    @Test
    void publishedExamplesAreSignedAlike() {
        HttpFields ofLibraries =
                signed(List.of(SECRET), "msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, "{\"test\": 2432232314}");
        assertThat(ofLibraries.get("webhook-id")).isEqualTo("msg_p5jXN8AQM9LWM0D4loKWxJek");
        assertThat(ofLibraries.get("webhook-timestamp")).isEqualTo("1614265330");
        assertThat(ofLibraries.get("webhook-signature")).isEqualTo("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
        HttpFields ofTheSpecification = signed(
                List.of("whsec_plJ3nmyCDGBKInavdOK15jsl"),
                "msg_loFOjxBNrRLzqYUf",
                1_731_705_121,
                "{\"event_type\":\"ping\",\"data\":{\"success\":true}}");
        assertThat(ofTheSpecification.get("webhook-signature"))
                .isEqualTo("v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=");
    }

    /** The library judges by the wall clock, five minutes either way. */
    @Test
    void libraryOfStandardWebhooksVerifiesWhatWeSignAndNothingElse() {
        long now = Instant.now().getEpochSecond();
        String body = "{\"note\":\"Gr\u00fc\u00dfe \u20ac\"}";
        String other = "whsec_" + Base64.getEncoder().encodeToString(new byte[24]);
        HttpFields headers = signed(List.of(SECRET), "msg_1", now, body);
        assertThat(libraryAccepts(SECRET, headers, body)).isTrue();
        assertThat(libraryAccepts(SECRET, headers, body.replace("note", "notE")))
                .isFalse();
        assertThat(libraryAccepts(SECRET, signed(List.of(SECRET), "msg_1", now - 3_600, body), body))
                .isFalse();
        assertThat(libraryAccepts(other, headers, body)).isFalse();
        HttpFields rotated = signed(List.of(other, SECRET), "msg_1", now, body);
        assertThat(libraryAccepts(SECRET, rotated, body)).isTrue();
        assertThat(libraryAccepts(other, rotated, body)).isTrue();
        HttpFields renamed = HttpFields.build(rotated).put("webhook-id", "msg_2");
        assertThat(libraryAccepts(SECRET, renamed, body)).isFalse();
    }

    private static boolean libraryAccepts(String secret, HttpFields headers, String body) {
        Map<String, List<String>> all = new HashMap<>();
        headers.forEach(field -> all.put(field.getName().toLowerCase(Locale.ROOT), List.of(field.getValue())));
        try {
            new com.standardwebhooks.Webhook(secret).verify(body, all);
            return true;
        } catch (WebhookVerificationException e) {
            return false;
        }
    }

    @Test
    void everyLiveSecretSigns() {
        String other = Base64.getEncoder().encodeToString("another secret of 24 byte".getBytes(StandardCharsets.UTF_8));
        String both = signed(List.of(SECRET, other), "id", 1, "{}").get("webhook-signature");
        assertThat(both)
                .isEqualTo(signed(List.of(SECRET), "id", 1, "{}").get("webhook-signature") + " "
                        + signed(List.of(other), "id", 1, "{}").get("webhook-signature"));
        assertThat(signed(List.of(), "id", 1, "{}").contains("webhook-signature"))
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"whsec_", "whsec_not base64!", ""})
    void malformedSecretIsRejectedWithoutItsText(String secret) {
        assertThatThrownBy(() -> new StandardSigner("crm", List.of(SECRET, secret)))
                .isInstanceOf(SemelException.Misconfigured.class)
                .hasMessageContaining("secret 2 of 2")
                .message()
                .doesNotContain("not base64!")
                .doesNotContain(SECRET);
    }

    @Test
    void ingressAcceptsADeliveryOnceAndASecondAttemptAsItsDuplicate() throws Exception {
        Engine receiver = Engine.withoutBackground(new MemoryStore(TimeSource.system()));
        WebhookSource source = WebhookSource.standardWebhooks("semel", WebhookSecrets.of(SECRET));
        Server server = serving(new WebhookServlet(receiver, Webhook.atomic("inbox"), source));
        try (Destinations destinations = Destinations.open()) {
            URI url = URI.create(
                    "http://127.0.0.1:" + ((ServerConnector) server.getConnectors()[0]).getLocalPort() + "/");
            String rotated = "whsec_" + Base64.getEncoder().encodeToString(new byte[24]);
            HttpDelivery delivery = destinations.delivery(
                    new Target(url, Map.of(), List.of(rotated, SECRET), Destinations.LONG, Destinations.LOOPBACK));
            delivery.handle(Destinations.WEBHOOK, TestRun.FIRST);
            delivery.handle(Destinations.WEBHOOK, new TestRun(2, 78, TestRun.FIRST.downstreamKey(), "corr-1", false));
            assertThat(receiver.operator().channels())
                    .singleElement()
                    .satisfies(channel -> assertThat(channel.toString()).contains("inbox"));
            HttpDelivery unsigned = destinations.delivery(Destinations.target(url));
            assertThat(Destinations.failure(unsigned)).isNotNull();
        } finally {
            server.stop();
            receiver.close();
        }
    }

    private static Server serving(WebhookServlet servlet) throws Exception {
        Server server = new Server();
        ServerConnector connector = new ServerConnector(server);
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        ServletContextHandler context = new ServletContextHandler("/");
        context.addServlet(new ServletHolder(servlet), "/*");
        server.setHandler(context);
        server.start();
        return server;
    }
}
