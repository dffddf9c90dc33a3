package dev.semel.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Key;
import dev.semel.Semel;
import dev.semel.Tenant;
import dev.semel.engine.Engine;
import dev.semel.operator.Operator;
import dev.semel.server.config.RouteConfig;
import dev.semel.server.config.RouteConfig.Condition;
import dev.semel.store.RecordFilter;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.testkit.Await;
import dev.semel.testkit.PrivatePostgres;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages that clients send by the API to a name from which routes start. */
@Timeout(120)
class TopicRoutesTest {
    private static final RouteConfig TO_BOTH = new RouteConfig("orders", List.of("billing", "archive"), List.of());

    @TempDir
    private Path directory;

    private final HttpClient client = HttpClient.newHttpClient();
    private final Receiver billing = new Receiver();
    private final Receiver archive = new Receiver();

    @AfterEach
    void close() {
        billing.close();
        archive.close();
    }

    private String sqlite() {
        return "sqlite:" + directory.resolve("ledger.db");
    }

    private SemelServer start(String store, RouteConfig... routes) throws Exception {
        return SemelServer.start(TestConfig.withTopic(
                store,
                List.of(routes),
                TestConfig.destination("billing", billing.url()),
                TestConfig.destination("archive", archive.url())));
    }

    private String post(SemelServer server, String channel, String type, String body) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(server.uri().resolve("/api/v1/channels/" + channel + "/messages"))
                .header("Authorization", "Bearer " + TestConfig.TOKEN)
                .header("Content-Type", type)
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        return client.send(request, HttpResponse.BodyHandlers.ofString()).body();
    }

    private String status(SemelServer server, String channel, String key) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(
                        server.uri().resolve("/api/v1/channels/" + channel + "?key=" + key))
                .header("Authorization", "Bearer " + TestConfig.TOKEN)
                .build();
        return client.send(request, HttpResponse.BodyHandlers.ofString()).body();
    }

    private static String message(String id, String lane, int number) {
        return "{\"key\":\"" + id + "\",\"lane\":\"" + lane + "\",\"payload\":" + StripeSender.body(id, lane, number)
                + "}";
    }

    private static List<Row> completed(String store, String channel) {
        try (Semel semel = Semel.open(store)) {
            return Engine.behind(semel)
                    .orElseThrow()
                    .operator()
                    .list(
                            State.COMPLETED,
                            new RecordFilter(null, channel, false, Long.MAX_VALUE),
                            RecordFilter.Cursor.START,
                            100);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void messageThatIsSentTwiceReachesEachDestinationOnceWithItsPayloadAsBody(boolean postgres) throws Exception {
        PrivatePostgres shared = postgres ? PrivatePostgres.shared() : null;
        String store = shared == null ? sqlite() : shared.url(shared.freshDatabase());
        try (SemelServer server = start(store, TO_BOTH)) {
            String body = message("o-1", "ann", 1).replace("\"number\":1", "\"number\" : 1, \"sum\":1.10");
            assertThat(post(server, "orders", "application/json", body)).contains("\"accepted\"");
            assertThat(post(server, "orders", "application/json", body)).contains("\"duplicate\"");
            assertThat(post(server, "orders", "application/json", body.replace("1.10", "2.10")))
                    .contains("payload_mismatch");
            Await.until(
                    "both have it",
                    () -> billing.applied().size() + archive.applied().size() == 2);
            Await.until(
                    "it is routed",
                    () -> completed(store, "destination.billing").size() == 1);
            assertThat(status(server, "orders", "o-1")).contains("completed");
        }
        assertThat(billing.requests())
                .containsExactly("application/json {\"id\":\"o-1\",\"lane\":\"ann\",\"number\":1,\"sum\":1.10}");
        assertThat(archive.applied()).containsExactly("o-1");
        Row delivered = completed(store, "destination.billing").get(0);
        assertThat(delivered.header().tenant()).isEqualTo("acme");
        assertThat(Objects.requireNonNull(
                                Objects.requireNonNull(delivered.line()).lane())
                        .key())
                .isEqualTo("ann");
    }

    @Test
    void linesOfABatchAreRoutedByTheirConditionsAndInTheOrderOfTheirLanes() throws Exception {
        RouteConfig some = new RouteConfig(
                "orders", List.of("billing"), List.of(new Condition("/lane", new RouteConfig.Test.In(Set.of("a")))));
        RouteConfig all = new RouteConfig("orders", List.of("archive"), List.of());
        StringBuilder lines = new StringBuilder();
        for (int i = 1; i <= 50; i++) {
            lines.append(message("a-" + i, "a", i))
                    .append('\n')
                    .append(message("b-" + i, "b", i))
                    .append('\n');
        }
        try (SemelServer server = start(sqlite(), some, all)) {
            assertThat(post(server, "orders", "application/x-ndjson", lines.toString())
                            .lines())
                    .hasSize(100)
                    .allMatch(line -> line.contains("\"accepted\""));
            Await.until(
                    "all have theirs",
                    () -> billing.applied().size() == 50 && archive.applied().size() == 100);
        }
        assertThat(billing.applied()).isEqualTo(ids("a-", archive.applied()));
        for (String lane : List.of("a-", "b-")) {
            assertThat(ids(lane, archive.applied()))
                    .isEqualTo(java.util.stream.IntStream.rangeClosed(1, 50)
                            .mapToObj(number -> lane + number)
                            .toList());
        }
    }

    private static List<String> ids(String prefix, List<String> all) {
        return all.stream().filter(id -> id.startsWith(prefix)).toList();
    }

    @Test
    void nameWithoutRoutesKeepsItsMessagesForConsumers() throws Exception {
        try (SemelServer server = start(sqlite(), TO_BOTH)) {
            assertThat(post(server, "invoices", "application/json", message("i-1", "ann", 1)))
                    .contains("\"accepted\"");
            assertThat(post(server, "orders", "application/json", message("o-1", "ann", 1)))
                    .contains("\"accepted\"");
            Await.until("the routed one is there", () -> billing.applied().size() == 1);
            assertThat(status(server, "invoices", "i-1")).contains("QUEUED");
        }
        assertThat(billing.applied()).containsExactly("o-1");
    }

    @Test
    void deadlineOfTheClientHoldsForEachDestination() throws Exception {
        Instant deadline = Instant.now().plusSeconds(3_600).truncatedTo(ChronoUnit.MILLIS);
        try (SemelServer server = start(sqlite(), TO_BOTH)) {
            String body = message("o-1", "ann", 1).replaceFirst("\\{", "{\"deadline\":\"" + deadline + "\",");
            assertThat(post(server, "orders", "application/json", body)).contains("\"accepted\"");
            Await.until(
                    "it is routed",
                    () -> completed(sqlite(), "destination.billing").size() == 1);
        }
        Row delivered = completed(sqlite(), "destination.billing").get(0);
        assertThat(Objects.requireNonNull(delivered.line()).deadline()).isEqualTo(deadline.toEpochMilli());
    }

    @Test
    void clientCannotSendToChannelsOfTheServer() throws Exception {
        try (SemelServer server = start(sqlite(), TO_BOTH)) {
            for (String channel : List.of("topic.orders", "destination.billing", "source.stripe", "semel.replays")) {
                assertThat(post(server, channel, "application/json", message("x", "ann", 1)))
                        .as(channel)
                        .contains("access.denied");
            }
        }
        try (Semel semel = Semel.open(sqlite())) {
            Operator operator = Engine.behind(semel).orElseThrow().operator();
            assertThat(operator.find(Tenant.of("acme"), "semel.replays", Key.of("x")))
                    .isEmpty();
        }
    }
}
