package dev.semel.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the destination of the bench counts. */
class WebhookSinkTest {
    private static final String KEY = "semel-0123456789abcdef0123456789abcdef0123456";

    private final ReceivedWebhooks received = new ReceivedWebhooks("sqlite");

    @Test
    void deliveriesAreCountedByNumberAndRedeliveriesApart() throws Exception {
        try (WebhookSink sink = new WebhookSink()) {
            HttpClient client = HttpClient.newHttpClient();
            for (int number : List.of(0, 1, 0)) {
                HttpRequest request = HttpRequest.newBuilder(URI.create(sink.url("/a")))
                        .header("Idempotency-Key", KEY + number)
                        .POST(HttpRequest.BodyPublishers.ofString("{\"number\":" + number + ",\"type\":\"x\"}"))
                        .build();
                assertThat(client.send(request, HttpResponse.BodyHandlers.discarding())
                                .statusCode())
                        .isEqualTo(204);
            }
            sink.at("/a").await(2);
            assertThatCode(() -> sink.at("/a").verify(2, 1)).doesNotThrowAnyException();
            assertThat(sink.at("/a").redelivered()).isEqualTo(1);
            assertThatThrownBy(() -> sink.at("/b").verify(1, 1)).isInstanceOf(HttpBench.Wrong.class);
        }
    }

    @Test
    void lostAndUnwantedWebhooksAreNamed() {
        received.add(0, "a");
        received.add(2, "c");
        assertThatThrownBy(() -> received.verify(3, 1))
                .isInstanceOf(HttpBench.Wrong.class)
                .hasMessageContaining("of 3 webhooks 2 were delivered")
                .hasMessageContaining("number 1");
        assertThatCode(() -> received.verify(3, 2)).doesNotThrowAnyException();
        assertThatThrownBy(() -> received.verify(1, 1)).hasMessageContaining("number 2");
    }

    @Test
    void keyThatChangesOrIsSharedIsAFault() {
        received.add(0, "a");
        received.add(0, "b");
        assertThatThrownBy(() -> received.verify(1, 1)).hasMessageContaining("under another Idempotency-Key");
        ReceivedWebhooks shared = new ReceivedWebhooks("sqlite");
        shared.add(0, "a");
        shared.add(1, "a");
        assertThatThrownBy(() -> shared.verify(2, 1)).hasMessageContaining("under one Idempotency-Key");
    }

    @Test
    void webhooksThatWereNotSentAreTheFirstOfTheNextRound() {
        SignedWebhooks webhooks = new SignedWebhooks("/in");
        webhooks.prepare(3);
        List<String> sent = new ArrayList<>(List.of(new String(webhooks.next()), new String(webhooks.next())));
        webhooks.prepare(2);
        sent.add(new String(webhooks.next()));
        assertThat(webhooks.sent()).isEqualTo(3);
        assertThat(sent)
                .satisfiesExactly(
                        first ->
                                assertThat(first).contains("webhook-id: msg_0\r\n", "{\"number\":0,\"chosen\":\"yes\""),
                        second ->
                                assertThat(second).contains("webhook-id: msg_1\r\n", "{\"number\":1,\"chosen\":\"no\""),
                        third -> assertThat(third).contains("webhook-id: msg_2\r\n"));
    }
}
