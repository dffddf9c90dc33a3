package dev.semel.http.ingress;

import static dev.semel.http.ingress.Endpoint.INBOX;
import static dev.semel.http.ingress.Endpoint.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.engine.EngineSettings;
import dev.semel.http.Container;
import dev.semel.http.ReceivedResponse;
import dev.semel.http.ingress.Sender.Event;
import dev.semel.store.Store;
import dev.semel.testkit.Await;
import dev.semel.testkit.fault.Faults;
import dev.semel.testkit.fault.FaultyStore;
import dev.semel.testkit.fault.StoreCall;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.TimeSource;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What each sender does that others do not: handshakes, forms, retries, ids that are not signed. */
@Timeout(300)
class SenderBehaviourTest {
    private static String result(ReceivedResponse heard) {
        assertThat(heard.status()).as(heard.toString()).isEqualTo(200);
        return heard.header(WebhookServlet.RESULT_HEADER).orElseThrow();
    }

    private static ReceivedResponse post(Endpoint endpoint, Sender sender, String body, String... headers) {
        HttpRequest.Builder request = endpoint.webhook("e-1", body);
        for (int i = 0; i < headers.length; i += 2) {
            request.setHeader(headers[i], headers[i + 1]);
        }
        ReceivedResponse heard = endpoint.send(request);
        assertThat(sender.secret).isNotEmpty();
        return heard;
    }

    @ParameterizedTest
    @EnumSource
    void slackUrlVerificationIsAnsweredWithItsChallengeAndNotStored(Container container) {
        try (Endpoint endpoint = Endpoint.open(Sender.SLACK, container, UnaryOperator.identity())) {
            String body = "{\"token\":\"t\",\"challenge\":\"3eZbrw1aBm2rZgRNFdxV\",\"type\":\"url_verification\"}";
            ReceivedResponse heard = post(endpoint, Sender.SLACK, body);
            assertThat(result(heard)).isEqualTo("handshake");
            assertThat(heard.text()).isEqualTo("3eZbrw1aBm2rZgRNFdxV");
            assertThat(heard.header("Content-Type").orElseThrow()).startsWith("text/plain");
            assertThat(endpoint.messages()).isZero();
            ReceivedResponse unsigned = endpoint.send(endpoint.request(Map.of(), Sender.utf8(body)));
            assertThat(unsigned.code()).isEqualTo("ingress.signature_invalid");
            assertThat(unsigned.text()).doesNotContain("3eZbrw1aBm2rZgRNFdxV");
            ReceivedResponse odd = post(endpoint, Sender.SLACK, body.replace("3eZ", "<b>\\r\\n"));
            assertThat(odd.status()).isEqualTo(400);
        }
    }

    @ParameterizedTest
    @EnumSource
    void slackCertificateCheckIsAnsweredWithoutASignatureAndNotStored(Container container) {
        try (Endpoint endpoint = Endpoint.open(Sender.SLACK, container, UnaryOperator.identity())) {
            byte[] check = Sender.utf8("ssl_check=1&token=aLXy");
            assertThat(result(endpoint.send(endpoint.request(Map.of(), check)))).isEqualTo("handshake");
            ReceivedResponse other = endpoint.send(endpoint.request(Map.of(), Sender.utf8("ssl_check=2&token=aLXy")));
            assertThat(other.code()).isEqualTo("ingress.signature_invalid");
            assertThat(endpoint.messages()).isZero();
        }
        try (Endpoint endpoint = Endpoint.open(Sender.STRIPE, container, UnaryOperator.identity())) {
            ReceivedResponse heard = endpoint.send(endpoint.request(Map.of(), Sender.utf8("ssl_check=1&token=aLXy")));
            assertThat(heard.code()).as("it is a habit of Slack alone").isEqualTo("ingress.signature_invalid");
        }
    }

