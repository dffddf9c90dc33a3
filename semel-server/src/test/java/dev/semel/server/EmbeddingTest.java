package dev.semel.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.SemelException;
import dev.semel.console.admin.ProgramFigure;
import dev.semel.console.admin.ProgramFigure.Tone;
import dev.semel.console.admin.ServerActions.ReloadResult;
import dev.semel.server.config.ServerConfig;
import dev.semel.testkit.Await;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What a program adds to a server that it embeds. */
@Timeout(120)
class EmbeddingTest {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    @TempDir
    private Path directory;

    @Test
    void figuresAreInTheOverviewAsTheyAreNow() throws Exception {
        List<ProgramFigure> score = new CopyOnWriteArrayList<>();
        try (SemelServer server = SemelServer.start(config(), Embedding.PLAIN.withFigures(() -> List.copyOf(score)))) {
            String token = token(server);
            assertThat(overview(server, token).has("program")).isFalse();
            score.add(new ProgramFigure("lost", "<b>1</b>", "acknowledged and missing", Tone.BAD));
            JsonNode figure = overview(server, token).path("program").path(0);
            assertThat(figure.path("value").asString()).isEqualTo("<b>1</b>");
            assertThat(figure.path("tone").asString()).isEqualTo("bad");
        }
    }

    @Test
    void secretThatTheProgramMakesReplacesTheOneBeforeAndLetsInOnce() throws Exception {
        try (SemelServer server = SemelServer.start(config(), Embedding.PLAIN)) {
            String first = server.makeOneTimeSecret();
            String second = server.makeOneTimeSecret();
            assertThat(exchange(server, first).statusCode()).isEqualTo(401);
            assertThat(exchange(server, second).statusCode()).isEqualTo(200);
            assertThat(exchange(server, second).statusCode()).isEqualTo(401);
        }
    }

    @Test
    void nodeWithoutDeliveriesLeavesThemToAnother() throws Exception {
        try (Receiver receiver = new Receiver()) {
            ServerConfig config = TestConfig.of(store(), 0, TestConfig.destination("sink", receiver.url()));
            String body = StripeSender.body("evt-1", "lane", 1);
            try (SemelServer entrance = SemelServer.start(config, Embedding.PLAIN.withoutDeliveries())) {
                assertThat(new StripeSender().acknowledged(entrance.uri(), body))
                        .isPresent();
                String token = token(entrance);
                Await.until("it is routed", () -> waiting(entrance, token) == 1);
                assertThat(receiver.applied()).isEmpty();
                try (SemelServer worker = SemelServer.start(config)) {
                    Await.until(
                            "the other node delivers it",
                            () -> receiver.applied().equals(List.of("evt-1")));
                    assertThat(worker.uri()).isNotEqualTo(entrance.uri());
                }
            }
        }
    }

    @Test
    void serverWithoutAReaderRejectsAReload() throws Exception {
        try (SemelServer server = SemelServer.start(config(), Embedding.PLAIN)) {
            assertThat(server.reload())
                    .isInstanceOfSatisfying(
                            ReloadResult.Rejected.class,
                            rejected -> assertThat(rejected.faults())
                                    .containsExactly("this server was started without a file; it cannot be reloaded"));
        }
        SemelException.Misconfigured wrong = new SemelException.Misconfigured("file", List.of("a fault"));
        Embedding embedding = Embedding.PLAIN.withReader(() -> {
            throw wrong;
        });
        try (SemelServer server = SemelServer.start(config(), embedding)) {
            assertThat(server.reload()).isEqualTo(new ReloadResult.Rejected(List.of("a fault")));
        }
    }

    private String store() {
        return "sqlite:" + directory.resolve("ledger.db");
    }

    private ServerConfig config() {
        return TestConfig.of(store(), 0);
    }

    private static int waiting(SemelServer server, String token) throws Exception {
        JsonNode operations = overview(server, token).path("operations");
        for (JsonNode each : operations) {
            if (each.path("name").asString().equals("destination.sink")) {
                return each.path("depth").asInt();
            }
        }
        return 0;
    }

    private static JsonNode overview(SemelServer server, String token) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(server.uri().resolve("/api/v1/admin/overview"))
                .header("Authorization", "Bearer " + token)
                .build();
        HttpResponse<String> response = CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return JsonMapper.shared().readTree(response.body());
    }

    private static String token(SemelServer server) throws Exception {
        return JsonMapper.shared()
                .readTree(exchange(server, server.makeOneTimeSecret()).body())
                .path("token")
                .asString();
    }

    private static HttpResponse<String> exchange(SemelServer server, String secret) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(server.uri().resolve("/api/v1/session"))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString("{\"secret\": \"" + secret + "\"}"))
                .build();
        return CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
    }
}
