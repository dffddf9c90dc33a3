package dev.semel.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Channel;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Policy;
import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.engine.EngineSettings;
import dev.semel.store.RecordFilter;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.testkit.Await;
import dev.semel.time.ManualTime;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The promises of the three levels where there are real transactions. */
@ParameterizedClass
@MethodSource("places")
class LevelTest {
    @Parameter(0)
    private Container container;

    @Parameter(1)
    private TestDatabase.Kind kind;

    private final AtomicInteger runs = new AtomicInteger();
    private final ManualTime time = new ManualTime(1_700_000_000_000L);

    static Stream<Arguments> places() {
        return Stream.of(Container.values())
                .flatMap(container -> Stream.of(TestDatabase.Kind.values()).map(kind -> Arguments.of(container, kind)));
    }

    private FilteredServer server(TestDatabase ground, Level level, App app) {
        EngineSettings engine =
                EngineSettings.on(ground.open(time)).withTime(time).withoutBackground();
        return FilteredServer.open(
                container,
                engine,
                all -> all.withTime(time).withDefault(Rule.required().withLevel(level)),
                app);
    }

    private static List<Row> records(FilteredServer server, State state) {
        return server.engine().operator().list(state, RecordFilter.ALL, RecordFilter.Cursor.START, 10);
    }

    @Test
    void exchangeNamesItsRecordOperationAndPayloadHashAsTheLedgerDoes() {
        for (Level level : Level.values()) {
            AtomicReference<List<String>> told = new AtomicReference<>();
            try (FilteredServer server = server(kind.fresh(), level, (request, response) -> {
                IdempotentExchange exchange = IdempotentExchange.current().orElseThrow();
                told.set(List.of(exchange.recordId(), exchange.operation(), exchange.payloadHash()));
            })) {
                assertThat(server.send(server.post("/a?b=2", "k-1", "{\"n\":1}"))
                                .status())
                        .isEqualTo(200);
                Row row = records(server, State.COMPLETED).get(0);
                assertThat(told.get())
                        .as(level.name())
                        .containsExactly(
                                row.id().hex(),
                                row.header().operation(),
                                row.header().fingerprint().toString());
            }
        }
    }

    @Test
    void span_effectAndResponseAreOneCommit() {
        TestDatabase ground = kind.fresh();
        try (FilteredServer server = server(ground, Level.SPAN, (request, response) -> {
            IdempotentExchange exchange = IdempotentExchange.current().orElseThrow();
            TestDatabase.effect(exchange.connection(), "one");
            assertThat(ground.effects("one")).isZero();
            assertThat(request.isAsyncSupported()).isFalse();
            assertThatThrownBy(() -> exchange.mark(exchange.connection())).isInstanceOf(SemelException.Invalid.class);
            response.getWriter().write("run " + runs.incrementAndGet());
        })) {
            assertThat(server.send(server.post("/a", "k-1", "{}")).text()).isEqualTo("run 1");
            assertThat(ground.effects("one")).isEqualTo(1);
            assertThat(server.send(server.post("/a", "k-1", "{}")).text()).isEqualTo("run 1");
            assertThat(ground.effects("one")).isEqualTo(1);
            assertThat(records(server, State.COMPLETED)).hasSize(1);
        }
    }

    @Test
    void span_successThatCannotBeCommittedIsAnsweredAsAFailureWithoutCallbacks() {
        TestDatabase ground = kind.fresh();
        Channel.Leased<String> mail = Channel.leased("mail", String.class);
        Tenant tenant = Tenant.of("acme");
        AtomicInteger callbacks = new AtomicInteger();
        try (FilteredServer server = server(ground, Level.SPAN, (request, response) -> {
            IdempotentExchange exchange = IdempotentExchange.current().orElseThrow();
            TestDatabase.effect(exchange.connection(), "one");
            exchange.afterFirstCommit(callbacks::incrementAndGet);
            response.setStatus(201);
            response.getWriter().write("created");
            try {
                exchange.transaction().send(mail, Message.of(tenant, Key.of("m"), "another text"));
            } catch (SemelException.NotSent e) {
                // Caught: the transaction fails at its end all the same.
            }
        })) {
            server.engine().send(mail, Message.of(tenant, Key.of("m"), "text")).orThrow();
            assertThat(server.send(server.post("/a", "k-1", "{}")).status()).isEqualTo(503);
            assertThat(ground.effects("one")).isZero();
            assertThat(callbacks).hasValue(0);
            assertThat(records(server, State.FAILED_RETRYABLE)).hasSize(1);
        }
    }

