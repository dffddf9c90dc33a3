package dev.semel.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.engine.EngineSettings;
import dev.semel.testkit.fault.Faults.Fault;
import dev.semel.testkit.fault.FaultyStore;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.TimeSource;
import java.net.URI;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Which requests need a key, and what a key is. */
@ParameterizedClass
@EnumSource(Container.class)
class KeyTest {
    @Parameter
    private Container container;

    private final CountingHandler app = new CountingHandler();

    @Test
    void row_key_required_requestThatWritesWithoutAKeyIsRejected() {
        try (Site site = Site.open(container, app)) {
            for (String method : KeyHeader.METHODS) {
                Heard heard = site.send(site.request(method, "/orders", "{}"));
                assertThat(heard.status()).as(method).isEqualTo(400);
                assertThat(heard.code()).isEqualTo("idempotency.key_required");
                assertThat(heard.problem().get("correlation_id").stringValue())
                        .isEqualTo(heard.header("X-Correlation-ID").orElseThrow());
            }
            assertThat(app.runs()).isZero();
        }
    }

    @Test
    void row_key_invalid_keyThatIsNot1To128VisibleAsciiIsRejected() {
        try (Site site = Site.open(container, app)) {
            for (String key : new String[] {"", " ", "a b", "a\tb", "k".repeat(129)}) {
                Heard heard = site.send(site.post("/orders", key, "{}"));
                assertThat(heard.status()).as("<" + key + ">").isEqualTo(400);
                assertThat(heard.code()).isIn("idempotency.key_invalid", "idempotency.key_required");
            }
            assertThat(app.runs()).isZero();
            for (String key : new String[] {"k", "!~\"\\{}", "k".repeat(128)}) {
                assertThat(site.send(site.post("/orders", key, "{}")).status()).isEqualTo(201);
            }
            assertThat(app.runs()).isEqualTo(3);
        }
    }

    @Test
    void row_key_invalid_keyThatIsNotAsciiIsRejected() throws Exception {
        try (Site site = Site.open(container, app);
                RawConnection wire = RawConnection.to(site)) {
            wire.say("POST /orders HTTP/1.1\r\nHost: x\r\nX-User: alice@acme\r\nIdempotency-Key: k\u00e4\r\n"
                    + "Content-Length: 0\r\nConnection: close\r\n\r\n");
            assertThat(wire.hear()).startsWith("HTTP/1.1 400").contains("idempotency.key_invalid");
            assertThat(app.runs()).isZero();
        }
    }

    @Test
    void row_key_invalid_keyThatIsSentTwiceIsRejected() {
        try (Site site = Site.open(container, app)) {
            for (String second : new String[] {"k-1", "k-2"}) {
                Heard heard = site.send(site.post("/orders", "k-1", "{}").header("Idempotency-Key", second));
                assertThat(heard.status()).isEqualTo(400);
                assertThat(heard.code()).isEqualTo("idempotency.key_invalid");
            }
            assertThat(app.runs()).isZero();
        }
    }

    @Test
    void badInput_keyInAQueryParameterIsNotAKey() {
        try (Site site = Site.open(container, app)) {
            Heard heard = site.send(site.request("POST", "/orders?Idempotency-Key=k-1&idempotency_key=k-1", "{}"));
            assertThat(heard.code()).isEqualTo("idempotency.key_required");
            assertThat(app.runs()).isZero();
        }
    }

    @Test
    void readsNeedNoKeyAndNoStore() {
        AtomicBoolean down = new AtomicBoolean();
        MemoryStore memory = new MemoryStore(TimeSource.system());
        EngineSettings engine = EngineSettings.on(
                        new FaultyStore(memory, call -> down.get() ? Fault.FAIL_BEFORE : Fault.NONE))
                .withoutBackground();
        try (Site site = Site.open(container, engine, all -> all, app)) {
            down.set(true);
            for (String method : new String[] {"GET", "HEAD", "OPTIONS"}) {
                Heard heard = site.send(site.request(method, "/orders", "").header("Idempotency-Key", "k-1"));
                assertThat(heard.status()).as(method).isEqualTo(201);
                assertThat(heard.header("X-Request-ID")).isPresent();
            }
            assertThat(app.runs()).isEqualTo(3);
            assertThat(site.send(site.post("/orders", "k-1", "{}")).status()).isEqualTo(503);
            down.set(false);
        }
    }

