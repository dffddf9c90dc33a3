package dev.semel.server.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.server.config.DestinationConfig.EgressRules;
import dev.semel.server.config.DestinationConfig.Target;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The test event that an operator sends to a destination. */
class DeliveryProbeTest {
    @Test
    void testEventIsSignedMarkedAndReportedInWords() throws Exception {
        try (RawServer server = RawServer.answering(any -> RawServer.answer(202, "thanks"))) {
            Target target = new Target(
                    server.url(),
                    Map.of("Authorization", "Bearer t0p"),
                    List.of("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
                    Destinations.LONG,
                    Destinations.LOOPBACK);
            DeliveryProbe.ProbeResult result = DeliveryProbe.run(Destinations.config(target));
            assertThat(result.delivered()).isTrue();
            assertThat(result.status()).isEqualTo(202);
            assertThat(result.answer()).isEqualTo("thanks");
            assertThat(result.words()).startsWith("Test event delivered: destination crm answered HTTP 202 in ");
            RawServer.ReceivedPost post = server.received().get(0);
            assertThat(post.body()).isEqualTo("{\"type\":\"semel.test\"}");
            assertThat(post.header("webhook-id")).startsWith("semel-test-").isEqualTo(post.header("idempotency-key"));
            assertThat(post.header("webhook-signature")).startsWith("v1,");
            assertThat(post.header("content-type")).isEqualTo("application/json");
            assertThat(post.header("authorization")).isEqualTo("Bearer t0p");
        }
    }

    @Test
    void failedTestSaysWhy() throws Exception {
        try (RawServer server = RawServer.answering(302)) {
            DeliveryProbe.ProbeResult redirected =
                    DeliveryProbe.run(Destinations.config(Destinations.target(server.url())));
            assertThat(redirected.delivered()).isFalse();
            assertThat(redirected.status()).isEqualTo(302);
            assertThat(redirected.words())
                    .isEqualTo("Test event failed (validation): destination crm answered HTTP 302: redirects are not"
                            + " followed. Configure the URL that it redirects to.");
            DeliveryProbe.ProbeResult rejected = DeliveryProbe.run(
                    Destinations.config(Destinations.target(server.url(), Destinations.LONG, EgressRules.PUBLIC)));
            assertThat(rejected.delivered()).isFalse();
            assertThat(rejected.status()).isNull();
            assertThat(rejected.words()).startsWith("Test event failed (disabled): destination crm: rejected: ");
            DeliveryProbe.ProbeResult nowhere =
                    DeliveryProbe.run(Destinations.config(Destinations.target(URI.create("http://[::1]:1/"))));
            assertThat(nowhere.words()).startsWith("Test event failed (network): destination crm: connection failed");
        }
    }
}
