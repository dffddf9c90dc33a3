package dev.semel.http.ingress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.semel.Channel;
import dev.semel.Semel;
import dev.semel.SemelException;
import dev.semel.engine.EngineSettings;
import dev.semel.http.Container;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.TimeSource;
import dev.semel.watch.MicrometerWatch;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Configuration, what is logged and what is counted. */
class WebhookSourceTest {
    private static final String SECRET = "very-secret-0123456789";

    @Test
    void allFaultsOfASourceAndItsChannelAreNamedAtOnceWithoutASecret() {
        WebhookSource source = WebhookSource.standardWebhooks(
                        "Big Name!", WebhookSecrets.of("whsec_no base64", "c2hvcnQ="))
                .withTolerance(Duration.ZERO)
                .withLargestBody(2_000_000)
                .withHeaders("Authorization", "a b")
                .withLane(EventField.json("/customer"));
        Channel<Webhook> plain = Channel.atomic("inbox", Webhook.class);
        try (Semel semel = Semel.open("memory:")) {
            assertThatThrownBy(() -> new WebhookServlet(semel, plain, source))
                    .asInstanceOf(type(SemelException.Misconfigured.class))
                    .satisfies(e -> {
                        assertThat(e.faults()).hasSize(9);
                        assertThat(e)
                                .hasMessageContaining("secret 1 of 2 is too short or malformed")
                                .hasMessageContaining("secret 2 of 2")
                                .hasMessageContaining("the name must have")
                                .hasMessageContaining("the tolerance is PT0S")
                                .hasMessageContaining("holds credentials")
                                .hasMessageContaining("make it with Webhook.atomic")
                                .hasMessageContaining("add withLane(Webhook::lane)")
                                .hasMessageContaining("at most 768000 bytes do")
                                .hasMessageNotContaining("no base64")
                                .hasMessageNotContaining("c2hvcnQ");
                    });
        }
    }

    @Test
    void tooManyOrShortSecretsAreRefusedAndBlankOnesAreNone() {
        String[] nine = Stream.generate(() -> SECRET).limit(9).toArray(String[]::new);
        assertThat(WebhookSource.stripe("stripe", WebhookSecrets.of(nine)).faults())
                .containsExactly("there are 9 secrets: keep at most 8");
        assertThat(WebhookSource.slack("slack", WebhookSecrets.of("0123456789abcde"))
                        .faults())
                .hasSize(1);
        assertThat(WebhookSource.slack("slack", WebhookSecrets.of("0123456789abcdef"))
                        .faults())
                .isEmpty();
        assertThat(WebhookSecrets.of(null, " ", "").texts()).isEmpty();
        assertThat(WebhookSecrets.of(SECRET + "\n", " " + SECRET + "2\r\n").texts())
                .as("the line break of a file is no part of a secret")
                .containsExactly(SECRET, SECRET + "2");
        assertThat(WebhookSource.standardWebhooks("any", WebhookSecrets.of("whsec_"))
                        .faults())
                .hasSize(1);
    }

    @Test
    void largestBodyFitsIntoTheLedger() {
        try (Semel small = Semel.settings("memory:").withLargestValue(20_000).open();
                Semel large =
                        Semel.settings("memory:").withLargestValue(1_500_000).open()) {
            WebhookSource source = WebhookSource.stripe("stripe", WebhookSecrets.of(SECRET));
            assertThatThrownBy(() -> new WebhookServlet(small, Endpoint.INBOX, source))
                    .hasMessageContaining("withLargestValue");
            new WebhookServlet(large, Endpoint.INBOX, source.withLargestBody(1 << 20)).destroy();
        }
    }

    @Test
    void bodyOfTheLargestSizeIsStoredWhateverItsBytes() {
        try (Endpoint endpoint = Endpoint.open(Sender.GITHUB, Container.JETTY, source -> source)) {
            byte[] body = new byte[768_000];
            Arrays.fill(body, (byte) 0xff);
            assertThat(endpoint.send(endpoint.webhook("d-1", 0, body)).status()).isEqualTo(200);
            assertThat(endpoint.send(endpoint.webhook("d-1", 0, new byte[768_001]))
                            .status())
                    .isEqualTo(413);
        }
    }

    @Test
    void secretsAndBodiesAreShownNowhere() {
        WebhookSecrets secrets = WebhookSecrets.of(SECRET, SECRET + "2");
        WebhookSource source = WebhookSource.stripe("stripe", secrets);
        assertThat(secrets.toString()).isEqualTo("WebhookSecrets[2]");
        assertThat(source.toString()).doesNotContain(SECRET).contains("stripe");
        assertThat(source.signing().toString()).doesNotContain(SECRET);
    }

    @Test
    void oneWarningOfAKindIsLoggedEachMinuteAndTheOthersAreCounted() {
        AtomicLong nanos = new AtomicLong(-5);
        WarningLimit limit = new WarningLimit(nanos::get);
        assertThat(limit.next("a")).hasValue(0);
        assertThat(limit.next("a")).isEmpty();
        assertThat(limit.next("b")).hasValue(0);
        nanos.addAndGet(Duration.ofSeconds(59).toNanos());
        assertThat(limit.next("a")).isEmpty();
        nanos.addAndGet(Duration.ofSeconds(1).toNanos());
        assertThat(limit.next("a")).hasValue(2);
        assertThat(limit.next("a")).isEmpty();
        assertThat(limit.next("b")).hasValue(0);
    }

