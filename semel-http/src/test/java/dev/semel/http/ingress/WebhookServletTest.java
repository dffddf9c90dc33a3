package dev.semel.http.ingress;

import static dev.semel.http.ingress.Endpoint.INBOX;
import static dev.semel.http.ingress.Endpoint.NOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.semel.Message;
import dev.semel.Sent;
import dev.semel.engine.EngineSettings;
import dev.semel.http.Container;
import dev.semel.http.ReceivedResponse;
import dev.semel.http.ingress.Endpoint.LedgerKind;
import dev.semel.store.Store;
import dev.semel.testkit.Await;
import dev.semel.testkit.fault.Faults;
import dev.semel.testkit.fault.FaultyStore;
import dev.semel.testkit.fault.StoreCall;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.TimeSource;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Webhooks on their way into a channel: taken in once, acknowledged when they are durable, and not otherwise. */
@Timeout(300)
class WebhookServletTest {

    /** Each ledger, with both containers in turn. */
    static Stream<Arguments> places() {
        return Stream.of(
                Arguments.of(LedgerKind.MEMORY, Container.JETTY),
                Arguments.of(LedgerKind.MEMORY, Container.TOMCAT),
                Arguments.of(LedgerKind.SQLITE, Container.JETTY),
                Arguments.of(LedgerKind.SQLITE, Container.TOMCAT),
                Arguments.of(LedgerKind.POSTGRESQL, Container.JETTY));
    }

    private static String result(ReceivedResponse heard) {
        assertThat(heard.status()).as(heard.toString()).isEqualTo(200);
        return heard.header(WebhookServlet.RESULT_HEADER).orElseThrow();
    }

    private static void refused(ReceivedResponse heard, IngressCode code) {
        assertThat(heard.status()).as(heard.toString()).isEqualTo(code.status());
        assertThat(heard.code()).isEqualTo(code.code());
        assertThat(heard.header("X-Correlation-ID")).isPresent();
    }

    @ParameterizedTest
    @MethodSource("places")
    void f1_endpointWithoutASecretIsOffAndNotOpen(LedgerKind kind, Container container) {
        Store store = kind.fresh().get();
        try (Endpoint endpoint = Endpoint.serving(
                Sender.SLACK,
                container,
                EngineSettings.on(store).open(),
                store,
                (engine, clock) -> new WebhookServlet(
                        engine, INBOX, WebhookSource.slack("slack", WebhookSecrets.of(null, "", "  "))))) {
            ReceivedResponse heard = endpoint.send(endpoint.webhook("e-1", Sender.SLACK.body("e-1")));
            refused(heard, IngressCode.DISABLED);
            assertThat(heard.retryAfter()).isPositive();
            assertThat(endpoint.messages()).isZero();
        }
    }

    @Test
    void answersAreCountedWithTheTimeOfTheLastOne() {
        Store store = LedgerKind.MEMORY.fresh().get();
        List<WebhookServlet> made = new ArrayList<>();
        try (Endpoint endpoint = Endpoint.serving(
                Sender.SLACK, Container.JETTY, EngineSettings.on(store).open(), store, (engine, clock) -> {
                    WebhookServlet servlet = new WebhookServlet(
                            engine,
                            INBOX,
                            Sender.SLACK
                                    .source(WebhookSecrets.of(Sender.SLACK.secret))
                                    .withClock(() -> Instant.ofEpochSecond(clock.get())));
                    made.add(servlet);
                    return servlet;
                })) {
            WebhookServlet servlet = made.get(0);
            Instant now = Instant.ofEpochSecond(NOW);
            assertThat(servlet.counts()).isEqualTo(new WebhookCounts(0, 0, 0, null, null));
            endpoint.send(endpoint.webhook("e-1", Sender.SLACK.body("e-1")));
            endpoint.send(endpoint.webhook("e-1", Sender.SLACK.body("e-1")));
            assertThat(servlet.counts()).isEqualTo(new WebhookCounts(1, 1, 0, now, null));
            endpoint.send(endpoint.request(Map.of(), Sender.utf8(Sender.SLACK.body("e-2"))));
            assertThat(servlet.counts()).isEqualTo(new WebhookCounts(1, 1, 1, now, now));
        }
    }

