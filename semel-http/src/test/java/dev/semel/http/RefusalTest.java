package dev.semel.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Channel;
import dev.semel.Mode;
import dev.semel.engine.Engine;
import dev.semel.engine.EngineSettings;
import dev.semel.operator.Operator;
import dev.semel.store.RecordFilter;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Switchboard;
import dev.semel.testkit.fault.Faults.Fault;
import dev.semel.testkit.fault.FaultyStore;
import dev.semel.testkit.fault.StoreCall;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.ManualTime;
import dev.semel.time.TimeSource;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The table of codes, as far as it is not about keys and payloads. */
@ParameterizedClass
@EnumSource(Container.class)
class RefusalTest {
    private static final Operator.Warrant WARRANT = new Operator.Warrant("ops", "test");

    @Parameter
    private Container container;

    private final AtomicInteger runs = new AtomicInteger();
    private final ManualTime time = new ManualTime(1_700_000_000_000L);

    private EngineSettings manual() {
        return EngineSettings.on(new MemoryStore(time)).withTime(time).withoutBackground();
    }

    private static Row only(FilteredServer server, State state) {
        return server.engine()
                .operator()
                .list(state, RecordFilter.ALL, RecordFilter.Cursor.START, 10)
                .get(0);
    }

    @Test
    void row_not_protected_requestThatBypassesTheFilterIsNotRun() {
        try (Engine engine = manual().open()) {
            IdempotencyFilter passed = IdempotencyFilter.on(engine)
                    .withSingleTenant()
                    .withRoute("POST", "/hooks/**", Rule.off())
                    .build();
            try (FilteredServer server =
                    FilteredServer.open(container, all -> all.withDefault(Rule.off()), (request, response) -> {
                        String template = request.getServletPath()
                                + Optional.ofNullable(request.getPathInfo()).orElse("");
                        if (passed.mayRun(request, response, new Hooks.Routes.FoundRoute(template, Map.of(), null))) {
                            runs.incrementAndGet();
                        }
                    })) {
                ReceivedResponse refused = server.send(server.post("/a", "k-1", "{}"));
                assertThat(refused.status()).isEqualTo(500);
                assertThat(refused.code()).isEqualTo("idempotency.not_protected");
                assertThat(runs).hasValue(0);
                assertThat(server.send(server.post("/hooks/one/two", "k-1", "{}"))
                                .status())
                        .isEqualTo(200);
                assertThat(runs).hasValue(1);
            }
        }
    }

    @Test
    void row_in_progress_duplicateOfARunningRequestMayBeRetried() throws Exception {
        for (Level level : Level.values()) {
            CountDownLatch running = new CountDownLatch(1);
            CountDownLatch go = new CountDownLatch(1);
            try (FilteredServer server = FilteredServer.open(
                    container, all -> all.withDefault(Rule.required().withLevel(level)), (request, response) -> {
                        running.countDown();
                        go.await(60, TimeUnit.SECONDS);
                        response.getWriter().write("done");
                    })) {
                CompletableFuture<ReceivedResponse> first = server.sending(server.post("/a", "k-1", "{}"));
                assertThat(running.await(60, TimeUnit.SECONDS)).isTrue();
                ReceivedResponse second = server.send(server.post("/a", "k-1", "{}"));
                assertThat(second.status()).isEqualTo(409);
                assertThat(second.code()).isEqualTo("idempotency.in_progress");
                assertThat(second.retryAfter()).isPositive();
                assertThat(second.problem().get("next").get(0).stringValue()).isEqualTo("retry");
                go.countDown();
                assertThat(first.get(60, TimeUnit.SECONDS).text()).isEqualTo("done");
                assertThat(server.send(server.post("/a", "k-1", "{}")).text()).isEqualTo("done");
            }
        }
    }

