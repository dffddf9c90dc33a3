package dev.semel.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.engine.Engine;
import dev.semel.server.api.ApiServer.ApiReply;
import dev.semel.server.api.ApiServer.LedgerKind;
import dev.semel.testkit.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Messages that clients claim and end over HTTP. */
@ParameterizedClass
@EnumSource(LedgerKind.class)
class WorkResourceTest {
    @Parameter
    private LedgerKind kind;

    private ApiServer server;

    @BeforeEach
    void start() {
        server = kind.start();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private void send(String key, String lane) {
        String in = lane.isEmpty() ? "" : ",\"lane\":\"" + lane + "\"";
        ApiReply reply = server.post(
                "/channels/jobs/messages", "{\"key\":\"" + key + "\",\"payload\":{\"n\":\"" + key + "\"}" + in + "}");
        assertThat(reply.status()).as(reply.toString()).isEqualTo(202);
    }

    private ApiReply post(String action, String json) {
        ApiReply reply = server.post("/channels/jobs/" + action, json);
        assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
        return reply;
    }

    private List<JsonNode> claim(String json) {
        return messages(post("claim", json));
    }

    private static List<JsonNode> messages(ApiReply reply) {
        return new ArrayList<>(reply.json().get("messages").values());
    }

    private static List<String> texts(List<JsonNode> messages, String field) {
        return messages.stream().map(each -> each.path(field).asString("")).toList();
    }

    private static String handle(JsonNode message, String more) {
        return "{\"record\":\"" + message.get("record").stringValue() + "\",\"fence\":\""
                + message.get("fence").stringValue() + "\"" + more + "}";
    }

    private static String handles(List<JsonNode> messages) {
        return "{\"messages\":["
                + messages.stream().map(each -> handle(each, "")).collect(Collectors.joining(",")) + "]}";
    }

    private List<String> end(String action, String json) {
        return texts(messages(post(action, json)), "outcome");
    }

    private String state(String key) {
        return server.get(ApiServer.ACME, "/channels/jobs?key=" + key).text("state");
    }

    @Test
    void claimedMessageHasEverythingThatAWorkerNeedsAndIsFinishedOnce() {
        send("m", "x");
        JsonNode message = claim("{\"max\":5,\"lease\":\"30s\"}").get(0);
        assertThat(message.propertyNames())
                .containsExactly(
                        "record",
                        "fence",
                        "key",
                        "payload",
                        "lane",
                        "attempt",
                        "downstream_key",
                        "lease_until",
                        "correlation_id");
        assertThat(message.get("payload").toString()).isEqualTo("{\"n\":\"m\"}");
        assertThat(message.get("key").stringValue()).isEqualTo("m");
        assertThat(message.get("lane").stringValue()).isEqualTo("x");
        assertThat(message.get("attempt").intValue()).isEqualTo(1);
        assertThat(claim("{}")).isEmpty();
        assertThat(end("finish", handles(List.of(message)))).containsExactly("recorded");
        assertThat(end("finish", handles(List.of(message)))).containsExactly("recorded");
        assertThat(state("m")).isEqualTo("COMPLETED");
    }

    @Test
    void numbersAndNullsOfAPayloadArriveAsTheyWereSent() {
        server.post(
                "/channels/jobs/messages",
                "{\"key\":\"n\",\"payload\":{\"a\":9007199254740993,\"b\":1.10,\"c\":null}}");
        server.post("/channels/jobs/messages", "{\"key\":\"null\"}");
        assertThat(post("claim", "{}").http().body())
                .contains("\"key\":\"n\",\"payload\":{\"a\":9007199254740993,\"b\":1.10,\"c\":null},")
                .contains("\"key\":\"null\",\"payload\":null,");
    }

    @Test
    void eachMessageOfARequestHasItsOwnOutcome() {
        send("a", "");
        send("b", "");
        List<JsonNode> both = claim("{\"max\":2}");
        assertThat(end("finish", handles(both.subList(0, 1)))).containsExactly("recorded");
        assertThat(end("release", handles(both))).containsExactly("rejected", "handed_back");
        JsonNode again = claim("{}").get(0);
        ApiReply renewed = post(
                "renew", "{\"lease\":\"1m\",\"messages\":[" + handle(both.get(1), "") + "," + handle(again, "") + "]}");
        assertThat(texts(messages(renewed), "outcome")).containsExactly("rejected", "renewed");
        assertThat(texts(messages(renewed), "code")).containsExactly("lease.lost", "");
        assertThat(messages(renewed).get(1).has("lease_until")).isTrue();
    }

    @Test
    void failureIsRetriedByThePolicyAndEndsAsADeadLetter() {
        send("m", "");
        for (int attempt = 1; attempt <= 3; attempt++) {
            JsonNode message = claim("{\"wait\":\"20s\"}").get(0);
            assertThat(message.get("attempt").intValue()).isEqualTo(attempt);
            JsonNode end = messages(post(
                            "fail",
                            "{\"messages\":[" + handle(message, ",\"category\":\"network\",\"reason\":\"down\"")
                                    + "]}"))
                    .get(0);
            assertThat(end.get("outcome").stringValue()).isEqualTo(attempt < 3 ? "retry_later" : "failed");
            assertThat(end.get("reason").stringValue()).isEqualTo("down");
        }
        assertThat(state("m")).isEqualTo("FAILED_TERMINAL");
    }

    @Test
    void d7_laneIsFinishedInItsOrder() {
        send("x1", "x");
        send("x2", "x");
        List<JsonNode> run = claim("{}");
        assertThat(texts(run, "key")).containsExactly("x1", "x2");
        JsonNode early = messages(post("finish", handles(run.subList(1, 2)))).get(0);
        assertThat(early.get("code").stringValue()).isEqualTo("lane.waiting");
        assertThat(end("finish", handles(List.of(run.get(1), run.get(0))))).containsExactly("recorded", "recorded");
    }

    @Test
    void messagesOfAnotherTenantDoNotExist() {
        send("m", "");
        ApiReply foreign = server.post(ApiServer.GLOBEX, "/channels/jobs/claim", "{}");
        assertThat(messages(foreign)).isEmpty();
        JsonNode message = claim("{}").get(0);
        for (String action : List.of("finish", "release", "renew", "fail")) {
            ApiReply reply = server.post(ApiServer.GLOBEX, "/channels/jobs/" + action, handles(List.of(message)));
            assertThat(texts(messages(reply), "code")).as(action).containsExactly("lease.lost");
        }
        assertThat(state("m")).isEqualTo("IN_PROGRESS");
    }

    @Test
    void c1_claimIsRepeatedUnderItsIdWithTheSameGrants() {
        send("a", "");
        send("b", "");
        List<JsonNode> first = claim("{\"max\":1,\"claim_id\":\"first-0123456789\"}");
        List<JsonNode> again = claim("{\"max\":1,\"claim_id\":\"first-0123456789\"}");
        assertThat(texts(again, "fence")).isEqualTo(texts(first, "fence"));
        assertThat(texts(claim("{\"max\":5,\"claim_id\":\"other-0123456789\"}"), "key"))
                .doesNotContainAnyElementsOf(texts(first, "key"));
    }

    @Test
    void claimIdOfAnotherTokenOfTheTenantIsAnotherClaim() {
        send("a", "");
        List<JsonNode> first = claim("{\"claim_id\":\"0123456789abcdef\"}");
        assertThat(first).hasSize(1);
        ApiReply other = server.post(ApiServer.ACME_TOO, "/channels/jobs/claim", "{\"claim_id\":\"0123456789abcdef\"}");
        assertThat(messages(other)).isEmpty();
        assertThat(texts(claim("{\"claim_id\":\"0123456789abcdef\"}"), "fence")).isEqualTo(texts(first, "fence"));
    }

    @Test
    void d6_waitingClaimIsWokenBySendingAndEndsWithNothingOtherwise() throws Exception {
        CompletableFuture<List<JsonNode>> waiting = CompletableFuture.supplyAsync(() -> claim("{\"wait\":\"20s\"}"));
        send("m", "");
        assertThat(texts(waiting.get(60, TimeUnit.SECONDS), "key")).containsExactly("m");
        assertThat(claim("{\"wait\":\"10ms\"}")).isEmpty();
    }

    @Test
    void d6_waitingClaimFindsWhatAnotherNodeSends() throws Exception {
        String url = kind.freshUrl();
        try (ApiServer one = ApiServer.on(url);
                ApiServer two = ApiServer.on(url)) {
            CompletableFuture<ApiReply> waiting =
                    CompletableFuture.supplyAsync(() -> one.post("/channels/jobs/claim", "{\"wait\":\"20s\"}"));
            two.post("/channels/jobs/messages", "{\"key\":\"m\",\"payload\":1}");
            JsonNode message = messages(waiting.get(60, TimeUnit.SECONDS)).get(0);
            ApiReply ended = two.post("/channels/jobs/finish", handles(List.of(message)));
            assertThat(texts(messages(ended), "outcome")).containsExactly("recorded");
        }
    }

    @Test
    void b10_drainEndsWaitingClaims() throws Exception {
        CompletableFuture<List<JsonNode>> waiting = CompletableFuture.supplyAsync(() -> claim("{\"wait\":\"20s\"}"));
        Engine engine = Engine.behind(server.semel()).orElseThrow();
        engine.drain(Duration.ZERO);
        assertThat(waiting.get(60, TimeUnit.SECONDS)).isEmpty();
        send("m", "");
        assertThat(claim("{}")).as("a node that drains grants nothing").isEmpty();
        engine.resume();
        Await.until("granted again", () -> claim("{}").size(), size -> size == 1);
    }

    @Test
    void tokenWithoutTheScopeAndChannelsOfTheServerAreDenied() {
        for (String action : List.of("claim", "renew", "finish", "fail", "release")) {
            assertThat(server.post(ApiServer.ORDERS_ONLY, "/channels/orders.new/" + action, "{}")
                            .text("code"))
                    .isEqualTo("access.denied");
            for (String name : List.of("source.stripe", "destination.app", "semel.replays")) {
                assertThat(server.post("/channels/" + name + "/" + action, "{}").text("code"))
                        .isEqualTo("access.denied");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "claim {\"max\":0}",
                "claim {\"max\":101}",
                "claim {\"lease\":\"10ms\"}",
                "claim {\"wait\":\"21s\"}",
                "claim {\"claim_id\":\"\"}",
                "claim {\"claim_id\":\"0123456789abcde\"}",
                "claim {\"most\":1}",
                "finish {}",
                "finish {\"messages\":[]}",
                "finish {\"messages\":[1]}",
                "finish {\"messages\":[{\"record\":\"x\",\"fence\":\"1\"}]}",
                "fail {\"messages\":[{}]}",
                "release {\"messages\":{}}"
            })
    void invalidRequestIsRejectedWithTheFieldThatIsWrong(String text) {
        String[] parts = text.split(" ", 2);
        ApiReply reply = server.post("/channels/jobs/" + parts[0], parts[1]);
        assertThat(reply.status()).as(reply.toString()).isEqualTo(400);
        assertThat(reply.text("code")).isEqualTo("request.invalid");
        assertThat(reply.text("detail")).endsWith("Nothing was done.");
    }
}
