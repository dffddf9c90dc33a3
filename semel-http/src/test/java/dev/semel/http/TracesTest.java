package dev.semel.http;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.semel.audit.AuditEvent;
import dev.semel.engine.EngineSettings;
import dev.semel.store.RecordFilter;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.testkit.Await;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.TimeSource;
import dev.semel.watch.MicrometerWatch;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.http.HttpRequest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/** The traces of requests in logs, metrics and audit; and secrets that must not appear there. */
@ParameterizedClass
@EnumSource(Container.class)
class TracesTest {
    private static final String KEY = "distinctive-as-an-account-number";

    @Parameter
    private Container container;

    private final ListAppender<ILoggingEvent> lines = new ListAppender<>() {
        @Override
        protected void append(ILoggingEvent event) {
            // Or its context would be that of whoever looks at it.
            event.prepareForDeferredProcessing();
            super.append(event);
        }
    };

    private void listening(Runnable work) {
        Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        lines.start();
        Level before = root.getLevel();
        root.setLevel(Level.TRACE);
        // Its bytes are its own affair.
        ((Logger) LoggerFactory.getLogger("org.eclipse.jetty")).setLevel(Level.INFO);
        root.addAppender(lines);
        try {
            work.run();
        } finally {
            root.detachAppender(lines);
            root.setLevel(before);
        }
    }

    @Test
    void e9_rawKeysAppearInNoLogUrlOrMetric() {
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        List<ReceivedResponse> answers = new ArrayList<>();
        listening(() -> {
            for (dev.semel.http.Level level : dev.semel.http.Level.values()) {
                EngineSettings engine = EngineSettings.on(new MemoryStore(TimeSource.system()))
                        .withWatch(MicrometerWatch.of(meters).withTenants());
                try (FilteredServer server = FilteredServer.open(
                        container,
                        engine,
                        all -> all.withDefault(Rule.required().withLevel(level)),
                        (request, response) -> {
                            switch (request.getPathInfo()) {
                                case "/fails" -> throw new IllegalStateException("broken");
                                case "/refuses" -> response.sendError(422, "no");
                                default -> response.sendRedirect("/elsewhere");
                            }
                        })) {
                    for (String path : new String[] {"/fails", "/refuses", "/goes"}) {
                        for (String body : new String[] {"{}", "{}", "[]"}) {
                            answers.add(server.send(server.post(path, KEY + path.substring(1), body)));
                        }
                    }
                    answers.add(server.send(server.post("/a", KEY + " x", "{}")));
                    answers.add(server.send(server.post("/a", KEY, "{}").header("Idempotency-Key", KEY + "2")));
                }
            }
        });
        assertThat(lines.list)
                .isNotEmpty()
                .noneMatch(line -> line.getFormattedMessage().contains(KEY)
                        || String.valueOf(line.getKeyValuePairs()).contains(KEY)
                        || String.valueOf(line.getMDCPropertyMap()).contains(KEY)
                        || line.getThrowableProxy() != null
                                && String.valueOf(line.getThrowableProxy().getMessage())
                                        .contains(KEY));
        assertThat(meters.getMeters())
                .isNotEmpty()
                .noneMatch(meter -> meter.getId().toString().contains(KEY));
        assertThat(answers).noneMatch(received -> received.toString().contains(KEY));
    }

    @Test
    void firstUnauthenticatedRequestIsLoggedOnceWithAdvice() {
        listening(() -> {
            try (FilteredServer server =
                    FilteredServer.open(container, (request, response) -> response.setStatus(201))) {
                for (int i = 0; i < 2; i++) {
                    ReceivedResponse received = server.send(HttpRequest.newBuilder(server.at("/orders"))
                            .header("Idempotency-Key", KEY)
                            .POST(HttpRequest.BodyPublishers.noBody()));
                    assertThat(received.code()).isEqualTo("request.unauthenticated");
                }
            }
        });
        assertThat(lines.list)
                .filteredOn(line -> line.getLoggerName().equals(IdempotencyFilter.class.getName()))
                .filteredOn(line -> line.getLevel() == Level.WARN)
                .extracting(ILoggingEvent::getFormattedMessage)
                .singleElement()
                .asString()
                .startsWith("POST ")
                .contains("withScope", "semel.http.anonymous=true");
    }