    @ParameterizedTest
    @EnumSource
    void fallbackRuleAppliesToAnEventWhoseIdCannotBeAKey(Container container) {
        EventKey rule = EventKey.of(EventField.json("/id"))
                .orElse(EventKey.textInBucket(
                        EventField.json("/room"), EventField.json("/text"), Duration.ofMinutes(1)))
                .orElse(EventKey.bodyDigest());
        try (Endpoint endpoint = Endpoint.open(Sender.STRIPE, container, source -> source.withKey(rule))) {
            for (String body : List.of(
                    "{\"id\":\"a\ufffdb\",\"n\":1}",
                    "{\"id\":\"" + "x".repeat(300) + "\",\"n\":2}",
                    "{\"room\":\"r\",\"text\":\" \\u00a0 \",\"n\":3}",
                    "{\"room\":\"r\",\"text\":\"t\ufffd\",\"n\":4}")) {
                assertThat(result(post(endpoint, Sender.STRIPE, body))).as(body).isEqualTo("accepted");
                assertThat(result(post(endpoint, Sender.STRIPE, body))).as(body).isEqualTo("duplicate");
            }
            assertThat(endpoint.messages()).isEqualTo(4);
        }
        EventKey strict = EventKey.of(EventField.json("/id"));
        try (Endpoint endpoint = Endpoint.open(Sender.STRIPE, container, source -> source.withKey(strict))) {
            ReceivedResponse heard = post(endpoint, Sender.STRIPE, "{\"id\":\"a\ufffdb\"}");
            assertThat(heard.code()).isEqualTo("ingress.event_invalid");
        }
    }

    @ParameterizedTest
    @EnumSource
    void laneThatIsTooLongForTheLedgerOrCannotBeDecodedStillOrdersItsEvents(Container container) {
        String room = "room".repeat(100);
        try (Endpoint endpoint =
                Endpoint.open(Sender.STRIPE, container, source -> source.withLane(EventField.json("/room")))) {
            for (String each : List.of(room, room + "2", "a\ufffdb", "nul\\u0000")) {
                String body = "{\"id\":\"e-" + each.hashCode() + "\",\"room\":\"" + each + "\"}";
                assertThat(result(post(endpoint, Sender.STRIPE, body))).as(each).isEqualTo("accepted");
            }
            assertThat(endpoint.messages()).isEqualTo(4);
        }
    }

    @ParameterizedTest
    @EnumSource
    void slackCommandsAndInteractionsAreFormsThatAreTakenInOnce(Container container) {
        Queue<Webhook> handled = new ConcurrentLinkedQueue<>();
        try (Endpoint endpoint = Endpoint.open(Sender.SLACK, container, UnaryOperator.identity())) {
            String form = "application/x-www-form-urlencoded";
            for (String body : List.of(
                    SignatureTest.SLACK_COMMAND,
                    payload("{\"type\":\"block_actions\",\"trigger_id\":\"t.1\",\"user\":{\"id\":\"U1\"}}"),
                    payload(
                            "{\"type\":\"view_closed\",\"user\":{\"id\":\"U1\"},\"actions\":[{\"action_ts\":\"1.2\"}]}"),
                    payload("{\"type\":\"interactive_message\",\"user\":{\"id\":\"U1\"},\"action_ts\":\"1.3\"}"),
                    payload("{\"type\":\"something_new\"}"),
                    "{\"type\":\"event_callback\",\"event_id\":\"Ev1\"}")) {
                assertThat(result(post(endpoint, Sender.SLACK, body, "Content-Type", form)))
                        .as(body)
                        .isEqualTo("accepted");
                assertThat(result(post(
                                endpoint,
                                Sender.SLACK,
                                body,
                                "Content-Type",
                                "application/json",
                                "X-Slack-Retry-Num",
                                "1",
                                "X-Slack-Retry-Reason",
                                "http_timeout")))
                        .as("a retry, with another Content-Type")
                        .isEqualTo("duplicate");
            }
            assertThat(endpoint.messages()).isEqualTo(6);
            String again = SignatureTest.SLACK_COMMAND.replace("803a0bc887a1", "803a0bc887a2");
            assertThat(result(post(endpoint, Sender.SLACK, again, "X-Slack-Retry-Num", "2")))
                    .isEqualTo("accepted");
            String twice = SignatureTest.SLACK_COMMAND + "&trigger_id=x";
            assertThat(post(endpoint, Sender.SLACK, twice).status()).isEqualTo(400);
            endpoint.engine().handle(INBOX, (webhook, tx) -> handled.add(webhook));
            Await.until("all are handled", () -> handled.size() == 7);
            Webhook command = handled.stream()
                    .filter(each -> each.text().equals(again))
                    .findFirst()
                    .orElseThrow();
            assertThat(command.header("X-Slack-Retry-Num")).contains("2");
        }
    }