    @Test
    void span_rejectionOrFailureLeavesNoEffect() {
        TestDatabase ground = kind.fresh();
        AtomicInteger status = new AtomicInteger();
        try (FilteredServer server = server(ground, Level.SPAN, (request, response) -> {
            runs.incrementAndGet();
            TestDatabase.effect(IdempotentExchange.of(request).orElseThrow().connection(), "none");
            if (status.get() == 0) {
                throw new IllegalStateException("broken");
            }
            response.setStatus(status.get());
        })) {
            for (int each : new int[] {422, 403, 500, 0}) {
                status.set(each);
                assertThat(server.send(server.post("/a", "k-" + each, "{}")).status())
                        .isEqualTo(each == 0 ? 500 : each);
                assertThat(ground.effects("none")).as("after " + each).isZero();
            }
            assertThat(server.send(server.post("/a", "k-422", "{}")).replayed()).isTrue();
            assertThat(runs).hasValue(4);
            assertThat(records(server, State.FAILED_RETRYABLE)).hasSize(2);
            assertThat(records(server, State.COMPLETED)).hasSize(1);
            time.advance(Duration.ofSeconds(5));
            status.set(201);
            for (String key : new String[] {"k-500", "k-0", "k-403"}) {
                assertThat(server.send(server.post("/a", key, "{}")).status()).isEqualTo(201);
                assertThat(server.send(server.post("/a", key, "{}")).replayed()).isTrue();
            }
            assertThat(ground.effects("none")).isEqualTo(3);
        }
    }

    @Test
    void marker_markedTransactionIsReplayed() {
        TestDatabase ground = kind.fresh();
        try (FilteredServer server = server(ground, Level.MARKER, (request, response) -> {
            IdempotentExchange exchange = IdempotentExchange.of(request).orElseThrow();
            assertThat(exchange.downstreamKey()).isPresent();
            ground.marked(exchange, "one");
            assertThat(exchange.isMarked()).isTrue();
            response.setHeader("ETag", "\"1\"");
            response.getWriter().write("run " + runs.incrementAndGet());
        })) {
            assertThat(server.send(server.post("/a", "k-1", "{}")).text()).isEqualTo("run 1");
            ReceivedResponse second = server.send(server.post("/a", "k-1", "{}"));
            assertThat(second.text()).isEqualTo("run 1");
            assertThat(second.header("ETag")).contains("\"1\"");
            assertThat(second.replayed()).isTrue();
            assertThat(ground.effects("one")).isEqualTo(1);
            Row row = records(server, State.COMPLETED).get(0);
            assertThat(server.engine().operator().story(row.id(), 10))
                    .as("one event for one change of outcome, and what it tells of the request")
                    .singleElement()
                    .satisfies(event -> assertThat(event.details()).containsKey("request_id"));
        }
    }

    @Test
    void marker_failureAfterAMarkIsUnknownAndWithoutEffectIsRetried() {
        TestDatabase ground = kind.fresh();
        AtomicInteger told = new AtomicInteger();
        try (FilteredServer server = server(ground, Level.MARKER, (request, response) -> {
            IdempotentExchange exchange = IdempotentExchange.of(request).orElseThrow();
            exchange.afterFirstCommit(told::incrementAndGet);
            runs.incrementAndGet();
            if ("/after".equals(request.getPathInfo())) {
                ground.marked(exchange, "after");
            } else if ("/rolled-back".equals(request.getPathInfo())) {
                try (Connection connection = ground.connect()) {
                    connection.setAutoCommit(false);
                    TestDatabase.effect(connection, "rolled-back");
                    exchange.mark(connection);
                    connection.rollback();
                    exchange.noEffect();
                }
            }
            throw new IllegalStateException("broken");
        })) {
            assertThat(server.send(server.post("/after", "k-1", "{}")).status()).isEqualTo(500);
            assertThat(told).hasValue(1);
            assertThat(server.send(server.post("/after", "k-1", "{}")).code()).isEqualTo("idempotency.outcome_unknown");
            assertThat(ground.effects("after")).isEqualTo(1);
            assertThat(runs).hasValue(1);
            runs.set(0);
            assertThat(server.send(server.post("/unwatched", "k-3", "{}")).status())
                    .isEqualTo(500);
            assertThat(server.send(server.post("/unwatched", "k-3", "{}")).code())
                    .as("asynchronous work is not observed")
                    .isEqualTo("idempotency.outcome_unknown");
            assertThat(records(server, State.UNKNOWN))
                    .hasSize(2)
                    .allSatisfy(row -> assertThat(String.valueOf(dev.semel.operator.UnresolvedMessages.failure(row)))
                            .contains("IllegalStateException: broken"));

            assertThat(server.send(server.post("/rolled-back", "k-2", "{}")).status())
                    .isEqualTo(500);
            assertThat(server.send(server.post("/rolled-back", "k-2", "{}")).code())
                    .isEqualTo("idempotency.retry_later");
            time.advance(Duration.ofSeconds(5));
            assertThat(server.send(server.post("/rolled-back", "k-2", "{}")).status())
                    .isEqualTo(500);
            assertThat(ground.effects("rolled-back")).isZero();
            assertThat(runs).hasValue(3);
            assertThat(told).hasValue(1);
        }
    }

