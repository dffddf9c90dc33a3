package dev.semel.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Tenant;
import dev.semel.console.access.Role;
import dev.semel.console.admin.AdminSchemas;
import dev.semel.console.rest.AnswerCheck;
import dev.semel.server.access.LocalUser;
import dev.semel.server.config.DestinationConfig;
import dev.semel.server.config.ServerConfig;
import dev.semel.server.session.OperatorSettings;
import dev.semel.server.session.SessionLimits;
import dev.semel.testkit.Await;
import dev.semel.testkit.Scratch;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Destinations and fills of routes by the API for operators; every answer is as the OpenAPI document says. */
@Timeout(180)
class OperatedDeliveriesTest {
    private static final String WHY = "{\"reason\":\"second is new\"}";
    private static final String ROUTE = "from=stripe&to=second";
    private static final AnswerCheck ANSWERS = new AnswerCheck(AdminSchemas.all());
    private static final OperatorSettings PEOPLE = new OperatorSettings(
            List.of(
                    user("root", Role.ADMIN, null),
                    user("olga", Role.OPERATOR, null),
                    user("vera", Role.VIEWER, null),
                    user("omar", Role.OPERATOR, "other")),
            null,
            SessionLimits.USUAL);

    private final HttpClient client = HttpClient.newHttpClient();
    private final String store = "sqlite:" + Scratch.directory("deliveries").resolve("ledger.db");
    private Receiver first;
    private Receiver second;
    private SemelServer server;

    private static LocalUser user(String name, Role role, String tenant) {
        return new LocalUser(
                name, List.of(name + "-0123456789abcdef"), role, tenant == null ? null : Tenant.of(tenant));
    }

    private ServerConfig config(DestinationConfig... destinations) {
        ServerConfig config = TestConfig.of(store, 0, destinations);
        return new ServerConfig(
                config.store(), config.listen(), config.policies(), config.tokens(), config.routing(), PEOPLE);
    }

    @BeforeEach
    void start() throws Exception {
        first = new Receiver();
        second = new Receiver();
        server = SemelServer.start(config(TestConfig.destination("first", first.url())));
    }

    @AfterEach
    void stop() {
        server.close();
        first.close();
        second.close();
    }

