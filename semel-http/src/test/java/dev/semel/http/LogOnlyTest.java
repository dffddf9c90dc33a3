package dev.semel.http;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.semel.Key;
import dev.semel.Tenant;
import dev.semel.engine.EngineSettings;
import dev.semel.store.State;
import dev.semel.store.Store;
import dev.semel.testkit.Await;
import dev.semel.testkit.fault.Faults.Fault;
import dev.semel.testkit.fault.FaultyStore;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.TimeSource;
import dev.semel.watch.MicrometerWatch;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/** A log-only route: every request passes as if there were no filter, and what the filter would have done is logged and counted. */
@ParameterizedClass
@EnumSource(Container.class)
class LogOnlyTest {
    private static final Rule LOG_ONLY = Rule.required().withLogOnly(true);

    @Parameter
    private Container container;

    private final AtomicInteger runs = new AtomicInteger();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final Logger logger = (Logger) LoggerFactory.getLogger(IdempotencyFilter.class);

    @BeforeEach
    void listen() {
        lines.start();
        logger.setLevel(ch.qos.logback.classic.Level.INFO);
        logger.setAdditive(false);
        logger.addAppender(lines);
    }

    @AfterEach
    void listenNoMore() {
        logger.detachAppender(lines);
        logger.setLevel(null);
        logger.setAdditive(true);
    }

    private FilteredServer open(Rule rule, App app) {
        return open(new MemoryStore(TimeSource.system()), rule, app);
    }

    private FilteredServer open(Store store, Rule rule, App app) {
        return FilteredServer.open(
                container,
                EngineSettings.on(store).withWatch(MicrometerWatch.of(meters)).withoutBackground(),
                all -> all.withRoute("POST", "/orders", rule),
                app);
    }

    private void count(HttpServletRequest request, HttpServletResponse response) throws IOException {
        response.setStatus(201);
        response.getWriter().write("run " + runs.incrementAndGet());
    }

    private List<String> logged() {
        return lines.list.stream()
                .map(line -> line.getFormattedMessage().replaceAll(" \\(correlation [^)]*\\)", ""))
                .toList();
    }

    private int counted(String answer) {
        Counter counter = meters.find("semel.http.log_only")
                .tags("route", "POST /orders", "answer", answer)
                .counter();
        return counter == null ? 0 : (int) counter.count();
    }

    @Test
    void requestWithoutKeyPassesAndIsReported() {
        try (FilteredServer server = open(LOG_ONLY, this::count)) {
            ReceivedResponse received = server.send(server.request("POST", "/orders", "{}"));
            assertThat(received.status()).isEqualTo(201);
            assertThat(received.text()).isEqualTo("run 1");
            assertThat(logged())
                    .containsExactly("log-only: POST /orders: would reject with 400 idempotency.key_required; the"
                            + " request passes.");
            assertThat(counted("idempotency.key_required")).isEqualTo(1);
        }
    }

    @Test
    void unauthenticatedRequestPassesAndIsReported() {
        try (FilteredServer server = open(LOG_ONLY, this::count)) {
            ReceivedResponse received = server.send(HttpRequest.newBuilder(server.at("/orders"))
                    .header("Idempotency-Key", "k-1")
                    .POST(HttpRequest.BodyPublishers.ofString("{}")));
            assertThat(received.text()).isEqualTo("run 1");
            assertThat(logged())
                    .containsExactly(
                            "log-only: POST /orders: would reject with 401 request.unauthenticated; the request passes.");
            assertThat(counted("request.unauthenticated")).isEqualTo(1);
        }
    }

    @Test
    void retryRunsAgainAndIsReportedAsAReplay() {
        try (FilteredServer server = open(LOG_ONLY, this::count)) {
            assertThat(server.send(server.post("/orders", "k-1", "{\"a\":1}")).text())
                    .isEqualTo("run 1");
            ReceivedResponse second = server.send(server.post("/orders", "k-1", "{ \"a\": 1.0 }"));
            assertThat(second.text()).isEqualTo("run 2");
            assertThat(second.replayed()).isFalse();
            assertThat(logged())
                    .containsExactly("log-only: POST /orders: would replay the first response; the request passes and"
                            + " runs again.");
            assertThat(counted("executed")).isEqualTo(1);
            assertThat(counted("replayed")).isEqualTo(1);
        }
    }