    /** Slack sends again what was not answered within three seconds. The answer waits for the commit, and for no handler. */
    @ParameterizedTest
    @EnumSource
    void slackThreeSecondRuleIsKeptByAnAcknowledgementAfterTheCommitAndBeforeTheWork(Container container)
            throws Exception {
        CountDownLatch committing = new CountDownLatch(1);
        CountDownLatch mayCommit = new CountDownLatch(1);
        CountDownLatch working = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        Queue<String> handled = new ConcurrentLinkedQueue<>();
        Store store = new FaultyStore(new MemoryStore(TimeSource.system()), call -> {
            if (call == StoreCall.ENQUEUE) {
                committing.countDown();
                await(mayCommit);
            }
            return Faults.Fault.NONE;
        });
        try (Endpoint endpoint =
                Endpoint.open(Sender.SLACK, container, EngineSettings::on, store, UnaryOperator.identity())) {
            endpoint.engine().handle(INBOX, (webhook, tx) -> {
                working.countDown();
                await(mayEnd);
                handled.add(webhook.text());
            });
            CompletableFuture<ReceivedResponse> answer =
                    endpoint.sending(Endpoint.client(), endpoint.webhook("", Sender.SLACK.body("Ev1")));
            await(committing);
            assertThat(answer).as("nothing is committed yet").isNotDone();
            mayCommit.countDown();
            assertThat(result(answer.get(60, TimeUnit.SECONDS))).isEqualTo("accepted");
            await(working);
            assertThat(result(post(endpoint, Sender.SLACK, Sender.SLACK.body("Ev1"))))
                    .as("a retry while the handler works")
                    .isEqualTo("duplicate");
            assertThat(result(post(endpoint, Sender.SLACK, Sender.SLACK.body("Ev2"))))
                    .isEqualTo("accepted");
            assertThat(handled).as("the handler has not ended").isEmpty();
            mayEnd.countDown();
            Await.until("both are handled", () -> handled.size() == 2);
        } finally {
            mayCommit.countDown();
            mayEnd.countDown();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String payload(String json) {
        return "payload=" + URLEncoder.encode(json, StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @EnumSource
    void githubPingIsAnsweredAndAnEventThatIsLabelledAsOneIsStored(Container container) {
        try (Endpoint endpoint = Endpoint.open(Sender.GITHUB, container, UnaryOperator.identity())) {
            String ping = "{\"zen\":\"Keep it logically awesome.\",\"hook_id\":1,\"hook\":{}}";
            assertThat(result(post(endpoint, Sender.GITHUB, ping, "X-GitHub-Event", "ping")))
                    .isEqualTo("handshake");
            String inForm = payload(ping);
            assertThat(result(post(endpoint, Sender.GITHUB, inForm, "X-GitHub-Event", "ping")))
                    .isEqualTo("handshake");
            assertThat(endpoint.messages()).isZero();
            assertThat(result(post(endpoint, Sender.GITHUB, "{\"action\":\"opened\"}", "X-GitHub-Event", "ping")))
                    .isEqualTo("accepted");
            assertThat(endpoint.messages()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void f4_githubReplayUnderAnotherDeliveryIdIsADuplicate(Container container) {
        try (Endpoint endpoint = Endpoint.open(Sender.GITHUB, container, UnaryOperator.identity())) {
            String body = "{\"action\":\"opened\",\"number\":1}";
            assertThat(result(post(endpoint, Sender.GITHUB, body, "X-GitHub-Delivery", "d-1")))
                    .isEqualTo("accepted");
            assertThat(result(post(
                            endpoint, Sender.GITHUB, body, "X-GitHub-Delivery", "d-2", "X-GitHub-Event", "release")))
                    .isEqualTo("duplicate");
            assertThat(result(post(endpoint, Sender.GITHUB, body.replace("1", "2"), "X-GitHub-Delivery", "d-1")))
                    .isEqualTo("accepted");
        }
        EventKey byHeader = EventKey.of(EventField.header("X-GitHub-Delivery"));
        try (Endpoint endpoint = Endpoint.open(Sender.GITHUB, container, source -> source.withKey(byHeader))) {
            String body = "{\"action\":\"opened\",\"number\":1}";
            for (String delivery : List.of("d-1", "d-2")) {
                assertThat(result(post(endpoint, Sender.GITHUB, body, "X-GitHub-Delivery", delivery)))
                        .isEqualTo("accepted");
                assertThat(result(post(endpoint, Sender.GITHUB, body, "X-GitHub-Delivery", delivery)))
                        .isEqualTo("duplicate");
            }
            HttpRequest.Builder two = endpoint.webhook("d-3", body).header("X-GitHub-Delivery", "d-4");
            assertThat(endpoint.send(two).code()).isEqualTo("ingress.event_invalid");
        }
    }

    @ParameterizedTest
    @EnumSource
    void stripeRedeliveryMayDifferInPendingWebhooksAndInNothingElse(Container container) {
        try (Endpoint endpoint = Endpoint.open(Sender.STRIPE, container, UnaryOperator.identity())) {
            String body = "{\"id\":\"evt_1\",\"amount\":100,\"pending_webhooks\":1}";
            assertThat(result(post(endpoint, Sender.STRIPE, body))).isEqualTo("accepted");
            assertThat(result(post(endpoint, Sender.STRIPE, body.replace("s\":1", "s\":0"))))
                    .isEqualTo("duplicate");
            assertThat(result(post(endpoint, Sender.STRIPE, body.replace("100", "101"))))
                    .isEqualTo("conflict");
        }
    }

    @ParameterizedTest
    @EnumSource
    void textInABucketOfTimeIsTheKeyOfEventsWithoutAnId(Container container) {
        EventKey rule =
                EventKey.textInBucket(EventField.json("/room"), EventField.json("/text"), Duration.ofMinutes(1));
        try (Endpoint endpoint = Endpoint.open(Sender.PLAIN, container, source -> source.withKey(rule))) {
            String yes = "{\"room\":\"r-1\",\"text\":\"yes\"}";
            assertThat(result(post(endpoint, Sender.PLAIN, yes))).isEqualTo("accepted");
            endpoint.at(NOW + 45);
            assertThat(result(post(endpoint, Sender.PLAIN, yes))).isEqualTo("duplicate");
            assertThat(result(post(endpoint, Sender.PLAIN, yes.replace("r-1", "r-2"))))
                    .isEqualTo("accepted");
            endpoint.at(NOW + 300);
            assertThat(result(post(endpoint, Sender.PLAIN, yes))).isEqualTo("accepted");
            assertThat(post(endpoint, Sender.PLAIN, "{\"room\":\"r-1\"}").status())
                    .isEqualTo(400);
        }
    }

    @ParameterizedTest
    @EnumSource
    void tenantComesFromTheBodyAHeaderOrThePath(Container container) {
        for (EventField field :
                List.of(EventField.json("/account"), EventField.header("X-Account"), EventField.pathPart(2))) {
            try (Endpoint endpoint = Endpoint.open(Sender.STRIPE, container, source -> source.withTenant(field))) {
                for (String tenant : List.of("acme", "other")) {
                    String body = "{\"id\":\"evt_1\",\"account\":\"" + tenant + "\"}";
                    HttpRequest.Builder request = endpoint.webhook("", body)
                            .uri(endpoint.uri().resolve("/hooks/" + tenant))
                            .header("X-Account", tenant);
                    assertThat(result(endpoint.send(request))).isEqualTo("accepted");
                    assertThat(result(endpoint.send(request))).isEqualTo("duplicate");
                }
                assertThat(endpoint.messages()).isEqualTo(2);
                HttpRequest.Builder nobody = endpoint.webhook("", "{\"id\":\"evt_2\"}");
                assertThat(endpoint.send(nobody).code()).isEqualTo("ingress.event_invalid");
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void onlyKeptHeadersReachTheMessageAndTheirIdsReachItsOrigin(Container container) {
        Queue<Webhook> handled = new ConcurrentLinkedQueue<>();
        Map<String, String> headers = new LinkedHashMap<>();
        try (Endpoint endpoint =
                Endpoint.open(Sender.SHOPIFY, container, source -> source.withHeaders("X-Own", "X-Long"))) {
            String body = "{\"product_id\":1}";
            headers.putAll(Sender.SHOPIFY.headers(Sender.SHOPIFY.secret, new Event("w-1", NOW, Sender.utf8(body))));
            headers.put("X-Shopify-Topic", "products/delete");
            headers.put("X-Own", "mine");
            headers.put("X-Long", "x".repeat(1_025));
            headers.put("Authorization", "Basic c2VjcmV0");
            headers.put("X-Correlation-ID", "corr-7");
            ReceivedResponse heard = endpoint.send(endpoint.request(headers, Sender.utf8(body)));
            assertThat(result(heard)).isEqualTo("accepted");
            assertThat(heard.header("X-Correlation-ID")).contains("corr-7");
            endpoint.engine().handle(INBOX, (webhook, tx) -> handled.add(webhook));
            Await.until("it is handled", () -> !handled.isEmpty());
            assertThat(handled.remove().transport().headers())
                    .isEqualTo(Map.of(
                            "x-shopify-webhook-id", "w-1", "x-shopify-topic", "products/delete", "x-own", "mine"));
        }
    }
}