    @Test
    void patientDuplicateWaitsForTheFirstResponse() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        try (FilteredServer server = FilteredServer.open(
                container,
                all -> all.withDefault(Rule.required().withPatience(Duration.ofMinutes(1))),
                (request, response) -> {
                    running.countDown();
                    go.await(60, TimeUnit.SECONDS);
                    response.getWriter().write("run " + runs.incrementAndGet());
                })) {
            CompletableFuture<ReceivedResponse> first = server.sending(server.post("/a", "k-1", "{}"));
            assertThat(running.await(60, TimeUnit.SECONDS)).isTrue();
            CompletableFuture<ReceivedResponse> second = server.sending(server.post("/a", "k-1", "{}"));
            go.countDown();
            assertThat(first.get(60, TimeUnit.SECONDS).text()).isEqualTo("run 1");
            assertThat(second.get(60, TimeUnit.SECONDS).text()).isEqualTo("run 1");
            assertThat(second.get().replayed()).isTrue();
        }
    }

    @Test
    void row_outcome_unknown_plainRequestThatFailedIsParkedWithALinkToItsStatus() {
        try (FilteredServer server = FilteredServer.open(container, (request, response) -> {
            runs.incrementAndGet();
            response.setStatus(502);
        })) {
            assertThat(server.send(server.post("/a/b", "k-1", "{}")).status()).isEqualTo(502);
            ReceivedResponse parked = server.send(server.post("/a/b", "k-1", "{}"));
            assertThat(parked.status()).isEqualTo(409);
            assertThat(parked.code()).isEqualTo("idempotency.outcome_unknown");
            assertThat(parked.header("Retry-After")).isEmpty();
            assertThat(parked.header("Link")).contains("</a/b>; rel=\"status\"");
            assertThat(parked.problem().get("status_link").stringValue()).isEqualTo("/a/b");
            assertThat(only(server, State.UNKNOWN).header().operation()).isEqualTo("POST /*");
            assertThat(runs).hasValue(1);
        }
        try (FilteredServer server = FilteredServer.open(
                container,
                all -> all.withStatusLink((request, id) -> URI.create("https://status.example/" + id)),
                (request, response) -> {
                    throw new IllegalStateException("secret of the handler");
                })) {
            assertThat(server.send(server.post("/a", "k-1", "{}")).status()).isEqualTo(500);
            ReceivedResponse parked = server.send(server.post("/a", "k-1", "{}").header("X-Correlation-ID", "c-2"));
            assertThat(parked.header("Link")).contains("<https://status.example/c-2>; rel=\"status\"");
            assertThat(parked.text()).doesNotContain("secret").doesNotContain("Exception");
        }
    }

    @Test
    void row_discarded_discardedRequestGets410() {
        try (FilteredServer server = FilteredServer.open(container, (request, response) -> response.setStatus(500))) {
            server.send(server.post("/a", "k-1", "{}"));
            server.engine().operator().discard(only(server, State.UNKNOWN).id(), WARRANT);
            ReceivedResponse received = server.send(server.post("/a", "k-1", "{}"));
            assertThat(received.status()).isEqualTo(410);
            assertThat(received.code()).isEqualTo("idempotency.discarded");
        }
    }

    @Test
    void unknownRequestThatAnOperatorReleasesIsRunByTheNextCaller() {
        try (FilteredServer server = FilteredServer.open(
                container, (request, response) -> response.setStatus(runs.incrementAndGet() == 1 ? 500 : 201))) {
            server.send(server.post("/a", "k-1", "{}"));
            server.engine().operator().replay(only(server, State.UNKNOWN).id(), WARRANT);
            assertThat(server.send(server.post("/a", "k-1", "{}")).status()).isEqualTo(201);
            assertThat(server.send(server.post("/a", "k-1", "{}")).replayed()).isTrue();
            assertThat(runs).hasValue(2);
        }
    }

    @Test
    void row_retry_later_failureWithoutEffectWaitsForTheNextAttempt() {
        for (Level level : Level.values()) {
            runs.set(0);
            try (FilteredServer server = FilteredServer.open(
                    container,
                    manual(),
                    all -> all.withTime(time).withDefault(Rule.required().withLevel(level)),
                    (request, response) -> {
                        IdempotentExchange.of(request).orElseThrow().noEffect();
                        response.setStatus(runs.incrementAndGet() == 1 ? 503 : 201);
                    })) {
                ReceivedResponse first = server.send(server.post("/a", "k-1", "{}"));
                assertThat(first.status()).isEqualTo(503);
                assertThat(first.retryAfter()).isBetween(1L, 2L);
                ReceivedResponse early = server.send(server.post("/a", "k-1", "{}"));
                assertThat(early.status()).isEqualTo(503);
                assertThat(early.code()).isEqualTo("idempotency.retry_later");
                assertThat(early.retryAfter()).isBetween(1L, 2L);
                assertThat(runs).hasValue(1);
                time.advance(Duration.ofSeconds(2));
                assertThat(server.send(server.post("/a", "k-1", "{}")).status()).isEqualTo(201);
                assertThat(server.send(server.post("/a", "k-1", "{}")).replayed())
                        .isTrue();
                assertThat(runs).hasValue(2);
            }
        }
    }

    @Test
    void retryAfterOfTheHandlerIsTheShortestPause() {
        try (FilteredServer server = FilteredServer.open(
                container,
                manual(),
                all -> all.withTime(time).withDefault(Rule.required().withLevel(Level.SPAN)),
                (request, response) -> {
                    runs.incrementAndGet();
                    response.setHeader("Retry-After", "120");
                    response.setStatus(503);
                })) {
            assertThat(server.send(server.post("/a", "k-1", "{}")).retryAfter()).isEqualTo(120);
            time.advance(Duration.ofSeconds(100));
            assertThat(server.send(server.post("/a", "k-1", "{}")).retryAfter()).isEqualTo(20);
            assertThat(runs).hasValue(1);
        }
    }

    @Test
    void e8_row_store_unavailable_whileTheStoreIsDownTheHandlerIsNotRun() {
        for (Level level : Level.values()) {
            AtomicBoolean down = new AtomicBoolean();
            CountingHandler app = new CountingHandler();
            EngineSettings engine = EngineSettings.on(new FaultyStore(
                            new MemoryStore(TimeSource.system()), call -> down.get() ? Fault.FAIL_BEFORE : Fault.NONE))
                    .withoutBackground();
            try (FilteredServer server = FilteredServer.open(
                    container, engine, all -> all.withDefault(Rule.required().withLevel(level)), app)) {
                down.set(true);
                ReceivedResponse received = server.send(server.post("/a", "k-1", "{}"));
                assertThat(received.status()).isEqualTo(503);
                assertThat(received.code()).isEqualTo("idempotency.store_unavailable");
                assertThat(received.retryAfter()).isPositive();
                assertThat(received.text()).doesNotContain("injected");
                assertThat(app.runs()).as(level.name()).isZero();
                down.set(false);
                assertThat(server.send(server.post("/a", "k-1", "{}")).status()).isEqualTo(201);
            }
        }
    }

    @Test
    void responseThatCannotBeRecordedIsUnknownAndNotSent() {
        AtomicBoolean down = new AtomicBoolean();
        EngineSettings engine = EngineSettings.on(new FaultyStore(
                        new MemoryStore(time),
                        call -> down.get() && call == StoreCall.MOVE ? Fault.FAIL_BEFORE : Fault.NONE))
                .withTime(time)
                .withoutBackground();
        try (FilteredServer server =
                FilteredServer.open(container, engine, all -> all.withTime(time), (request, response) -> {
                    down.set(true);
                    runs.incrementAndGet();
                    response.setHeader("X-Handler", "ran");
                    response.getWriter().write("the answer");
                })) {
            ReceivedResponse first = server.send(server.post("/a", "k-1", "{}"));
            assertThat(first.status()).isEqualTo(409);
            assertThat(first.code()).isEqualTo("idempotency.outcome_unknown");
            assertThat(first.text()).doesNotContain("the answer");
            assertThat(first.header("X-Handler")).isEmpty();
            down.set(false);
            assertThat(server.send(server.post("/a", "k-1", "{}")).code()).isEqualTo("idempotency.in_progress");
            time.advance(Duration.ofMinutes(2));
            assertThat(server.send(server.post("/a", "k-1", "{}")).code()).isEqualTo("idempotency.outcome_unknown");
            assertThat(runs).hasValue(1);
        }
    }

    @Test
    void row_rate_limited_requestOverTheLimitIsRejectedBeforeAnythingIsStored() {
        CountingHandler app = new CountingHandler();
        AtomicReference<Optional<Duration>> wait = new AtomicReference<>(Optional.of(Duration.ofMillis(1500)));
        AtomicInteger calls = new AtomicInteger();
        EngineSettings engine = EngineSettings.on(new FaultyStore(new MemoryStore(TimeSource.system()), call -> {
                    calls.incrementAndGet();
                    return Fault.NONE;
                }))
                .withoutBackground();
        try (FilteredServer server =
                FilteredServer.open(container, engine, all -> all.withRateLimit(request -> wait.get()), app)) {
            int before = calls.get();
            ReceivedResponse received = server.send(server.post("/a", "k-1", "{}"));
            assertThat(received.status()).isEqualTo(429);
            assertThat(received.code()).isEqualTo("request.rate_limited");
            assertThat(received.retryAfter()).isEqualTo(2);
            assertThat(calls.get()).isEqualTo(before);
            wait.set(Optional.empty());
            assertThat(server.send(server.post("/a", "k-1", "{}")).status()).isEqualTo(201);
        }
    }

    @Test
    void row_halted_switchedOffRouteRunsNothingAndStillReplays() {
        for (Level level : Level.values()) {
            CountingHandler app = new CountingHandler();
            try (FilteredServer server = FilteredServer.open(
                    container,
                    all -> all.withRoute("POST", "/a", Rule.required().withLevel(level)),
                    app)) {
                server.send(server.post("/a", "k-1", "{}"));
                server.engine().operator().setMode(new Switchboard.Setting(null, "POST /a", Mode.HALTED), WARRANT);
                ReceivedResponse received = server.send(server.post("/a", "k-2", "{}"));
                assertThat(received.status()).isEqualTo(503);
                assertThat(received.code()).isEqualTo("operation.halted");
                assertThat(server.send(server.post("/a", "k-1", "{}")).replayed())
                        .isTrue();
                server.engine().operator().setMode(new Switchboard.Setting(null, "POST /a", Mode.LIVE), WARRANT);
                assertThat(server.send(server.post("/a", "k-2", "{}")).status()).isEqualTo(201);
                assertThat(app.runs()).isEqualTo(2);
            }
        }
    }

    @Test
    void routeIsSwitchedOffByItsLabel() {
        Switchboard.Group label = new Switchboard.Group(Switchboard.Group.By.LABEL, "side-effects");
        for (Level level : Level.values()) {
            CountingHandler app = new CountingHandler();
            Rule rule = Rule.required().withLevel(level);
            try (FilteredServer server = FilteredServer.open(
                    container,
                    all -> all.withRoute(
                                    "POST", "/a", rule.withLabel("payments").withLabel("side-effects"))
                            .withRoute("POST", "/b", rule),
                    app)) {
                server.engine().operator().setMode(Switchboard.Setting.forGroup(null, label, Mode.HALTED), WARRANT);
                assertThat(server.send(server.post("/a", "k-1", "{}")).code()).isEqualTo("operation.halted");
                assertThat(server.send(server.post("/b", "k-1", "{}")).status()).isEqualTo(201);
                server.engine().operator().setMode(Switchboard.Setting.forGroup(null, label, Mode.LIVE), WARRANT);
                assertThat(server.send(server.post("/a", "k-1", "{}")).status()).isEqualTo(201);
                assertThat(app.runs()).isEqualTo(2);
            }
        }
    }

    @Test
    void shadowRunsAndRollsBackSpanAndRunsNoOtherLevel() {
        for (Level level : Level.values()) {
            CountingHandler app = new CountingHandler();
            try (FilteredServer server = FilteredServer.open(
                    container,
                    all -> all.withRoute("POST", "/a", Rule.required().withLevel(level)),
                    app)) {
                server.engine().operator().setMode(new Switchboard.Setting(null, "POST /a", Mode.SHADOW), WARRANT);
                ReceivedResponse received = server.send(server.post("/a", "k-1", "{}"));
                if (level == Level.SPAN) {
                    assertThat(received.text()).isEqualTo("{\"run\":1}");
                    assertThat(received.header("Idempotency-Shadowed")).contains("true");
                    assertThat(received.replayed()).isFalse();
                } else {
                    assertThat(received.code()).isEqualTo("operation.halted");
                    assertThat(app.runs()).isZero();
                }
            }
        }
    }

    @Test
    void row_breaker_open_routeThatKeepsFailingIsPausedAndStillReplays() {
        for (Level level : Level.values()) {
            AtomicBoolean failing = new AtomicBoolean();
            runs.set(0);
            Rule rule = Rule.required().withLevel(level).withBreaker(new Channel.Breaker(50, 2, Duration.ofMinutes(1)));
            try (FilteredServer server =
                    FilteredServer.open(container, all -> all.withRoute("POST", "/a", rule), (request, response) -> {
                        IdempotentExchange.of(request).orElseThrow().noEffect();
                        runs.incrementAndGet();
                        response.setStatus(failing.get() ? 500 : 201);
                    })) {
                server.send(server.post("/a", "good", "{}"));
                failing.set(true);
                server.send(server.post("/a", "bad", "{}"));
                ReceivedResponse open = server.send(server.post("/a", "new", "{}"));
                assertThat(open.status()).isEqualTo(503);
                assertThat(open.code()).isEqualTo("operation.breaker_open");
                assertThat(open.retryAfter()).isEqualTo(60);
                assertThat(server.send(server.post("/a", "good", "{}")).replayed())
                        .isTrue();
                assertThat(runs).as(level.name()).hasValue(2);
            }
        }
    }

    @Test
    void pauseOfARoutesBreakerIsMeasuredByTheClockOfTheFilter() {
        ManualTime time = new ManualTime(1_800_000_000_000L);
        AtomicBoolean failing = new AtomicBoolean(true);
        Rule rule = Rule.required().withBreaker(new Channel.Breaker(50, 2, Duration.ofMinutes(1)));
        try (FilteredServer server = FilteredServer.open(
                container, all -> all.withRoute("POST", "/a", rule).withTime(time), (request, response) -> {
                    IdempotentExchange.of(request).orElseThrow().noEffect();
                    response.setStatus(failing.get() ? 500 : 201);
                })) {
            server.send(server.post("/a", "first", "{}"));
            server.send(server.post("/a", "second", "{}"));
            failing.set(false);
            assertThat(server.send(server.post("/a", "third", "{}")).code()).isEqualTo("operation.breaker_open");
            time.advance(Duration.ofSeconds(61));
            assertThat(server.send(server.post("/a", "fourth", "{}")).status()).isEqualTo(201);
        }
    }

    @Test
    void rateLimitAndAuthorizationApplyToAnOptionalRouteWithoutAKey() {
        CountingHandler app = new CountingHandler();
        try (FilteredServer server = FilteredServer.open(
                container,
                all -> all.withDefault(Rule.optional())
                        .withRateLimit(request -> "/fast".equals(request.getPathInfo())
                                ? java.util.Optional.of(Duration.ofSeconds(2))
                                : java.util.Optional.empty())
                        .withAuthorization((request, scope) -> !"/secret".equals(request.getPathInfo())),
                app)) {
            assertThat(server.send(server.request("POST", "/fast", "{}")).code())
                    .isEqualTo("request.rate_limited");
            assertThat(server.send(server.request("POST", "/secret", "{}")).code())
                    .isEqualTo("request.forbidden");
            assertThat(app.runs()).isZero();
            assertThat(server.send(server.request("POST", "/open", "{}")).status())
                    .isEqualTo(201);
            assertThat(app.runs()).isEqualTo(1);
        }
    }

    @Test
    void headerThatWasSetBeforeTheFilterKeepsItsValuesAsTheyWere() {
        try (FilteredServer server = FilteredServer.behind(
                container,
                (request, response) -> {
                    for (String value : new String[] {"a", "b", "c"}) {
                        response.addHeader("X-Before", value);
                    }
                },
                all -> all,
                (request, response) -> {
                    throw new VersionMismatch("changed meanwhile");
                })) {
            ReceivedResponse received = server.send(server.post("/a", "k-1", "{}"));
            assertThat(received.status()).isEqualTo(409);
            assertThat(received.headers().allValues("X-Before")).containsExactly("a", "b", "c");
        }
    }
}