    @Test
    void marker_rolledBackMarkDoesNotBlockTheResponse() {
        TestDatabase ground = kind.fresh();
        try (FilteredServer server = server(ground, Level.MARKER, (request, response) -> {
            IdempotentExchange exchange = IdempotentExchange.of(request).orElseThrow();
            try (Connection connection = ground.connect()) {
                connection.setAutoCommit(false);
                exchange.mark(connection);
                connection.rollback();
            }
            response.getWriter().write("run " + runs.incrementAndGet());
        })) {
            assertThat(server.send(server.post("/a", "k-1", "{}")).text()).isEqualTo("run 1");
            assertThat(server.send(server.post("/a", "k-1", "{}")).text()).isEqualTo("run 1");
            Row row = records(server, State.COMPLETED).get(0);
            assertThat(server.engine().operator().story(row.id(), 10)).hasSize(1);
        }
    }

    @Test
    void marker_aRunThatLostItsRequestCannotCommit() throws Exception {
        TestDatabase ground = kind.fresh();
        CountDownLatch stuck = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        AtomicReference<Throwable> refused = new AtomicReference<>();
        App app = (request, response) -> {
            int run = runs.incrementAndGet();
            IdempotentExchange exchange = IdempotentExchange.of(request).orElseThrow();
            if (run == 1) {
                stuck.countDown();
                assertThat(go.await(60, TimeUnit.SECONDS)).isTrue();
                try {
                    ground.marked(exchange, "one");
                } catch (SemelException.LeaseLost e) {
                    refused.set(e);
                    throw e;
                }
            } else {
                ground.marked(exchange, "one");
            }
            response.getWriter().write("run " + run);
        };
        try (FilteredServer first = server(ground, Level.MARKER, app)) {
            CompletableFuture<ReceivedResponse> slow = first.sending(first.post("/a", "k-1", "{}"));
            assertThat(stuck.await(60, TimeUnit.SECONDS)).isTrue();
            time.advance(Duration.ofMinutes(2));
            try (FilteredServer second = server(ground, Level.MARKER, app)) {
                assertThat(second.send(second.post("/a", "k-1", "{}")).text()).isEqualTo("run 2");
                go.countDown();
                ReceivedResponse late = slow.get(60, TimeUnit.SECONDS);
                assertThat(refused.get()).isNotNull();
                assertThat(late.text()).as("what the other run left").isEqualTo("run 2");
                assertThat(ground.effects("one")).isEqualTo(1);
                assertThat(second.send(second.post("/a", "k-1", "{}")).text()).isEqualTo("run 2");
            }
        }
    }

    @Test
    void marker_duplicateBetweenMarkAndResponseMustRetry() throws Exception {
        TestDatabase ground = kind.fresh();
        CountDownLatch committed = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        App app = (request, response) -> {
            ground.marked(IdempotentExchange.of(request).orElseThrow(), "one");
            committed.countDown();
            assertThat(go.await(60, TimeUnit.SECONDS)).isTrue();
            response.getWriter().write("run " + runs.incrementAndGet());
        };
        try (FilteredServer first = server(ground, Level.MARKER, app)) {
            CompletableFuture<ReceivedResponse> slow = first.sending(first.post("/a", "k-1", "{}"));
            assertThat(committed.await(60, TimeUnit.SECONDS)).isTrue();
            try (FilteredServer second = server(ground, Level.MARKER, app)) {
                assertThat(second.send(second.post("/a", "k-1", "{}")).code()).isEqualTo("idempotency.in_progress");
                assertThat(second.send(second.post("/a", "k-1", "[]")).code())
                        .isEqualTo("idempotency.payload_mismatch");
                time.advance(Duration.ofMinutes(2));
                assertThat(second.send(second.post("/a", "k-1", "{}")).header("Idempotency-Notice"))
                        .contains("idempotency.response_not_kept");
                go.countDown();
                assertThat(slow.get(60, TimeUnit.SECONDS).text()).isEqualTo("run 1");
                assertThat(second.send(second.post("/a", "k-1", "{}")).text()).isEqualTo("run 1");
                assertThat(ground.effects("one")).isEqualTo(1);
            }
        }
    }