    @Test
    void routeMayMakeTheKeyOptionalOrIgnoreIt() {
        try (Site site = Site.open(
                container,
                all -> all.withRoute("POST", "/notes", Rule.optional())
                        .withRoute("POST", "/metrics/**", Rule.off())
                        .withRoute("POST", "/metrics/billed", Rule.required()),
                app)) {
            assertThat(site.send(site.request("POST", "/notes", "{}")).status()).isEqualTo(201);
            assertThat(site.send(site.post("/notes", "k-1", "{}")).replayed()).isFalse();
            assertThat(site.send(site.post("/notes", "k-1", "{}")).replayed()).isTrue();
            assertThat(site.send(site.post("/metrics/cpu/1", "k-1", "{}")).replayed())
                    .isFalse();
            assertThat(site.send(site.post("/metrics/cpu/1", "k-1", "{}")).replayed())
                    .isFalse();
            assertThat(site.send(site.request("POST", "/metrics/billed", "{}")).status())
                    .isEqualTo(400);
            assertThat(app.runs()).isEqualTo(4);
        }
    }

    @Test
    void ietfProfileAcceptsQuotedAndUnquotedKeysAsEqual() {
        try (Site site =
                Site.open(container, all -> all.withIetfProfile(URI.create("https://example.com/idempotency")), app)) {
            assertThat(site.send(site.post("/orders", "\"k\\\"1\"", "{}")).status())
                    .isEqualTo(201);
            assertThat(site.send(site.post("/orders", "k\"1", "{}")).replayed()).isTrue();
            for (String wrong : new String[] {"\"", "\"k", "\"k\"1\"", "\"k\\1\"", "\"\""}) {
                assertThat(site.send(site.post("/orders", wrong, "{}")).code())
                        .as(wrong)
                        .isEqualTo("idempotency.key_invalid");
            }
            Heard missing = site.send(site.request("POST", "/orders", "{}"));
            assertThat(missing.status()).isEqualTo(400);
            assertThat(missing.problem().get("type").stringValue())
                    .isEqualTo("https://example.com/idempotency#idempotency.key_required");
            assertThat(missing.header("Link").orElseThrow())
                    .isEqualTo("<https://example.com/idempotency>; rel=\"describedby\"; type=\"text/html\"");
        }
    }

    @Test
    void requestWithSeveralFaultsGetsTheFirst() {
        AtomicBoolean over = new AtomicBoolean(true);
        try (Site site = Site.open(
                container,
                all -> all.withDefault(Rule.required().withLargestRequest(10))
                        .withRateLimit(request -> over.get() ? Optional.of(Duration.ofSeconds(1)) : Optional.empty()),
                app)) {
            String large = "x".repeat(100);
            HttpRequest.Builder anonymous =
                    HttpRequest.newBuilder(site.at("/orders")).POST(HttpRequest.BodyPublishers.ofString(large));
            assertThat(site.send(anonymous).code()).isEqualTo("request.rate_limited");
            over.set(false);
            assertThat(site.send(anonymous).code()).isEqualTo("request.unauthenticated");
            assertThat(site.send(site.request("POST", "/orders", large)).code()).isEqualTo("idempotency.key_required");
            site.send(site.post("/orders", "k-1", "{}"));
            assertThat(site.send(site.post("/orders", "k-1", large)).code()).isEqualTo("request.too_large");
            assertThat(site.send(site.post("/orders", "k-1", "[]")).code()).isEqualTo("idempotency.payload_mismatch");
            assertThat(app.runs()).isEqualTo(1);
        }
    }
}
