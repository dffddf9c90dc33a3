package dev.semel.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.engine.EngineSettings;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.ManualTime;
import dev.semel.time.TimeSource;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The responses to a second request with the same key. */
@ParameterizedClass
@EnumSource(Container.class)
class ReplayTest {
    @Parameter
    private Container container;

    private final AtomicInteger runs = new AtomicInteger();

    @Test
    void replayHasTheSameStatusBodyAndAllowedHeadersAndRunsNothing() {
        App app = (request, response) -> {
            response.setStatus(201);
            response.setContentType("application/json; charset=utf-8");
            response.setHeader("Location", "/orders/" + runs.incrementAndGet());
            response.setHeader("ETag", "\"1\"");
            response.addHeader("Link", "</a>; rel=\"a\"");
            response.addHeader("Link", "</b>; rel=\"b\"");
            response.setHeader("Content-Language", "de");
            response.setHeader("X-Total", "7");
            response.setHeader("Set-Cookie", "session=secret");
            response.setHeader("Access-Control-Allow-Origin", "https://a.example");
            response.setHeader("X-Other", "not listed");
            response.getWriter().write("{\"id\":\"\u00e4" + runs.get() + "\"}");
        };
        try (FilteredServer server = FilteredServer.open(container, all -> all.withReplayedHeaders("X-Total"), app)) {
            ReceivedResponse first =
                    server.send(server.post("/orders", "k-1", "{\"a\":1}").header("X-Correlation-ID", "story-1"));
            ReceivedResponse second =
                    server.send(server.post("/orders", "k-1", "{\"a\":1}").header("X-Request-ID", "second"));
            assertThat(runs).hasValue(1);
            assertThat(first.status()).isEqualTo(201);
            assertThat(first.text()).isEqualTo("{\"id\":\"\u00e41\"}");
            assertThat(first.replayed()).isFalse();
            assertThat(second.status()).isEqualTo(201);
            assertThat(second.body()).isEqualTo(first.body());
            for (String header : new String[] {
                "Content-Type", "Content-Language", "Location", "ETag", "Link", "X-Correlation-ID", "X-Total"
            }) {
                assertThat(second.headers().allValues(header))
                        .as(header)
                        .isNotEmpty()
                        .isEqualTo(first.headers().allValues(header));
            }
            assertThat(second.header("X-Correlation-ID")).contains("story-1");
            assertThat(second.header("Idempotency-Replayed")).contains("true");
            assertThat(second.header("X-Request-ID")).contains("second");
            for (String header : new String[] {"Set-Cookie", "Access-Control-Allow-Origin", "X-Other"}) {
                assertThat(first.header(header)).as(header).isPresent();
                assertThat(second.header(header)).as(header).isEmpty();
            }
        }
    }

    @Test
    void replayIsTheSameForEveryKindOfResponse() {
        App app = (request, response) -> {
            runs.incrementAndGet();
            switch (request.getServletPath() + request.getPathInfo()) {
                case "/nothing" -> response.setStatus(204);
                case "/empty" -> response.setContentType("text/plain");
                case "/redirect" -> response.sendRedirect("/orders/7");
                case "/missing" -> response.sendError(404, "no such order");
                case "/bare" -> response.sendError(422);
                case "/streamed" -> {
                    response.setBufferSize(16);
                    for (int i = 0; i < 1000; i++) {
                        response.getOutputStream().write(("line " + i + "\n").getBytes("UTF-8"));
                        response.flushBuffer();
                    }
                }
                case "/again" -> {
                    response.setHeader("ETag", "\"wrong\"");
                    response.getWriter().write("first try");
                    response.reset();
                    response.setStatus(202);
                    response.getWriter().write("second try");
                    response.resetBuffer();
                    response.getWriter().write("third try");
                }
                case "/binary" -> {
                    response.setContentLength(256);
                    for (int i = 0; i < 256; i++) {
                        response.getOutputStream().write(i);
                    }
                }
                default -> throw new AssertionError(request.getPathInfo());
            }
        };
        try (FilteredServer server = FilteredServer.open(container, app)) {
            String[] paths = {"/nothing", "/empty", "/redirect", "/missing", "/bare", "/streamed", "/again", "/binary"};
            for (String path : paths) {
                ReceivedResponse first = server.send(server.post(path, path, "{}"));
                ReceivedResponse second = server.send(server.post(path, path, "{}"));
                assertThat(second.status()).as(path).isEqualTo(first.status());
                assertThat(second.body()).as(path).isEqualTo(first.body());
                assertThat(second.headers().allValues("Content-Type"))
                        .as(path)
                        .isEqualTo(first.headers().allValues("Content-Type"));
                assertThat(second.headers().allValues("Location"))
                        .as(path)
                        .isEqualTo(first.headers().allValues("Location"));
                assertThat(second.replayed()).as(path).isTrue();
            }
            assertThat(runs).hasValue(paths.length);
            assertThat(server.send(server.post("/again", "/again", "{}")).text())
                    .isEqualTo("third try");
            assertThat(server.send(server.post("/again", "/again", "{}")).header("ETag"))
                    .isEmpty();
            assertThat(server.send(server.post("/redirect", "/redirect", "{}")).header("Location"))
                    .contains("/orders/7");
            assertThat(server.send(server.post("/missing", "/missing", "{}"))
                            .problem()
                            .has("detail"))
                    .as("the message of sendError is not shown")
                    .isFalse();
            assertThat(server.send(server.post("/streamed", "/streamed", "{}")).text())
                    .endsWith("line 999\n");
        }
    }

