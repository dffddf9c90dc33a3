package dev.semel.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.engine.EngineSettings;
import dev.semel.http.NodeProcess.Halt;
import dev.semel.testkit.Await;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A server's process halts while it serves a request; what another server tells the client who repeats it. */
@Timeout(300)
class CrashTest {
    /** The client's final answer. */
    private enum AnswerToProblem {
        RUN_AGAIN,
        REPLAYED,
        NOT_KEPT,
        UNKNOWN
    }

    private static final int AHEAD = 2;

    private static final Map<TestDatabase.Kind, Place> PLACES = new EnumMap<>(TestDatabase.Kind.class);

    /** A database with servers that are started before they are needed: those that halt, and those that are asked again. */
    private static final class Place {
        private final TestDatabase ground;
        private final Container halts;
        private final Container goesOn;
        private final Deque<NodeProcess> ready = new ArrayDeque<>();

        Place(TestDatabase.Kind kind) {
            ground = kind.fresh();
            halts = kind == TestDatabase.Kind.SQLITE ? Container.JETTY : Container.TOMCAT;
            goesOn = halts == Container.JETTY ? Container.TOMCAT : Container.JETTY;
        }

        NodeProcess next() {
            while (ready.size() <= AHEAD) {
                ready.add(NodeProcess.start(ground, halts));
            }
            return ready.remove();
        }
    }

    @AfterAll
    static void stop() {
        PLACES.values().forEach(place -> place.ready.forEach(NodeProcess::close));
    }

    static Stream<Arguments> crashes() {
        return Stream.of(TestDatabase.Kind.values())
                .flatMap(kind -> Stream.of(
                                Arguments.of(kind, Level.SPAN, Halt.BEFORE_THE_HANDLER, AnswerToProblem.RUN_AGAIN),
                                Arguments.of(kind, Level.SPAN, Halt.BEFORE_ITS_COMMIT, AnswerToProblem.RUN_AGAIN),
                                Arguments.of(kind, Level.SPAN, Halt.AFTER_THE_FINISH, AnswerToProblem.REPLAYED),
                                Arguments.of(kind, Level.MARKER, Halt.BEFORE_THE_HANDLER, AnswerToProblem.RUN_AGAIN),
                                Arguments.of(kind, Level.MARKER, Halt.BEFORE_ITS_COMMIT, AnswerToProblem.RUN_AGAIN),
                                Arguments.of(kind, Level.MARKER, Halt.AFTER_ITS_COMMIT, AnswerToProblem.NOT_KEPT),
                                Arguments.of(kind, Level.MARKER, Halt.AFTER_THE_FINISH, AnswerToProblem.REPLAYED),
                                Arguments.of(kind, Level.PLAIN, Halt.BEFORE_THE_HANDLER, AnswerToProblem.UNKNOWN),
                                Arguments.of(kind, Level.PLAIN, Halt.AFTER_ITS_COMMIT, AnswerToProblem.UNKNOWN),
                                Arguments.of(kind, Level.PLAIN, Halt.AFTER_THE_FINISH, AnswerToProblem.REPLAYED))
                        .filter(each -> Boolean.getBoolean("semel.campaign") || isOrdinary(each.get())));
    }

    /** On PostgreSQL those where its transactions decide; the others wait for the campaign. */
    private static boolean isOrdinary(Object[] crash) {
        return crash[0] == TestDatabase.Kind.SQLITE
                || crash[2] == Halt.BEFORE_ITS_COMMIT
                || crash[2] == Halt.AFTER_ITS_COMMIT;
    }

