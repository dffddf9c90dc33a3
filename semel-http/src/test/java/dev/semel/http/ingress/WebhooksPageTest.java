package dev.semel.http.ingress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Channel;
import dev.semel.Semel;
import dev.semel.http.Container;
import dev.semel.http.ReceivedResponse;
import dev.semel.http.TestDatabase;
import dev.semel.testkit.Await;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The code of docs/webhooks.md, run. */
class WebhooksPageTest {
    private static final Queue<String> PAID = new ConcurrentLinkedQueue<>();

    // region channel
    static final Channel.Atomic<Webhook> PAYMENTS = Webhook.atomic("payments-inbox");
    // endregion

    private static WebhookServlet servlet(Semel semel, Map<String, String> env) {
        // region servlet
        WebhookSource stripe = WebhookSource.stripe(
                        "stripe", WebhookSecrets.of(env.get("STRIPE_SECRET"), env.get("STRIPE_SECRET_OLD")))
                .withLane(EventField.json("/data/object/customer"));

        semel.handle(PAYMENTS, (webhook, tx) -> book(webhook.text()));
        WebhookServlet servlet = new WebhookServlet(semel, PAYMENTS, stripe);
        // endregion
        return servlet;
    }

    private static void book(String event) {
        PAID.add(event);
    }

    private static WebhookSource crm(@Nullable String secret) {
        // region hmac
        WebhookSource crm = WebhookSource.hmac(
                        "crm",
                        WebhookSecrets.of(secret),
                        HmacHeader.of("X-Crm-Signature").withPrefix("sha256="),
                        EventKey.of(EventField.json("/account"), EventField.json("/change/id")))
                .withTenant(EventField.json("/account"))
                .withHeaders("X-Crm-Topic");
        // endregion
        return crm;
    }

    private static EventKey chat() {
        // region text
        EventKey key = EventKey.of(EventField.json("/message_id"))
                .orElse(EventKey.textInBucket(
                        EventField.json("/conversation"), EventField.json("/text"), Duration.ofMinutes(2)));
        // endregion
        return key;
    }

    @Test
    void snippetsOfThePageRun() throws Exception {
        TestDatabase database = TestDatabase.Kind.SQLITE.fresh();
        try (Semel semel = Semel.open(database.url())) {
            WebhookServlet servlet = servlet(semel, Map.of("STRIPE_SECRET", Sender.STRIPE.secret));
            int port = Container.JETTY.serve(
                    (request, response, chain) -> chain.doFilter(request, response), servlet::service);
            byte[] body = Sender.utf8("{\"id\":\"evt_1\",\"data\":{\"object\":{\"customer\":\"c-1\"}}}");
            long now = System.currentTimeMillis() / 1000;
            HttpRequest.Builder request = HttpRequest.newBuilder(
                            URI.create("http://127.0.0.1:" + port + "/webhooks/stripe"))
                    .POST(HttpRequest.BodyPublishers.ofByteArray(body));
            Sender.STRIPE
                    .headers(Sender.STRIPE.secret, new Sender.Event("", now, body))
                    .forEach(request::header);
            for (String result : new String[] {"accepted", "duplicate"}) {
                ReceivedResponse heard = ReceivedResponse.of(
                        Endpoint.client().send(request.build(), HttpResponse.BodyHandlers.ofByteArray()));
                assertThat(heard.header(WebhookServlet.RESULT_HEADER)).contains(result);
            }
            Await.until("it is handled", () -> !PAID.isEmpty());
            assertThat(PAID).hasSize(1);
            assertThat(new WebhookServlet(semel, PAYMENTS, crm("0123456789abcdef")))
                    .isNotNull();
        }
        assertThat(crm(null).faults()).isEmpty();
        assertThat(chat().isSigned()).isTrue();
    }
}