    @Test
    void row_payload_mismatch_sameKeyWithAnotherPayloadConflictsAndLeaksNothing() {
        try (FilteredServer server = FilteredServer.open(container, new CountingHandler())) {
            assertThat(server.send(server.post("/orders", "k-1", "{\"a\":1}")).status())
                    .isEqualTo(201);
            ReceivedResponse other = server.send(server.post("/orders", "k-1", "{\"a\":2}"));
            assertThat(other.status()).isEqualTo(409);
            assertThat(other.code()).isEqualTo("idempotency.payload_mismatch");
            assertThat(other.header("Retry-After")).isEmpty();
            assertThat(other.text()).doesNotContain("run").doesNotContain("k-1");
            assertThat(server.send(server.post("/orders?x=1", "k-1", "{\"a\":1}"))
                            .status())
                    .isEqualTo(409);
        }
    }

    @Test
    void row_payload_mismatch_inTheIetfProfileItIs422() {
        try (FilteredServer server = FilteredServer.open(
                container,
                all -> all.withIetfProfile(URI.create("https://example.com/idempotency")),
                new CountingHandler())) {
            server.send(server.post("/orders", "k-1", "{\"a\":1}"));
            ReceivedResponse other = server.send(server.post("/orders", "k-1", "{\"a\":2}"));
            assertThat(other.status()).isEqualTo(422);
            assertThat(other.problem().get("status").intValue()).isEqualTo(422);
            assertThat(other.code()).isEqualTo("idempotency.payload_mismatch");
        }
    }

    @Test
    void payloadIsComparedByItsMeaning() {
        CountingHandler app = new CountingHandler();
        try (FilteredServer server = FilteredServer.open(container, app)) {
            server.send(server.post("/orders?b=2&a=1&a=0", "k-1", "{\"x\":1,\"y\":[true,null]}"));
            assertThat(server.send(server.post("/orders?a=1&%61=0&b=2", "k-1", " { \"y\": [true, null], \"x\" : 1.0 }"))
                            .replayed())
                    .isTrue();
            assertThat(server.send(server.post("/orders?a=0&a=1&b=2", "k-1", "{\"x\":1,\"y\":[true,null]}"))
                            .code())
                    .isEqualTo("idempotency.payload_mismatch");
            server.send(server.post("/orders", "k-2", "not json"));
            assertThat(server.send(server.post("/orders", "k-2", "not json")).replayed())
                    .isTrue();
            assertThat(server.send(server.post("/orders", "k-2", "not  json")).code())
                    .isEqualTo("idempotency.payload_mismatch");
            assertThat(app.runs()).isEqualTo(2);
        }
    }

    @Test
    void unauthorizedForbiddenTooLargeAndTooManyLeaveNoRecord() {
        try (FilteredServer server = FilteredServer.open(container, (request, response) -> {
            runs.incrementAndGet();
            response.setStatus(Integer.parseInt(request.getPathInfo().substring(1)));
        })) {
            for (int status : new int[] {401, 403, 413, 429}) {
                for (int i = 0; i < 2; i++) {
                    ReceivedResponse received = server.send(server.post("/" + status, "k-" + status, "{}"));
                    assertThat(received.status()).isEqualTo(status);
                    assertThat(received.replayed()).isFalse();
                }
            }
            assertThat(runs).hasValue(8);
        }
    }