    @Test
    void marker_requestThatKeepsLosingItsLeaseIsParked() {
        TestDatabase ground = kind.fresh();
        Policy twice = Policy.named("twice").withMaxAttempts(2).build();
        for (int attempt = 1; attempt <= 2; attempt++) {
            EngineSettings engine = EngineSettings.on(ground.open(time))
                    .withTime(time)
                    .withPolicy(twice)
                    .withoutBackground();
            Rule rule = Rule.required().withLevel(Level.MARKER).withPolicy("twice");
            try (FilteredServer server = FilteredServer.open(
                    container, engine, all -> all.withTime(time).withDefault(rule), (req, res) -> {
                        runs.incrementAndGet();
                        req.startAsync().setTimeout(0);
                    })) {
                server.sending(server.post("/a", "k-1", "{}"));
                int expected = attempt;
                Await.until("the handler has run " + expected + " times", () -> runs.get() == expected);
                time.advance(Duration.ofMinutes(2));
            }
        }
        EngineSettings engine = EngineSettings.on(ground.open(time))
                .withTime(time)
                .withPolicy(twice)
                .withoutBackground();
        Rule rule = Rule.required().withLevel(Level.MARKER).withPolicy("twice");
        CountingHandler app = new CountingHandler();
        try (FilteredServer server =
                FilteredServer.open(container, engine, all -> all.withTime(time).withDefault(rule), app)) {
            assertThat(server.send(server.post("/a", "k-1", "{}")).code()).isEqualTo("idempotency.outcome_unknown");
            assertThat(app.runs()).isZero();
        }
    }

    @Test
    void plain_failureIsUnknownAndNotRetried() {
        TestDatabase ground = kind.fresh();
        try (FilteredServer server = server(ground, Level.PLAIN, (request, response) -> {
            runs.incrementAndGet();
            try (Connection connection = ground.connect()) {
                TestDatabase.effect(connection, "one");
            }
            throw new IllegalStateException("broken");
        })) {
            assertThat(server.send(server.post("/a", "k-1", "{}")).status()).isEqualTo(500);
            assertThat(server.send(server.post("/a", "k-1", "{}")).code()).isEqualTo("idempotency.outcome_unknown");
            assertThat(records(server, State.UNKNOWN)).hasSize(1);
            assertThat(runs).hasValue(1);
        }
    }

    @Test
    void d16_plainAndMarker_requestIsDoneWithoutAResponseThatTheDatabaseRejects() {
        for (Level level : List.of(Level.PLAIN, Level.MARKER)) {
            TestDatabase ground = kind.fresh();
            ground.refuseResultsOver(500);
            runs.set(0);
            String answer = "x".repeat(2_000);
            try (FilteredServer server = server(ground, level, (request, response) -> {
                runs.incrementAndGet();
                if (level == Level.MARKER) {
                    ground.marked(IdempotentExchange.of(request).orElseThrow(), "one");
                }
                response.getWriter().write(answer);
            })) {
                assertThat(server.send(server.post("/a", "k-1", "{}")).text())
                        .as("%s", level)
                        .isEqualTo(answer);
                time.advance(Duration.ofHours(2));
                assertThat(server.send(server.post("/a", "k-1", "{}")).header("Idempotency-Notice"))
                        .contains("idempotency.response_not_kept");
                assertThat(records(server, State.COMPLETED)).hasSize(1);
                assertThat(runs).hasValue(1);
            }
        }
    }

    @Test
    void d16_plain_requestThatTheDatabaseCannotRecordIsUnknownAndNotRetried() {
        TestDatabase ground = kind.fresh();
        ground.refuseResultsOver(0);
        try (FilteredServer server = server(
                ground,
                Level.PLAIN,
                (request, response) -> response.getWriter().write("run " + runs.incrementAndGet()))) {
            for (int i = 0; i < 2; i++) {
                assertThat(server.send(server.post("/a", "k-1", "{}")).code()).isEqualTo("idempotency.outcome_unknown");
                time.advance(Duration.ofHours(2));
            }
            assertThat(records(server, State.UNKNOWN)).hasSize(1);
            assertThat(runs).hasValue(1);
        }
    }
}