    @ParameterizedTest
    @MethodSource("places")
    void f2_webhookWithoutAValidSignatureIsRefusedAndNotStored(LedgerKind kind, Container container) {
        Supplier<Store> ledger = kind.fresh();
        for (Sender sender : Sender.values()) {
            try (Endpoint endpoint = Endpoint.open(sender, container, ledger)) {
                byte[] body = Sender.utf8(sender.body("e-1"));
                var headers = sender.headers(sender.secret, new Sender.Event("e-1", NOW, body));
                refused(endpoint.send(endpoint.request(Map.of(), body)), IngressCode.SIGNATURE_INVALID);
                refused(
                        endpoint.send(endpoint.request(
                                sender.withSignature(headers, value -> value.substring(0, value.length() - 3)), body)),
                        IngressCode.SIGNATURE_INVALID);
                refused(
                        endpoint.send(endpoint.request(
                                sender.headers(sender.otherSecret, new Sender.Event("e-1", NOW, body)), body)),
                        IngressCode.SIGNATURE_INVALID);
                refused(
                        endpoint.send(endpoint.request(headers, body).header(sender.signatureHeader, "v1,x")),
                        IngressCode.SIGNATURE_INVALID);
                refused(
                        endpoint.send(endpoint.request(headers, Sender.utf8(sender.body("e-2")))),
                        IngressCode.SIGNATURE_INVALID);
                assertThat(endpoint.messages()).isZero();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("places")
    void f3_bytesAreVerifiedAndDeliveredExactlyAsTheyCame(LedgerKind kind, Container container) {
        Sender sender = Sender.STRIPE;
        List<byte[]> bodies = List.of(
                Sender.utf8("\ufeff{\"id\":\"bom\"}"),
                Sender.utf8("{\r\n  \"id\": \"crlf\"\r\n}\r\n"),
                Sender.utf8("{\"id\":\"\\u0041escaped\",\"n\":1.0e2,\"text\":\"\u00e4\ud83d\ude00\"}   "));
        Queue<Webhook> handled = new ConcurrentLinkedQueue<>();
        try (Endpoint endpoint = Endpoint.open(sender, container, kind.fresh())) {
            for (byte[] body : bodies) {
                assertThat(result(endpoint.send(
                                endpoint.webhook("", NOW, body).header("Content-Type", "application/json"))))
                        .isEqualTo("accepted");
            }
            byte[] twice = Sender.utf8("{\"id\":\"a\",\"id\":\"b\"}");
            refused(endpoint.send(endpoint.webhook("", NOW, twice)), IngressCode.EVENT_INVALID);
            byte[] bad = {'{', '"', 'i', 'd', '"', ':', '"', (byte) 0xc3, (byte) 0x28, '"', '}'};
            refused(endpoint.send(endpoint.webhook("", NOW, bad)), IngressCode.EVENT_INVALID);
            byte[] wide = "{\"id\":\"utf16\"}".getBytes(StandardCharsets.UTF_16LE);
            refused(endpoint.send(endpoint.webhook("", NOW, wide)), IngressCode.EVENT_INVALID);
            for (String encoding : List.of("gzip", "deflate, gzip", "br")) {
                refused(
                        endpoint.send(endpoint.webhook("", NOW, bodies.get(0)).header("Content-Encoding", encoding)),
                        IngressCode.ENCODING_UNSUPPORTED);
            }
            endpoint.engine().handle(INBOX, (webhook, tx) -> handled.add(webhook));
            Await.until("all are handled", () -> handled.size() >= bodies.size());
            assertThat(handled).hasSize(bodies.size());
            assertThat(handled.stream().map(Webhook::body)).containsExactlyInAnyOrderElementsOf(bodies);
            assertThat(handled).allSatisfy(webhook -> {
                assertThat(webhook.source()).isEqualTo("stripe");
                assertThat(webhook.transport().contentType()).isEqualTo("application/json");
                assertThat(webhook.transport().received()).isEqualTo(Instant.ofEpochSecond(NOW));
            });
        }
    }

    @ParameterizedTest
    @MethodSource("places")
    void f4_replayIsADuplicateInsideTheToleranceAlsoAfterARestartAndOnAnotherNode(
            LedgerKind kind, Container container) {
        Supplier<Store> ledger = kind.fresh();
        Container other = container == Container.JETTY ? Container.TOMCAT : Container.JETTY;
        for (Sender sender : Sender.values()) {
            byte[] body = Sender.utf8(sender.body("r-" + sender));
            try (Endpoint first = Endpoint.open(sender, container, ledger)) {
                long before = first.messages();
                assertThat(result(first.send(first.webhook("r-1", NOW, body)))).isEqualTo("accepted");
                assertThat(result(first.send(first.webhook("r-1", NOW, body)))).isEqualTo("duplicate");
                first.at(NOW + 300);
                assertThat(result(first.send(first.webhook("r-1", NOW, body))))
                        .as("the last moment")
                        .isEqualTo("duplicate");
                try (Endpoint second = Endpoint.open(sender, other, ledger)) {
                    second.at(NOW - 300);
                    assertThat(result(second.send(second.webhook("r-1", NOW, body))))
                            .as("another node, whose clock is behind")
                            .isEqualTo("duplicate");
                    assertThat(second.messages()).isEqualTo(before + 1);
                }
            }
            try (Endpoint restarted = Endpoint.open(sender, container, ledger)) {
                assertThat(result(restarted.send(restarted.webhook("r-1", NOW, body))))
                        .isEqualTo("duplicate");
                restarted.at(NOW + 301);
                ReceivedResponse late = restarted.send(restarted.webhook("r-1", NOW, body));
                if (sender.signsTime()) {
                    refused(late, IngressCode.TIMESTAMP_REJECTED);
                    assertThat(result(restarted.send(restarted.webhook("r-1", NOW + 301, body))))
                            .as("a redelivery is signed again")
                            .isEqualTo("duplicate");
                } else {
                    assertThat(result(late)).isEqualTo("duplicate");
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("places")
    void f5_bothSecretsOfARotationAreLive(LedgerKind kind, Container container) {
        Store store = kind.fresh().get();
        Sender sender = Sender.STRIPE;
        try (Endpoint endpoint = Endpoint.serving(
                sender,
                container,
                EngineSettings.on(store).open(),
                store,
                (engine, clock) -> new WebhookServlet(
                        engine,
                        INBOX,
                        sender.source(WebhookSecrets.of(sender.otherSecret, sender.secret))
                                .withClock(() -> Instant.ofEpochSecond(clock.get()))))) {
            byte[] body = Sender.utf8(sender.body("e-1"));
            Sender.Event event = new Sender.Event("", NOW, body);
            assertThat(result(endpoint.send(endpoint.request(sender.headers(sender.secret, event), body))))
                    .isEqualTo("accepted");
            assertThat(result(endpoint.send(endpoint.request(sender.headers(sender.otherSecret, event), body))))
                    .isEqualTo("duplicate");
            refused(
                    endpoint.send(endpoint.request(sender.headers("whsec_nobody_0123456789", event), body)),
                    IngressCode.SIGNATURE_INVALID);
        }
    }

    @ParameterizedTest
    @MethodSource("places")
    void f6_storeThatFailsIsAnswered503AndTheRedeliveryIsStoredOnce(LedgerKind kind, Container container) {
        for (Faults.Fault fault : List.of(
                Faults.Fault.FAIL_BEFORE, Faults.Fault.FAIL_AFTER, Faults.Fault.LOSE_REPLY, Faults.Fault.UNKNOWN)) {
            AtomicBoolean broken = new AtomicBoolean(true);
            Store store = new FaultyStore(
                    kind.fresh().get(), call -> call == StoreCall.ENQUEUE && broken.get() ? fault : Faults.Fault.NONE);
            try (Endpoint endpoint =
                    Endpoint.open(Sender.STRIPE, container, EngineSettings::on, store, source -> source)) {
                ReceivedResponse heard = endpoint.send(endpoint.webhook("", Sender.STRIPE.body("e-1")));
                refused(heard, IngressCode.STORE_UNAVAILABLE);
                assertThat(heard.retryAfter()).isPositive();
                broken.set(false);
                assertThat(endpoint.send(endpoint.webhook("", Sender.STRIPE.body("e-1")))
                                .status())
                        .isEqualTo(200);
                assertThat(endpoint.messages()).isEqualTo(1);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("places")
    void f7_sameEventIdWithAnotherBodyIsFlaggedAndTheFirstOneWins(LedgerKind kind, Container container) {
        Queue<Webhook> handled = new ConcurrentLinkedQueue<>();
        for (Sender sender : List.of(Sender.STANDARD, Sender.SLACK, Sender.STRIPE, Sender.SHOPIFY, Sender.PLAIN)) {
            try (Endpoint endpoint = Endpoint.open(sender, container, kind.fresh())) {
                String first = sender.body("e-1");
                String second = first.replace("c-1", "c-2");
                assertThat(result(endpoint.send(endpoint.webhook("e-1", first))))
                        .isEqualTo("accepted");
                assertThat(result(endpoint.send(endpoint.webhook("e-1", second))))
                        .isEqualTo("conflict");
                assertThat(endpoint.messages()).isEqualTo(1);
                handled.clear();
                endpoint.engine().handle(INBOX, (webhook, tx) -> handled.add(webhook));
                Await.until("it is handled", () -> !handled.isEmpty());
                assertThat(handled.remove().text()).isEqualTo(first);
                assertThat(result(endpoint.send(endpoint.webhook("e-1", second))))
                        .isEqualTo("conflict");
            }
        }
    }

    @ParameterizedTest
    @MethodSource("places")
    void d11_thirtyTwoDuplicatesAtOnceAreOneMessage(LedgerKind kind, Container container) {
        try (Endpoint endpoint = Endpoint.open(Sender.STRIPE, container, kind.fresh())) {
            HttpClient client = Endpoint.client();
            for (int round = 0; round < 3; round++) {
                List<CompletableFuture<ReceivedResponse>> all = new ArrayList<>();
                for (int i = 0; i < 32; i++) {
                    all.add(endpoint.sending(client, endpoint.webhook("", Sender.STRIPE.body("round-" + round))));
                }
                List<String> results = all.stream()
                        .map(CompletableFuture::join)
                        .map(WebhookServletTest::result)
                        .toList();
                assertThat(results).containsOnly("accepted", "duplicate");
                assertThat(results.stream().filter("accepted"::equals)).hasSize(1);
                assertThat(endpoint.messages()).isEqualTo(round + 1);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("places")
    void d16_eventThatCannotBeStoredIsRefusedAloneAndOthersFlow(LedgerKind kind, Container container) {
        Store store = kind.fresh().get();
        try (Endpoint endpoint = Endpoint.open(
                Sender.STRIPE,
                container,
                EngineSettings::on,
                store,
                source -> source.withLane(EventField.json("/lane")).withTenant(EventField.json("/tenant")))) {
            List<String> bad = List.of(
                    "{\"id\":\"e-1\",\"tenant\":\"a\\u0000\"}",
                    "{\"id\":\"e-1\",\"tenant\":\"" + "x".repeat(256) + "\"}",
                    "{\"id\":\"e-1\",\"tenant\":null}",
                    "{\"id\":\"e-1\",\"tenant\":{}}",
                    "{\"id\":\"\\ud800\",\"tenant\":\"acme\"}",
                    "{\"id\":\"\",\"tenant\":\"acme\"}",
                    "{\"id\":1.5,\"tenant\":\"acme\"}",
                    "{\"id\":true,\"tenant\":\"acme\"}",
                    "{\"id\":[\"e-1\"],\"tenant\":\"acme\"}",
                    "{\"tenant\":\"acme\"}",
                    "\"e-1\"",
                    "id=e-1&tenant=acme",
                    "{\"id\":\"e-1\",\"tenant\":\"acme\"} {}",
                    "[".repeat(5_000),
                    "{",
                    "");
            for (String body : bad) {
                refused(endpoint.send(endpoint.webhook("", body)), IngressCode.EVENT_INVALID);
            }
            assertThat(endpoint.messages()).isZero();
            String good = "{\"id\":12345678901234567890,\"tenant\":\"acme\",\"lane\":\"l-1\"}";
            assertThat(result(endpoint.send(endpoint.webhook("", good)))).isEqualTo("accepted");
            String long1 = "{\"id\":\"" + "x".repeat(5_000) + "1\",\"tenant\":\"acme\"}";
            assertThat(result(endpoint.send(endpoint.webhook("", long1)))).isEqualTo("accepted");
            assertThat(result(endpoint.send(endpoint.webhook("", long1.replace("acme", "other")))))
                    .as("another tenant")
                    .isEqualTo("accepted");
        }
    }

    /** The bug that F6 must be able to tell: the answer is given before the commit. */
    @ParameterizedTest
    @EnumSource
    void plantedAcknowledgementBeforeTheCommitIsCaughtByTheFailingStore(Container container) {
        Store store = new FaultyStore(
                new MemoryStore(TimeSource.system()),
                call -> call == StoreCall.ENQUEUE ? Faults.Fault.FAIL_BEFORE : Faults.Fault.NONE);
        try (Endpoint endpoint = Endpoint.serving(
                Sender.STRIPE,
                container,
                EngineSettings.on(store).open(),
                store,
                (engine, clock) ->
                        new WebhookServlet(
                                engine,
                                INBOX,
                                Sender.STRIPE
                                        .source(WebhookSecrets.of(Sender.STRIPE.secret))
                                        .withClock(() -> Instant.ofEpochSecond(clock.get()))) {
                            private static final long serialVersionUID = 1;

                            @Override
                            List<Sent> sendAll(List<Message<Webhook>> messages) {
                                CompletableFuture<List<Sent>> later =
                                        CompletableFuture.supplyAsync(() -> super.sendAll(messages));
                                later.exceptionally(lost -> null);
                                return List.of(new Sent.Accepted(true, "early"));
                            }
                        })) {
            ReceivedResponse heard = endpoint.send(endpoint.webhook("", Sender.STRIPE.body("e-1")));
            if (heard.status() != 200) {
                fail("the planted bug is gone");
            }
            assertThat(endpoint.messages()).as("acknowledged and lost").isZero();
        }
    }
}