    @Test
    void otherRejectionsAreStoredForTheFailureRetention() {
        ManualTime time = new ManualTime(1_700_000_000_000L);
        EngineSettings engine =
                EngineSettings.on(new MemoryStore(time)).withTime(time).withoutBackground();
        try (FilteredServer server =
                FilteredServer.open(container, engine, all -> all.withTime(time), (request, response) -> {
                    runs.incrementAndGet();
                    response.setStatus("/bad".equals(request.getPathInfo()) ? 422 : 200);
                })) {
            for (String path : new String[] {"/bad", "/good"}) {
                server.send(server.post(path, path, "{}"));
                time.advance(Duration.ofHours(3));
                assertThat(server.send(server.post(path, path, "{}")).replayed())
                        .isTrue();
            }
            time.advance(Duration.ofHours(2));
            assertThat(server.send(server.post("/bad", "/bad", "{}")).replayed())
                    .isFalse();
            assertThat(server.send(server.post("/good", "/good", "{}")).replayed())
                    .isTrue();
            time.advance(Duration.ofHours(20));
            assertThat(server.send(server.post("/good", "/good", "{}")).replayed())
                    .isFalse();
            assertThat(runs).hasValue(4);
        }
    }

    @Test
    void wellFormedIdsAreAcceptedAndOthersGenerated() {
        try (FilteredServer server = FilteredServer.open(
                container,
                (request, response) -> response.getWriter()
                        .write(IdempotentExchange.of(request)
                                .map(exchange -> exchange.correlationId() + " " + exchange.requestId())
                                .orElse("none")))) {
            ReceivedResponse given = server.send(server.post("/a", "k-1", "{}")
                    .header("X-Correlation-ID", "c-1")
                    .header("X-Request-ID", "r-1"));
            assertThat(given.text()).isEqualTo("c-1 r-1");
            assertThat(given.header("X-Correlation-ID")).contains("c-1");
            assertThat(given.header("X-Request-ID")).contains("r-1");
            ReceivedResponse made = server.send(server.post("/a", "k-2", "{}")
                    .header("X-Correlation-ID", "c 1")
                    .header("X-Request-ID", "r".repeat(129)));
            assertThat(made.header("X-Correlation-ID").orElseThrow()).hasSize(36);
            assertThat(made.header("X-Request-ID").orElseThrow()).hasSize(36);
            assertThat(made.text())
                    .isEqualTo(made.header("X-Correlation-ID").orElseThrow() + " "
                            + made.header("X-Request-ID").orElseThrow());
            assertThat(server.send(server.request("GET", "/a", "")).text()).isEqualTo("none");
        }
    }

    @Test
    void replaysComeFromTheLocalCacheToo() {
        EngineSettings engine =
                EngineSettings.on(new MemoryStore(TimeSource.system())).withLocalCache(10);
        CountingHandler app = new CountingHandler();
        try (FilteredServer server = FilteredServer.open(container, engine, all -> all, app)) {
            server.send(server.post("/a", "k-1", "{}"));
            assertThat(server.send(server.post("/a", "k-1", "{}")).text()).isEqualTo("{\"run\":1}");
            assertThat(server.send(server.post("/a", "k-1", "{ }")).text()).isEqualTo("{\"run\":1}");
            assertThat(app.runs()).isEqualTo(1);
        }
    }

    @Test
    void headerIsReplayedAsOftenAsItWasSent() {
        try (FilteredServer server = FilteredServer.behind(
                container,
                (request, response) -> response.addHeader("Link", "</docs>; rel=\"help\""),
                all -> all.withReplayedHeaders("etag", "X-Total", "x-total"),
                (request, response) -> {
                    response.setHeader("ETag", "\"1\"");
                    response.setHeader("X-Total", "7");
                    response.addHeader("Link", "</next>; rel=\"next\"");
                })) {
            ReceivedResponse first = server.send(server.post("/a", "k-1", "{}"));
            ReceivedResponse second = server.send(server.post("/a", "k-1", "{}"));
            assertThat(second.replayed()).isTrue();
            for (String name : new String[] {"ETag", "X-Total", "Link"}) {
                assertThat(second.headers().allValues(name))
                        .as(name)
                        .isEqualTo(first.headers().allValues(name));
            }
        }
    }

    @Test
    void rejectionOverTheLimitKeepsItsStatus() {
        try (FilteredServer server = FilteredServer.open(
                container, all -> all.withDefault(Rule.required().withLargestKeptResponse(10)), (request, response) -> {
                    runs.incrementAndGet();
                    response.setStatus(422);
                    response.getWriter().write("a long list of faults");
                })) {
            assertThat(server.send(server.post("/a", "k-1", "{}")).status()).isEqualTo(422);
            ReceivedResponse again = server.send(server.post("/a", "k-1", "{}"));
            assertThat(again.status()).isEqualTo(422);
            assertThat(again.header("Idempotency-Notice")).contains("idempotency.response_not_kept");
            assertThat(again.body()).isEmpty();
            assertThat(runs).hasValue(1);
        }
    }
}