    private HttpResponse<String> send(String person, String path, String body)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(server.uri() + "/api/v1/admin" + path))
                .header("Authorization", "Bearer " + person + "-0123456789abcdef");
        if (!body.isEmpty()) {
            request.header("Content-Type", "application/json").POST(HttpRequest.BodyPublishers.ofString(body));
        }
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private JsonNode answer(String person, String path, String body, String schema)
            throws IOException, InterruptedException {
        HttpResponse<String> response = send(person, path, body);
        assertThat(response.statusCode()).as(response.body()).isIn(200, 202);
        JsonNode answer = JsonMapper.shared().readTree(response.body());
        ANSWERS.demand(schema, answer);
        return answer;
    }

    /** Webhooks that were delivered to the first destination, before there was a second one. */
    private void deliver(int webhooks) throws Exception {
        StripeSender sender = new StripeSender();
        for (int i = 1; i <= webhooks; i++) {
            assertThat(sender.acknowledged(server.uri(), StripeSender.body("evt-" + i, "lane", i)))
                    .hasValue("accepted");
        }
        Await.until("all are delivered", () -> first.applied().size() == webhooks);
    }

    private void addSecond() throws Exception {
        assertThat(server.reload(config(
                        TestConfig.destination("first", first.url()), TestConfig.destination("second", second.url()))))
                .isTrue();
    }

    private static List<String> events(int webhooks) {
        return IntStream.rangeClosed(1, webhooks).mapToObj(i -> "evt-" + i).toList();
    }

    @Test
    void healthAndAttemptsOfADestinationAreShownAndAnswersOnlyToOperators() throws Exception {
        assertThat(answer("vera", "/destinations", "", "Destinations").get("destinations"))
                .isEmpty();
        first.answers(() -> 500);
        new StripeSender().send(server.uri(), StripeSender.body("evt-1", "lane", 1));
        JsonNode failing = Await.until(
                "an attempt is told",
                () -> answer("olga", "/destinations", "", "Destinations").get("destinations"),
                all -> all.size() == 1 && !all.get(0).get("attempts").isEmpty());
        assertThat(failing.get(0).get("failing_since").asString()).isNotEmpty();
        assertThat(failing.get(0).get("attempts").get(0).get("status").asInt()).isEqualTo(500);
        String pause = "{\"reason\":\"it is down\",\"channel\":\"destination.first\"}";
        answer("olga", "/channels/pause", pause, "ChannelSwitched");
        JsonNode shown = answer("olga", "/destinations/first?limit=1", "", "Destination");
        assertThat(shown.get("paused").asString()).isEqualTo("it is down");
        assertThat(shown.get("attempts")).hasSize(1);
        assertThat(shown.get("attempts").get(0).has("answer")).isTrue();
        JsonNode toViewer = answer("vera", "/destinations/first", "", "Destination");
        assertThat(toViewer.get("attempts").get(0).has("answer")).isFalse();
        assertThat(send("olga", "/destinations/none", "").statusCode()).isEqualTo(404);
        assertThat(send("omar", "/destinations", "").statusCode()).isEqualTo(403);
        assertThat(send("omar", "/destinations/first", "").statusCode()).isEqualTo(403);
    }

    @Test
    void testEventIsSentByOperatorsWithAReasonAndStandsInTheAudit() throws Exception {
        assertThat(send("olga", "/destinations/first/test", "{}").statusCode()).isEqualTo(400);
        assertThat(send("vera", "/destinations/first/test", WHY).statusCode()).isEqualTo(403);
        assertThat(send("omar", "/destinations/first/test", WHY).statusCode()).isEqualTo(403);
        assertThat(send("olga", "/destinations/none/test", WHY).statusCode()).isEqualTo(404);
        assertThat(first.requests()).isEmpty();
        JsonNode tested = answer("olga", "/destinations/first/test", WHY, "DestinationTest");
        assertThat(tested.get("delivered").asBoolean()).isTrue();
        assertThat(tested.get("status").asInt()).isEqualTo(204);
        assertThat(tested.get("sentence").asString()).startsWith("Test event delivered: destination first");
        assertThat(first.requests())
                .singleElement()
                .asString()
                .contains("semel.test")
                .startsWith("application/json");
        first.answers(() -> 500);
        assertThat(answer("olga", "/destinations/first/test", WHY, "DestinationTest")
                        .get("delivered")
                        .asBoolean())
                .isFalse();
        JsonNode events = answer("root", "/audit/events?type=destination.tested", "", "EventPage")
                .get("events");
        assertThat(events).hasSize(2);
        assertThat(events.get(0).get("actor").asString()).isEqualTo("olga");
        assertThat(events.get(0).get("reason").asString()).isEqualTo("second is new");
        assertThat(events.get(0).get("destination").asString()).isEqualTo("first");
    }

    @Test
    void fillIsAJobOfTheServerThatIsPreviewedPausedAndResumed() throws Exception {
        deliver(5);
        assertThat(send("olga", "/routes/fills/preview?" + ROUTE, "").statusCode())
                .as("there is no such route yet")
                .isEqualTo(400);
        addSecond();
        JsonNode preview = answer("vera", "/routes/fills/preview?" + ROUTE, "", "FillPreview");
        assertThat(preview.get("matched").asInt()).isEqualTo(5);
        assertThat(preview.get("oldest").asString()).isNotEmpty();
        String fill = "{\"reason\":\"second is new\",\"from\":\"stripe\",\"to\":\"second\"}";
        assertThat(send("vera", "/routes/fills", fill).statusCode()).isEqualTo(403);
        assertThat(send("olga", "/routes/fills", fill.replace("\"reason\":\"second is new\",", ""))
                        .statusCode())
                .isEqualTo(400);
        answer("olga", "/routes/fills/pause", WHY, "JobsSwitched");
        String job =
                answer("olga", "/routes/fills", fill, "FillStarted").get("job").asString();
        String path = "/routes/fills/" + job;
        JsonNode waiting = answer("vera", path, "", "FillProgress");
        assertThat(waiting.get("state").asString()).isEqualTo("QUEUED");
        assertThat(waiting.get("matched").asInt()).isEqualTo(5);
        assertThat(waiting.get("over").asBoolean()).isFalse();
        assertThat(second.applied()).isEmpty();
        assertThat(send("vera", path + "/resume", WHY).statusCode()).isEqualTo(403);
        answer("olga", "/routes/fills/resume", WHY, "JobsSwitched");
        assertThat(send("olga", "/routes/fills/resume", WHY).statusCode()).isEqualTo(409);
        JsonNode over = Await.until(
                "the fill is over",
                () -> answer("olga", path, "", "FillProgress"),
                progress -> progress.get("over").asBoolean());
        assertThat(over.get("left").asInt()).isZero();
        Await.until("all have arrived", () -> second.applied().size() == 5);
        assertThat(second.applied()).isEqualTo(events(5));
        assertThat(answer("olga", path + "/resume", WHY, "FillProgress")
                        .get("over")
                        .asBoolean())
                .as("a job that has ended is left alone")
                .isTrue();
        assertThat(send("olga", "/routes/fills", fill).statusCode())
                .as("nothing is left to send")
                .isEqualTo(409);
        JsonNode begun = answer("root", "/audit/events?type=operator.replayed", "", "EventPage")
                .get("events");
        assertThat(begun).hasSize(1);
        assertThat(begun.get(0).get("actor").asString()).isEqualTo("olga");
        assertThat(begun.get(0).get("reason").asString()).isEqualTo("second is new");
        assertThat(begun.get(0).get("job").asString()).isEqualTo(job);
    }

    @Test
    void h4_fillOfAnotherTenantNeitherSendsNorExists() throws Exception {
        deliver(2);
        addSecond();
        JsonNode own = answer("omar", "/routes/fills/preview?" + ROUTE, "", "FillPreview");
        assertThat(own.get("matched").asInt()).isZero();
        assertThat(own.has("oldest")).isFalse();
        String fill = "{\"reason\":\"r\",\"from\":\"stripe\",\"to\":\"second\"";
        assertThat(send("omar", "/routes/fills", fill + "}").statusCode()).isEqualTo(409);
        assertThat(send("omar", "/routes/fills", fill + ",\"tenant\":\"main\"}").statusCode())
                .isEqualTo(403);
        assertThat(send("omar", "/routes/fills/pause", WHY).statusCode()).isEqualTo(403);
        String job = answer("olga", "/routes/fills", fill + "}", "FillStarted")
                .get("job")
                .asString();
        assertThat(send("omar", "/routes/fills/" + job, "").statusCode()).isEqualTo(404);
        assertThat(send("omar", "/routes/fills/" + job + "/resume", WHY).statusCode())
                .isEqualTo(404);
        assertThat(send("olga", "/routes/fills/fill-1", "").statusCode()).isEqualTo(404);
        Await.until("all have arrived", () -> second.applied().size() == 2);
    }
}