    @ParameterizedTest
    @MethodSource("crashes")
    void crashKeepsTheGuaranteeOfTheLevel(TestDatabase.Kind kind, Level level, Halt halt, AnswerToProblem told)
            throws Exception {
        Place place = PLACES.computeIfAbsent(kind, Place::new);
        TestDatabase ground = place.ground;
        String name = level + "-" + halt;
        String path = "/" + level.name().toLowerCase(Locale.ROOT) + "/" + name;
        try (NodeProcess node = place.next()) {
            assertThat(isAnswered(node.port(), path, name, halt))
                    .as("no byte has left")
                    .isFalse();
            node.halted();
        }
        AtomicInteger runs = new AtomicInteger();
        EngineSettings engine = EngineSettings.on(ground.open(null)).withPolicy(NodeProcess.policy());
        try (FilteredServer server = FilteredServer.with(
                place.goesOn, engine, all -> NodeProcess.settings(all.withSingleTenant()), (request, response) -> {
                    runs.incrementAndGet();
                    NodeProcess.app(ground).handle(request, response);
                })) {
            AtomicReference<ReceivedResponse> last = new AtomicReference<>();
            Await.until("the request is no longer in progress", () -> {
                last.set(server.send(
                        server.requestOf("alice", "POST", path, "{}").header("Idempotency-Key", name)));
                return !last.get().text().contains("idempotency.in_progress");
            });
            ReceivedResponse received = last.get();
            switch (told) {
                case RUN_AGAIN -> {
                    assertThat(received.status()).isEqualTo(201);
                    assertThat(received.replayed()).isFalse();
                }
                case REPLAYED -> {
                    assertThat(received.status()).isEqualTo(201);
                    assertThat(received.replayed()).isTrue();
                    assertThat(received.text()).isEqualTo("done " + name);
                }
                case NOT_KEPT -> {
                    assertThat(received.status()).isEqualTo(200);
                    assertThat(received.header("Idempotency-Notice")).contains("idempotency.response_not_kept");
                }
                case UNKNOWN -> assertThat(received.code()).isEqualTo("idempotency.outcome_unknown");
            }
            assertThat(runs).hasValue(told == AnswerToProblem.RUN_AGAIN ? 1 : 0);
            boolean none = told == AnswerToProblem.UNKNOWN && halt == Halt.BEFORE_THE_HANDLER;
            assertThat(ground.effects(name)).isEqualTo(none ? 0 : 1);
        }
    }

    private static boolean isAnswered(int port, String path, String key, Halt halt) throws InterruptedException {
        try {
            FilteredServer.CLIENT.send(
                    request(port, path, key).header("X-Halt", halt.name()).build(),
                    HttpResponse.BodyHandlers.ofString());
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static HttpRequest.Builder request(int port, String path, String key) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .header("X-User", "alice")
                .header("Content-Type", "application/json")
                .header("Idempotency-Key", key)
                .POST(HttpRequest.BodyPublishers.ofString("{}"));
    }

    @Test
    void e7_onlyOneOfTwoServersRunsAConcurrentDuplicate() {
        TestDatabase ground = TestDatabase.Kind.POSTGRESQL.fresh();
        try (NodeProcess one = NodeProcess.start(ground, Container.JETTY);
                NodeProcess two = NodeProcess.start(ground, Container.TOMCAT)) {
            for (int round = 0; round < 60; round++) {
                Level level = Level.values()[round % 3];
                String path = "/" + level.name().toLowerCase(Locale.ROOT) + "/round-" + round;
                String key = "round-" + round;
                Stream<ReceivedResponse> received = Stream.of(one.port(), two.port(), one.port(), two.port())
                        .map(port -> FilteredServer.CLIENT
                                .sendAsync(request(port, path, key).build(), HttpResponse.BodyHandlers.ofByteArray())
                                .thenApply(ReceivedResponse::of))
                        .toList()
                        .stream()
                        .map(CompletableFuture::join);
                int executed = 0;
                for (ReceivedResponse each : received.toList()) {
                    if (each.status() == 201) {
                        executed += each.replayed() ? 0 : 1;
                        assertThat(each.text()).isEqualTo("done " + key);
                    } else {
                        assertThat(each.code()).as(level.name()).isEqualTo("idempotency.in_progress");
                    }
                }
                assertThat(executed).as(key).isEqualTo(1);
                assertThat(ground.effects(key)).isEqualTo(1);
            }
        }
    }
}
