package dev.semel.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Channel;
import dev.semel.server.api.ApiServer.ApiReply;
import dev.semel.server.api.ApiServer.LedgerKind;
import dev.semel.testkit.Await;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Messages that are sent over HTTP, one by one and in batches. */
@ParameterizedClass
@EnumSource(LedgerKind.class)
class MessagesTest {
    private static final String MESSAGES = "/channels/orders/messages";

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

    private List<JsonNode> lines(String body) {
        ApiReply reply =
                server.post(ApiServer.ACME, MESSAGES, "application/x-ndjson", body.getBytes(StandardCharsets.UTF_8));
        assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
        assertThat(reply.header("Content-Type")).isEqualTo("application/x-ndjson");
        return reply.http()
                .body()
                .lines()
                .map(line -> JsonMapper.shared().readTree(line))
                .toList();
    }

    private static List<String> outcomes(List<JsonNode> lines) {
        return lines.stream().map(each -> each.path("outcome").asString("")).toList();
    }

    @Test
    void messageIsAcceptedOnceAndConflictsWithAnotherPayload() {
        ApiReply first = server.post(MESSAGES, "{\"key\":\"m-1\",\"payload\":{\"n\":1}}");
        assertThat(first.status()).as(first.toString()).isEqualTo(202);
        assertThat(first.text("outcome")).isEqualTo("accepted");
        ApiReply second = server.post(MESSAGES, "{\"key\":\"m-1\",\"payload\":{\"n\":1}}");
        assertThat(second.status()).isEqualTo(202);
        assertThat(second.text("outcome")).isEqualTo("duplicate");
        assertThat(second.text("record")).isEqualTo(first.text("record"));
        ApiReply conflict = server.post(MESSAGES, "{\"key\":\"m-1\",\"payload\":{\"n\":2}}");
        assertThat(conflict.status()).isEqualTo(409);
        assertThat(conflict.text("code")).isEqualTo("idempotency.payload_mismatch");
        ApiReply status = server.get(ApiServer.ACME, "/channels/orders?key=m-1");
        assertThat(status.text("state")).isEqualTo("QUEUED");
        assertThat(status.text("record")).isEqualTo(first.text("record"));
    }

    @Test
    void handlerInThisProcessGetsMessagesOfALaneInOrder() {
        List<String> handled = new CopyOnWriteArrayList<>();
        for (int i = 1; i <= 5; i++) {
            server.post(MESSAGES, "{\"key\":\"m-" + i + "\",\"payload\":{\"n\":" + i + "},\"lane\":\"customer-7\"}");
        }
        @SuppressWarnings("rawtypes")
        Channel.Leased<Map> orders = Channel.leased("orders", Map.class).withPolicy("quick");
        server.semel().handle(orders, (order, run) -> handled.add(String.valueOf(order.get("n"))));
        Await.until("all to be handled", () -> handled.size() == 5);
        assertThat(handled).containsExactly("1", "2", "3", "4", "5");
    }

    @Test
    void badLaneDelayAndDeadlineAreRejected() {
        for (String field : List.of(
                "\"lane\":\"\"", "\"lane\":\"a\\u0000\"", "\"lane\":7", "\"delay\":\"-1s\"", "\"deadline\":\"soon\"")) {
            ApiReply reply = server.post(MESSAGES, "{\"key\":\"m-1\",\"payload\":1," + field + "}");
            assertThat(reply.status()).as(field).isEqualTo(400);
            assertThat(reply.text("code")).isEqualTo("request.invalid");
        }
        assertThat(server.get(ApiServer.ACME, "/channels/orders?key=m-1").status())
                .isEqualTo(404);
    }

    @Test
    void delayedMessageWaits() {
        ApiReply sent = server.post(
                MESSAGES, "{\"key\":\"m-1\",\"payload\":1,\"delay\":\"1h\",\"deadline\":\"2199-01-01T00:00:00Z\"}");
        assertThat(sent.status()).as(sent.toString()).isEqualTo(202);
        assertThat(server.get(ApiServer.ACME, "/channels/orders?key=m-1").text("next_attempt"))
                .isNotEmpty();
    }

    @Test
    void eachLineOfABatchHasItsAnswer() {
        server.post(MESSAGES, "{\"key\":\"m-1\",\"payload\":1}");
        List<JsonNode> lines = lines("""
                {"key":"m-1","payload":1}
                {"key":"m-2","payload":2,"correlation_id":"c-2"}

                not json
                {"key":"m-1","payload":7}
                {"key":"m-3","payload":3,"extra":true}
                {"key":"m-4","payload":4}""");
        assertThat(outcomes(lines))
                .containsExactly("duplicate", "accepted", "rejected", "rejected", "rejected", "accepted");
        assertThat(lines.stream().map(each -> each.path("line").intValue()).toList())
                .containsExactly(1, 2, 3, 4, 5, 6);
        assertThat(lines.get(1).path("correlation_id").asString("")).isEqualTo("c-2");
        assertThat(lines.get(2).path("code").asString("")).isEqualTo("request.body_malformed");
        assertThat(lines.get(3).path("code").asString("")).isEqualTo("idempotency.payload_mismatch");
        assertThat(lines.get(4).path("detail").asString("")).contains("\"extra\"");
    }

    @Test
    void thousandsOfLinesAreSentAndSentAgainAsDuplicates() {
        String body = IntStream.rangeClosed(1, 3_000)
                .mapToObj(i -> "{\"key\":\"m-" + i + "\",\"payload\":" + i + "}")
                .collect(Collectors.joining("\n"));
        assertThat(outcomes(lines(body))).hasSize(3_000).containsOnly("accepted");
        assertThat(outcomes(lines(body))).hasSize(3_000).containsOnly("duplicate");
    }

    @Test
    void batchEndsWithTheReasonWhenItHasTooManyLinesOrALineThatIsTooLong() {
        String tooMany = "{\"key\":\"same\",\"payload\":1}\n".repeat(MessageLines.MOST_LINES + 1);
        List<JsonNode> lines = lines(tooMany);
        assertThat(lines).hasSize(MessageLines.MOST_LINES + 1);
        assertThat(lines.get(MessageLines.MOST_LINES).path("code").asString("")).isEqualTo("request.too_large");
        List<JsonNode> tooLong = lines("{\"key\":\"first\",\"payload\":1}\n{\"key\":\"k\",\"payload\":\""
                + "x".repeat(2 << 20) + "\"}\n{\"key\":\"last\"}");
        assertThat(outcomes(tooLong)).containsExactly("accepted", "rejected");
        assertThat(tooLong.get(1).path("code").asString("")).isEqualTo("request.too_large");
        assertThat(server.get(ApiServer.ACME, "/channels/orders?key=last").status())
                .isEqualTo(404);
    }
}