    @ParameterizedTest
    @EnumSource(dev.semel.http.Level.class)
    void requestWithoutRecordIsCountedAsFailedAtEveryLevel(dev.semel.http.Level level) {
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        EngineSettings engine =
                EngineSettings.on(new MemoryStore(TimeSource.system())).withWatch(MicrometerWatch.of(meters));
        try (FilteredServer server = FilteredServer.open(
                container,
                engine,
                all -> all.withDefault(Rule.required().withLevel(level)),
                (request, response) -> response.setStatus(403))) {
            assertThat(server.send(server.post("/a", "k-1", "{}")).status()).isEqualTo(403);
        }
        assertThat(meters.get("semel.calls").counters())
                .extracting(counter -> counter.getId().getTag("answer"))
                .containsExactly("failed");
    }

    @Test
    void handlersLogLinesCarryTheIdsOfTheirRequest() {
        listening(() -> {
            try (FilteredServer server = FilteredServer.open(
                    container,
                    (request, response) -> LoggerFactory.getLogger("shop").info("charged"))) {
                server.send(server.post("/a", "k-1", "{}")
                        .header("X-Correlation-ID", "c-1")
                        .header("X-Request-ID", "r-1"));
                server.send(server.request("GET", "/a", "").header("X-Correlation-ID", "c-2"));
            }
        });
        List<ILoggingEvent> charged = lines.list.stream()
                .filter(line -> line.getLoggerName().equals("shop"))
                .toList();
        assertThat(charged).hasSize(2);
        assertThat(charged.get(0).getMDCPropertyMap())
                .containsEntry("correlation_id", "c-1")
                .containsEntry("request_id", "r-1");
        assertThat(charged.get(1).getMDCPropertyMap()).containsEntry("correlation_id", "c-2");
    }

    @Test
    void applicationMayReplaceTheLogContext() {
        List<String> entered = Collections.synchronizedList(new ArrayList<>());
        try (FilteredServer server = FilteredServer.open(
                container,
                all -> all.withIds(() -> "made").withLogs((correlation, request) -> {
                    entered.add("in " + correlation + " " + request);
                    return () -> entered.add("out");
                }),
                (request, response) -> entered.add("handler"))) {
            server.send(server.post("/a", "k-1", "{}"));
            Await.until("three calls were logged", () -> entered.size() == 3);
            assertThat(entered).containsExactly("in made made", "handler", "out");
        }
    }

    @Test
    void auditContainsActorAndRequestIds() {
        for (dev.semel.http.Level level : dev.semel.http.Level.values()) {
            try (FilteredServer server = FilteredServer.open(
                    container,
                    all -> all.withRoute("POST", "/orders/{id}", Rule.required().withLevel(level)),
                    (request, response) -> response.setStatus(204))) {
                server.send(server.post("/orders/7", "k-1", "{}")
                        .header("X-Correlation-ID", "c-1")
                        .header("X-Request-ID", "r-1")
                        .header("If-Match", "\"3\"")
                        .header("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"));
                Row row = server.engine()
                        .operator()
                        .list(State.COMPLETED, RecordFilter.ALL, RecordFilter.Cursor.START, 1)
                        .get(0);
                assertThat(row.header().operation()).isEqualTo("POST /orders/{id}");
                assertThat(row.header().correlationId()).isEqualTo("c-1");
                assertThat(row.header().tenant()).isEqualTo("acme");
                AuditEvent event = server.engine().operator().story(row.id(), 1).get(0);
                assertThat(event.fields())
                        .containsEntry("correlation_id", "c-1")
                        .containsEntry("request_id", "r-1")
                        .containsEntry("actor", "alice@acme")
                        .containsEntry("source", "http")
                        .containsEntry("trace_id", "0af7651916cd43dd8448eb211c80319c")
                        .containsEntry("aggregate_version", 3L);
            }
        }
    }

    @Test
    void markerRouteWithoutMarkIsLoggedOnce() {
        listening(() -> {
            try (FilteredServer server = FilteredServer.open(
                    container,
                    all -> all.withDefault(Rule.required().withLevel(dev.semel.http.Level.MARKER)),
                    new CountingHandler())) {
                server.send(server.post("/a", "k-1", "{}"));
                server.send(server.post("/a", "k-2", "{}"));
            }
        });
        assertThat(lines.list)
                .filteredOn(line -> line.getFormattedMessage().contains("without a marked transaction"))
                .hasSize(1);
    }
}