    @Test
    void keyWithAnotherPayloadRunsAndIsReportedAsAConflict() {
        try (FilteredServer server = open(LOG_ONLY, this::count)) {
            server.send(server.post("/orders", "k-1", "{\"a\":1}"));
            assertThat(server.send(server.post("/orders", "k-1", "{\"a\":2}")).text())
                    .isEqualTo("run 2");
            assertThat(logged())
                    .containsExactly("log-only: POST /orders: would reject with 409 idempotency.payload_mismatch; the"
                            + " request passes.");
        }
    }

    @Test
    void duplicateOfARunningRequestRunsAndIsReportedAsInProgress() {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        try (FilteredServer server = open(LOG_ONLY, (request, response) -> {
            if (runs.incrementAndGet() == 1) {
                begun.countDown();
                go.await();
            }
            response.getWriter().write("done");
        })) {
            CompletableFuture<ReceivedResponse> first = server.sending(server.post("/orders", "k-1", "{}"));
            assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
            assertThat(server.send(server.post("/orders", "k-1", "{}")).text()).isEqualTo("done");
            go.countDown();
            assertThat(first.join().text()).isEqualTo("done");
            assertThat(counted("idempotency.in_progress")).isEqualTo(1);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void responseIsThatOfTheHandlerAlone() {
        try (FilteredServer server = open(LOG_ONLY, this::count)) {
            ReceivedResponse received = server.send(server.post("/orders", "k-1", "{}"));
            assertThat(received.headers().map().keySet())
                    .noneMatch(name -> name.toLowerCase(Locale.ROOT).startsWith("x-")
                            || name.toLowerCase(Locale.ROOT).startsWith("idempotency"));
        }
    }

    @Test
    void streamIsSentWhileItIsWritten() throws Exception {
        CountDownLatch read = new CountDownLatch(1);
        try (FilteredServer server = open(LOG_ONLY, (request, response) -> {
            response.setContentType("text/event-stream");
            response.getWriter().write("data: one\n\n");
            response.flushBuffer();
            read.await();
        })) {
            var response = FilteredServer.CLIENT.send(
                    server.post("/orders", "k-1", "{}").build(), HttpResponse.BodyHandlers.ofInputStream());
            try (var body = response.body()) {
                assertThat(body.read()).isEqualTo('d');
            } finally {
                read.countDown();
            }
        }
    }

    @Test
    void failedRequestLeavesNoRecord() {
        try (FilteredServer server = open(LOG_ONLY, (request, response) -> {
            if (runs.incrementAndGet() == 1) {
                throw new IllegalStateException("planted");
            }
            response.setStatus(runs.get() == 2 ? 503 : 200);
        })) {
            for (int status : new int[] {500, 503, 200}) {
                assertThat(server.send(server.post("/orders", "k-1", "{}")).status())
                        .isEqualTo(status);
            }
            assertThat(logged()).isEmpty();
            assertThat(counted("executed")).isEqualTo(3);
        }
    }

    @Test
    void recordsDoNotCountOnceTheRouteIsEnforced() {
        try (FilteredServer server = open(LOG_ONLY, this::count)) {
            server.send(server.post("/orders", "k-1", "{}"));
            assertThat(state(server, "log-only POST /orders")).isEqualTo(State.COMPLETED);
            assertThat(state(server, "POST /orders")).isNull();
        }
    }

    private static @Nullable State state(FilteredServer server, String operation) {
        return server.engine()
                .operator()
                .find(Tenant.of("acme"), operation, Key.of("u:alice%40acme:k-1"))
                .map(row -> row.state())
                .orElse(null);
    }

    @Test
    void handlerGetsTheWholeBodyThatIsOverTheLimit() {
        Rule small = LOG_ONLY.withLargestRequest(100_000);
        try (FilteredServer server = open(
                small,
                (request, response) ->
                        response.getWriter().write(request.getInputStream().readAllBytes().length + " bytes"))) {
            byte[] large = new byte[300_000];
            ReceivedResponse declared = server.send(server.post("/orders", "k-1", "x".repeat(large.length)));
            assertThat(declared.text()).isEqualTo("300000 bytes");
            ReceivedResponse chunked = server.send(HttpRequest.newBuilder(server.at("/orders"))
                    .header("X-User", "alice@acme")
                    .header("Idempotency-Key", "k-2")
                    .POST(HttpRequest.BodyPublishers.fromPublisher(HttpRequest.BodyPublishers.ofByteArray(large))));
            assertThat(chunked.text()).isEqualTo("300000 bytes");
            assertThat(counted("request.too_large")).isEqualTo(2);
            ReceivedResponse fits = server.send(server.post("/orders", "k-3", "x".repeat(100_000)));
            assertThat(fits.text()).isEqualTo("100000 bytes");
            assertThat(counted("executed")).isEqualTo(1);
        }
    }

    @Test
    void handlerGetsTheFieldsOfAForm() {
        try (FilteredServer server = open(
                LOG_ONLY,
                (request, response) ->
                        response.getWriter().write(request.getParameter("a") + " " + request.getParameter("q")))) {
            for (String form : new String[] {"a=1", "a=1", "a=2"}) {
                ReceivedResponse received = server.send(HttpRequest.newBuilder(server.at("/orders?q=7"))
                        .header("X-User", "alice@acme")
                        .header("Idempotency-Key", "k-1")
                        .header("Content-Type", "application/x-www-form-urlencoded")
                        .POST(HttpRequest.BodyPublishers.ofString(form)));
                assertThat(received.text()).isEqualTo(form.substring(2) + " 7");
            }
            assertThat(counted("replayed")).isEqualTo(1);
            assertThat(counted("idempotency.payload_mismatch")).isEqualTo(1);
        }
    }

    @Test
    void asynchronousRequestIsRecordedWhenItEnds() {
        try (FilteredServer server = open(LOG_ONLY, (request, response) -> {
            String body = new String(request.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            AsyncContext async = request.startAsync();
            new Thread(() -> {
                        try {
                            async.getResponse().getWriter().write("run " + runs.incrementAndGet() + " " + body);
                        } catch (IOException e) {
                            throw new IllegalStateException(e);
                        }
                        async.complete();
                    })
                    .start();
        })) {
            assertThat(server.send(server.post("/orders", "k-1", "{}")).text()).isEqualTo("run 1 {}");
            Await.until("the record is COMPLETED", () -> state(server, "log-only POST /orders") == State.COMPLETED);
            assertThat(server.send(server.post("/orders", "k-1", "{}")).text()).isEqualTo("run 2 {}");
            assertThat(counted("replayed")).isEqualTo(1);
        }
    }

    @Test
    void requestPassesWhileTheLedgerIsDown() {
        AtomicBoolean down = new AtomicBoolean();
        Store store = new FaultyStore(
                new MemoryStore(TimeSource.system()), call -> down.get() ? Fault.FAIL_BEFORE : Fault.NONE);
        try (FilteredServer server = open(store, LOG_ONLY, this::count)) {
            down.set(true);
            assertThat(server.send(server.post("/orders", "k-1", "{}")).text()).isEqualTo("run 1");
            assertThat(logged()).containsExactly("log-only: POST /orders: the ledger failed; the request passes.");
            assertThat(counted("idempotency.store_unavailable")).isEqualTo(1);
            down.set(false);
        }
    }

    @Test
    void optionalRouteReportsNothingForARequestWithoutKey() {
        try (FilteredServer server = open(Rule.optional().withLogOnly(true), this::count)) {
            assertThat(server.send(server.request("POST", "/orders", "{}")).text())
                    .isEqualTo("run 1");
            assertThat(logged()).isEmpty();
        }
    }
}