    @Test
    void rejectionsAreLoggedAndCountedWithoutAnythingOfTheRequest() {
        List<ILoggingEvent> lines = new CopyOnWriteArrayList<>();
        ListAppender<ILoggingEvent> appender = new ListAppender<>() {
            @Override
            protected void append(ILoggingEvent event) {
                lines.add(event);
            }
        };
        appender.start();
        Logger logger = (Logger) LoggerFactory.getLogger(WebhookServlet.class);
        logger.addAppender(appender);
        logger.setLevel(Level.INFO);
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        MemoryStore store = new MemoryStore(TimeSource.system());
        try (Endpoint endpoint = Endpoint.open(
                Sender.STRIPE,
                Container.JETTY,
                on -> EngineSettings.on(on).withWatch(MicrometerWatch.of(meters)),
                store,
                source -> source)) {
            String body = Sender.STRIPE.body("raw-key-1");
            endpoint.send(endpoint.webhook("", body));
            endpoint.send(endpoint.webhook("", body));
            for (int i = 0; i < 3; i++) {
                endpoint.send(endpoint.webhook("", body.replace("c-1", "c-2")));
            }
            for (int i = 0; i < 3; i++) {
                endpoint.send(endpoint.request(Map.of("Stripe-Signature", "t=1,v1=raw-signature"), new byte[9]));
            }
            endpoint.send(endpoint.webhook("", Endpoint.NOW - 301, Sender.utf8(body)));
            for (int i = 0; i < 3; i++) {
                endpoint.send(endpoint.webhook("", "{\"object\":\"raw-key-2\"}"));
            }
        } finally {
            logger.setLevel(null);
            logger.detachAppender(appender);
        }
        assertThat(lines.stream().filter(line -> line.getLevel() == Level.WARN).map(ILoggingEvent::getFormattedMessage))
                .hasSize(4)
                .anySatisfy(line -> assertThat(line).contains("conflict").contains("inbox/"))
                .anySatisfy(line -> assertThat(line).contains("rejected with 401 (ingress.signature_invalid)"))
                .anySatisfy(line -> assertThat(line).contains("rejected with 401 (ingress.timestamp_rejected)"))
                .anySatisfy(line -> assertThat(line).contains("rejected with 400 (ingress.event_invalid)"))
                .noneSatisfy(line -> assertThat(line).containsAnyOf("raw-key", "raw-signature", Sender.STRIPE.secret));
        assertThat(counted(meters, "accepted")).isEqualTo(1);
        assertThat(counted(meters, "duplicate")).isEqualTo(1);
        assertThat(counted(meters, "conflict")).isEqualTo(3);
        assertThat(counted(meters, "ingress.signature_invalid")).isEqualTo(3);
        assertThat(counted(meters, "ingress.timestamp_rejected")).isEqualTo(1);
        assertThat(counted(meters, "ingress.event_invalid")).isEqualTo(3);
        assertThat(meters.get("semel.ingress.ack").timer().count()).isEqualTo(2);
        assertThat(meters.get("semel.conflicts").counter().count()).isEqualTo(3);
    }

    private static double counted(SimpleMeterRegistry meters, String answer) {
        return meters.get("semel.ingress.requests")
                .tag("source", "stripe")
                .tag("answer", answer)
                .counter()
                .count();
    }

    @Test
    void rulesThatCannotBeAreRefused() {
        assertThatThrownBy(() -> EventField.json("id")).isInstanceOf(SemelException.Invalid.class);
        assertThatThrownBy(() -> EventField.pathPart(0)).isInstanceOf(SemelException.Invalid.class);
        assertThatThrownBy(EventKey::of).isInstanceOf(SemelException.Invalid.class);
        EventField id = EventField.json("/id");
        assertThatThrownBy(() -> EventKey.textInBucket(id, id, Duration.ZERO))
                .isInstanceOf(SemelException.Invalid.class);
    }

    @Test
    void partsOfAKeyAreKeptApart() throws Refused {
        EventKey rule = EventKey.of(EventField.json("/a"), EventField.json("/b"));
        List<String> keys = new CopyOnWriteArrayList<>();
        for (String body : List.of(
                "{\"a\":\"x\",\"b\":\"yz\"}",
                "{\"a\":\"xy\",\"b\":\"z\"}",
                "{\"a\":\"x,2:y\",\"b\":\"z\"}",
                "{\"a\":\"x\",\"b\":\"2:yz\"}")) {
            keys.add(rule.key("s", FakeRequests.of(Map.of(), Sender.utf8(body), 0))
                    .text());
        }
        keys.add(EventKey.of(EventField.json("/a"))
                .key("s", FakeRequests.of(Map.of(), Sender.utf8("{\"a\":\"1:x,2:yz\"}"), 0))
                .text());
        assertThat(keys).doesNotHaveDuplicates();
    }
}
