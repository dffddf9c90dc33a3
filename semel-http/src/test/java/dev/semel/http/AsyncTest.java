package dev.semel.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Channel;
import dev.semel.engine.EngineSettings;
import dev.semel.store.RecordFilter;
import dev.semel.store.State;
import dev.semel.testkit.Await;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Requests that end on another thread than they began on. */
@ParameterizedClass
@EnumSource(Container.class)
class AsyncTest {
    @Parameter
    private Container container;

    private final AtomicInteger runs = new AtomicInteger();

    private static void write(AsyncContext async, String text) {
        try {
            HttpServletResponse response = (HttpServletResponse) async.getResponse();
            response.setStatus(202);
            response.setContentType("text/plain");
            response.getWriter().write(text);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private void isAnsweredAndReplayed(App app, String text) {
        try (FilteredServer server = FilteredServer.open(container, app)) {
            ReceivedResponse first = server.send(server.post("/a", "k-1", "{\"a\":1}"));
            assertThat(first.text()).isEqualTo(text);
            assertThat(first.status()).isEqualTo(202);
            ReceivedResponse second = server.send(server.post("/a", "k-1", "{\"a\":1}"));
            assertThat(second.text()).isEqualTo(text);
            assertThat(second.status()).isEqualTo(202);
            assertThat(second.replayed()).isTrue();
            assertThat(runs).hasValue(1);
        }
    }

    @Test
    void asyncRequestIsRecordedBeforeItsResponseIsSent() {
        isAnsweredAndReplayed(
                (request, response) -> {
                    AsyncContext async = request.startAsync();
                    new Thread(() -> {
                                write(async, "run " + runs.incrementAndGet());
                                async.complete();
                            })
                            .start();
                },
                "run 1");
    }

    @Test
    void asyncRequestCompletedEarlyGetsOneResponse() {
        isAnsweredAndReplayed(
                (request, response) -> {
                    AsyncContext async = request.startAsync(request, response);
                    CountDownLatch done = new CountDownLatch(1);
                    new Thread(() -> {
                                write(async, "run " + runs.incrementAndGet());
                                async.complete();
                                done.countDown();
                            })
                            .start();
                    assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
                },
                "run 1");
    }

    @Test
    void redispatchedRequestGetsTheResponseOfTheSecondDispatch() {
        isAnsweredAndReplayed(
                (request, response) -> {
                    if (request.getDispatcherType() == DispatcherType.ASYNC) {
                        assertThat(IdempotentExchange.current()).isPresent();
                        response.setStatus(202);
                        response.getWriter().write("run " + runs.incrementAndGet());
                    } else {
                        request.startAsync().dispatch();
                    }
                },
                "run 1");
    }

    @Test
    void redispatchedRequestMayContinueAsynchronously() {
        isAnsweredAndReplayed(
                (request, response) -> {
                    AsyncContext async = request.startAsync();
                    assertThat(request.getAsyncContext()).isSameAs(async);
                    if (request.getDispatcherType() == DispatcherType.ASYNC) {
                        async.start(() -> {
                            assertThat(IdempotentExchange.current()).isPresent();
                            write(async, "run " + runs.incrementAndGet());
                            async.complete();
                        });
                    } else {
                        async.start(async::dispatch);
                    }
                },
                "run 1");
    }

    @Test
    void listenerThatCompletesATimedOutRequestSetsItsResponse() {
        isAnsweredAndReplayed(
                (request, response) -> {
                    runs.incrementAndGet();
                    AsyncContext async = request.startAsync();
                    async.setTimeout(50);
                    async.addListener(new OnTimeout(event -> {
                        write(event.getAsyncContext(), "gave up");
                        event.getAsyncContext().complete();
                    }));
                },
                "gave up");
    }

    @Test
    void asyncRequestThatTimesOutWithoutResponseIsUnknown() {
        for (Level level : new Level[] {Level.PLAIN, Level.MARKER}) {
            try (FilteredServer server = FilteredServer.open(
                    container, all -> all.withDefault(Rule.required().withLevel(level)), (request, response) -> {
                        AsyncContext async = request.startAsync();
                        async.setTimeout(50);
                    })) {
                assertThat(server.send(server.post("/a", "k-1", "{}")).status()).isGreaterThanOrEqualTo(500);
                Await.until(
                        "the record is UNKNOWN",
                        () -> !server.engine()
                                .operator()
                                .list(State.UNKNOWN, RecordFilter.ALL, RecordFilter.Cursor.START, 1)
                                .isEmpty());
            }
        }
    }

    @Test
    void bodiesAreReadAndWrittenWithoutBlockingToo() {
        isAnsweredAndReplayed(
                (request, response) -> {
                    AsyncContext async = request.startAsync();
                    ServletInputStream in = request.getInputStream();
                    in.setReadListener(new ReadListener() {
                        private final ByteArrayOutputStream read = new ByteArrayOutputStream();

                        @Override
                        public void onDataAvailable() throws IOException {
                            byte[] chunk = new byte[4];
                            while (in.isReady() && !in.isFinished()) {
                                int count = in.read(chunk);
                                if (count > 0) {
                                    read.write(chunk, 0, count);
                                }
                            }
                        }

                        @Override
                        public void onAllDataRead() throws IOException {
                            ServletOutputStream out = async.getResponse().getOutputStream();
                            ((HttpServletResponse) async.getResponse()).setStatus(202);
                            out.setWriteListener(new WriteListener() {
                                @Override
                                public void onWritePossible() throws IOException {
                                    assertThat(out.isReady()).isTrue();
                                    out.write(read.toByteArray());
                                    out.print(" run " + runs.incrementAndGet());
                                    async.complete();
                                }

                                @Override
                                public void onError(Throwable t) {
                                    throw new AssertionError(t);
                                }
                            });
                        }

                        @Override
                        public void onError(Throwable t) {
                            throw new AssertionError(t);
                        }
                    });
                },
                "{\"a\":1} run 1");
    }

    @Test
    void markerIsWrittenFromAnotherThreadToo() {
        TestDatabase ground = TestDatabase.Kind.SQLITE.fresh();
        EngineSettings engine = EngineSettings.on(ground.open(null));
        try (FilteredServer server = FilteredServer.open(
                container,
                engine,
                all -> all.withDefault(Rule.required().withLevel(Level.MARKER)),
                (request, response) -> {
                    AsyncContext async = request.startAsync();
                    IdempotentExchange exchange = IdempotentExchange.of(request).orElseThrow();
                    new Thread(() -> {
                                try {
                                    ground.marked(exchange, "one");
                                    write(async, "run " + runs.incrementAndGet());
                                } catch (SQLException e) {
                                    ((HttpServletResponse) async.getResponse()).setStatus(500);
                                } finally {
                                    async.complete();
                                }
                            })
                            .start();
                })) {
            assertThat(server.send(server.post("/a", "k-1", "{}")).text()).isEqualTo("run 1");
            assertThat(server.send(server.post("/a", "k-1", "{}")).text()).isEqualTo("run 1");
            assertThat(ground.effects("one")).isEqualTo(1);
        }
    }

    /**
     * The container gives up on the request; the handler does not know, and continues. No other request runs it
     * meanwhile.
     */
    @Test
    void effectAfterTheTimeoutCompletesTheUnknownRequest() throws Exception {
        for (TestDatabase.Kind kind : TestDatabase.Kind.values()) {
            TestDatabase ground = kind.fresh();
            CountDownLatch over = new CountDownLatch(1);
            CompletableFuture<String> late = new CompletableFuture<>();
            try (FilteredServer server = FilteredServer.open(
                    container,
                    EngineSettings.on(ground.open(null)),
                    all -> all.withDefault(Rule.required().withLevel(Level.MARKER)),
                    (request, response) -> {
                        AsyncContext async = request.startAsync();
                        async.setTimeout(50);
                        IdempotentExchange exchange =
                                IdempotentExchange.of(request).orElseThrow();
                        new Thread(() -> {
                                    try {
                                        assertThat(over.await(60, TimeUnit.SECONDS))
                                                .isTrue();
                                        ground.marked(exchange, "late");
                                        late.complete("committed");
                                    } catch (SQLException | InterruptedException | RuntimeException e) {
                                        late.complete(e.getClass().getSimpleName());
                                    }
                                })
                                .start();
                    })) {
                assertThat(server.send(server.post("/a", "k-1", "{}")).status()).isGreaterThanOrEqualTo(500);
                Await.until(
                        "the record is UNKNOWN",
                        () -> !server.engine()
                                .operator()
                                .list(State.UNKNOWN, RecordFilter.ALL, RecordFilter.Cursor.START, 1)
                                .isEmpty());
                over.countDown();
                assertThat(late.get(60, TimeUnit.SECONDS)).isEqualTo("committed");
                assertThat(server.engine()
                                .operator()
                                .list(State.COMPLETED, RecordFilter.ALL, RecordFilter.Cursor.START, 1))
                        .hasSize(1);
                assertThat(ground.effects("late")).isEqualTo(1);
            }
        }
    }

    @Test
    void errorMayBeSentFromAnotherThread() {
        try (FilteredServer server = FilteredServer.open(container, (request, response) -> {
            AsyncContext async = request.startAsync();
            int status = Integer.parseInt(request.getPathInfo().substring(1));
            async.start(() -> {
                try {
                    ((HttpServletResponse) async.getResponse()).sendError(status, "said by the handler");
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                } finally {
                    async.complete();
                }
            });
        })) {
            for (int status : new int[] {404, 403, 503}) {
                ReceivedResponse received = server.send(server.post("/" + status, "k-" + status, "{}"));
                assertThat(received.status()).isEqualTo(status);
            }
            assertThat(server.send(server.post("/404", "k-404", "{}")).replayed())
                    .isTrue();
        }
    }

    @FunctionalInterface
    private interface AnswerToProblem {
        void of(AsyncEvent event);
    }

    private record OnTimeout(AnswerToProblem told) implements AsyncListener {
        @Override
        public void onComplete(AsyncEvent event) {}

        @Override
        public void onTimeout(AsyncEvent event) {
            told.of(event);
        }

        @Override
        public void onError(AsyncEvent event) {}

        @Override
        public void onStartAsync(AsyncEvent event) {}
    }

    @Test
    void e4_disconnectedClientOfAnAsyncHandlerGetsTheResponseOnRetry() throws Exception {
        CountDownLatch gone = new CountDownLatch(1);
        CountDownLatch completed = new CountDownLatch(1);
        try (FilteredServer server = FilteredServer.open(container, (request, response) -> {
            runs.incrementAndGet();
            AsyncContext async = request.startAsync();
            new Thread(() -> {
                        try {
                            assertThat(gone.await(60, TimeUnit.SECONDS)).isTrue();
                            response.getOutputStream().write(new byte[200_000]);
                        } catch (IOException | InterruptedException e) {
                            throw new IllegalStateException(e);
                        }
                        try {
                            async.complete();
                        } catch (IllegalStateException e) {
                            assertThat(e)
                                    .as("the container has found out that nobody listens")
                                    .isNotNull();
                        } finally {
                            completed.countDown();
                        }
                    })
                    .start();
        })) {
            RawConnection wire = RawConnection.to(server);
            wire.say(RawConnection.POST + "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}");
            Await.until("the handler runs", () -> runs.get() == 1);
            wire.close();
            gone.countDown();
            assertThat(completed.await(60, TimeUnit.SECONDS)).isTrue();
            ReceivedResponse received = server.send(server.post("/a", "k-1", "{}"));
            assertThat(received.status()).isEqualTo(200);
            assertThat(received.body()).hasSize(200_000);
            assertThat(runs).hasValue(1);
        }
    }

    @Test
    void disconnectedClientDoesNotCountForTheBreakerButATimeoutDoes() {
        Rule rule = Rule.required().withBreaker(new Channel.Breaker(50, 2, Duration.ofMinutes(1)));
        for (Exception told : new Exception[] {new IOException("Broken pipe"), new TimeoutException("too slow")}) {
            runs.set(0);
            try (FilteredServer server =
                    FilteredServer.open(container, all -> all.withDefault(rule), (request, response) -> {
                        runs.incrementAndGet();
                        AsyncContext async = request.startAsync();
                        GuardedRequest handling = GuardedRequest.of(request);
                        // As the container tells the listener that the filter has added.
                        handling.broken(told);
                        handling.abandoned(told);
                        async.complete();
                    })) {
                for (int i = 0; i < 3; i++) {
                    server.send(server.post("/a", "k-" + i, "{}"));
                }
                assertThat(runs).as(told.toString()).hasValue(told instanceof IOException ? 3 : 2);
                assertThat(server.send(server.post("/a", "k-0", "{}")).code()).isEqualTo("idempotency.outcome_unknown");
            }
        }
    }
}
