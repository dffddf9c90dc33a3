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
        try (FilteredServer server = FilteredServer.open(container, app)) {
            for (String method : KeyHeader.METHODS) {
                ReceivedResponse received = server.send(server.request(method, "/orders", "{}"));
                assertThat(received.status()).as(method).isEqualTo(400);
                assertThat(received.code()).isEqualTo("idempotency.key_required");
                assertThat(received.problem().get("correlation_id").stringValue())
                        .isEqualTo(received.header("X-Correlation-ID").orElseThrow());
            }
            assertThat(app.runs()).isZero();
        }
    }

    @Test
    void row_key_invalid_keyThatIsNot1To128VisibleAsciiIsRejected() {
        try (FilteredServer server = FilteredServer.open(container, app)) {
            for (String key : new String[] {"", " ", "a b", "a\tb", "k".repeat(129)}) {
                ReceivedResponse received = server.send(server.post("/orders", key, "{}"));
                assertThat(received.status()).as("<" + key + ">").isEqualTo(400);
                assertThat(received.code()).isIn("idempotency.key_invalid", "idempotency.key_required");
            }
            assertThat(app.runs()).isZero();
            for (String key : new String[] {"k", "!~\"\\{}", "k".repeat(128)}) {
                assertThat(server.send(server.post("/orders", key, "{}")).status())
                        .isEqualTo(201);
            }
            assertThat(app.runs()).isEqualTo(3);
        }
    }

    @Test
    void row_key_invalid_keyThatIsNotAsciiIsRejected() throws Exception {
        try (FilteredServer server = FilteredServer.open(container, app);
                RawConnection wire = RawConnection.to(server)) {
            wire.say("POST /orders HTTP/1.1\r\nHost: x\r\nX-User: alice@acme\r\nIdempotency-Key: k\u00e4\r\n"
                    + "Content-Length: 0\r\nConnection: close\r\n\r\n");
            assertThat(wire.receive()).startsWith("HTTP/1.1 400").contains("idempotency.key_invalid");
            assertThat(app.runs()).isZero();
        }
    }

    @Test
    void row_key_invalid_keyThatIsSentTwiceIsRejected() {
        try (FilteredServer server = FilteredServer.open(container, app)) {
            for (String second : new String[] {"k-1", "k-2"}) {
                ReceivedResponse received =
                        server.send(server.post("/orders", "k-1", "{}").header("Idempotency-Key", second));
                assertThat(received.status()).isEqualTo(400);
                assertThat(received.code()).isEqualTo("idempotency.key_invalid");
            }
            assertThat(app.runs()).isZero();
        }
    }

    @Test
    void badInput_keyInAQueryParameterIsNotAKey() {
        try (FilteredServer server = FilteredServer.open(container, app)) {
            ReceivedResponse received =
                    server.send(server.request("POST", "/orders?Idempotency-Key=k-1&idempotency_key=k-1", "{}"));
            assertThat(received.code()).isEqualTo("idempotency.key_required");
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
        try (FilteredServer server = FilteredServer.open(container, engine, all -> all, app)) {
            down.set(true);
            for (String method : new String[] {"GET", "HEAD", "OPTIONS"}) {
                ReceivedResponse received =
                        server.send(server.request(method, "/orders", "").header("Idempotency-Key", "k-1"));
                assertThat(received.status()).as(method).isEqualTo(201);
                assertThat(received.header("X-Request-ID")).isPresent();
            }
            assertThat(app.runs()).isEqualTo(3);
            assertThat(server.send(server.post("/orders", "k-1", "{}")).status())
                    .isEqualTo(503);
            down.set(false);
        }
    }

    @Test
    void routeMayMakeTheKeyOptionalOrIgnoreIt() {
        try (FilteredServer server = FilteredServer.open(
                container,
                all -> all.withRoute("POST", "/notes", Rule.optional())
                        .withRoute("POST", "/metrics/**", Rule.off())
                        .withRoute("POST", "/metrics/billed", Rule.required()),
                app)) {
            assertThat(server.send(server.request("POST", "/notes", "{}")).status())
                    .isEqualTo(201);
            assertThat(server.send(server.post("/notes", "k-1", "{}")).replayed())
                    .isFalse();
            assertThat(server.send(server.post("/notes", "k-1", "{}")).replayed())
                    .isTrue();
            assertThat(server.send(server.post("/metrics/cpu/1", "k-1", "{}")).replayed())
                    .isFalse();
            assertThat(server.send(server.post("/metrics/cpu/1", "k-1", "{}")).replayed())
                    .isFalse();
            assertThat(server.send(server.request("POST", "/metrics/billed", "{}"))
                            .status())
                    .isEqualTo(400);
            assertThat(app.runs()).isEqualTo(4);
        }
    }

    @Test
    void ietfProfileAcceptsQuotedAndUnquotedKeysAsEqual() {
        try (FilteredServer server = FilteredServer.open(
                container, all -> all.withIetfProfile(URI.create("https://example.com/idempotency")), app)) {
            assertThat(server.send(server.post("/orders", "\"k\\\"1\"", "{}")).status())
                    .isEqualTo(201);
            assertThat(server.send(server.post("/orders", "k\"1", "{}")).replayed())
                    .isTrue();
            for (String wrong : new String[] {"\"", "\"k", "\"k\"1\"", "\"k\\1\"", "\"\""}) {
                assertThat(server.send(server.post("/orders", wrong, "{}")).code())
                        .as(wrong)
                        .isEqualTo("idempotency.key_invalid");
            }
            ReceivedResponse missing = server.send(server.request("POST", "/orders", "{}"));
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
        try (FilteredServer server = FilteredServer.open(
                container,
                all -> all.withDefault(Rule.required().withLargestRequest(10))
                        .withRateLimit(request -> over.get() ? Optional.of(Duration.ofSeconds(1)) : Optional.empty()),
                app)) {
            String large = "x".repeat(100);
            HttpRequest.Builder anonymous =
                    HttpRequest.newBuilder(server.at("/orders")).POST(HttpRequest.BodyPublishers.ofString(large));
            assertThat(server.send(anonymous).code()).isEqualTo("request.rate_limited");
            over.set(false);
            assertThat(server.send(anonymous).code()).isEqualTo("request.unauthenticated");
            assertThat(server.send(server.request("POST", "/orders", large)).code())
                    .isEqualTo("idempotency.key_required");
            server.send(server.post("/orders", "k-1", "{}"));
            assertThat(server.send(server.post("/orders", "k-1", large)).code()).isEqualTo("request.too_large");
            assertThat(server.send(server.post("/orders", "k-1", "[]")).code())
                    .isEqualTo("idempotency.payload_mismatch");
            assertThat(app.runs()).isEqualTo(1);
        }
    }
}
