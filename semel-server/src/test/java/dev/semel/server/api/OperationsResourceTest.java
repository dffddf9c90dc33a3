package dev.semel.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Mode;
import dev.semel.engine.Engine;
import dev.semel.operator.Operator.Warrant;
import dev.semel.server.api.ApiServer.ApiReply;
import dev.semel.server.api.ApiServer.LedgerKind;
import dev.semel.store.Switchboard;
import dev.semel.testkit.Await;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Begin, renew, finish, fail and find, over HTTP. */
@ParameterizedClass
@EnumSource(LedgerKind.class)
class OperationsResourceTest {
    private static final String BEGIN = "/operations/charge/begin";
    private static final String FINISH = "/operations/charge/finish";
    private static final String FAIL = "/operations/charge/fail";
    private static final String RENEW = "/operations/charge/renew";
    private static final String CALL = "{\"key\":\"k-1\",\"payload\":{\"amount\":12.50}}";

    @Parameter
    private LedgerKind kind;

    private String store;
    private ApiServer server;

    @BeforeEach
    void start() {
        store = kind.freshUrl();
        server = ApiServer.on(store);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private ApiReply begin() {
        return server.post(BEGIN, CALL);
    }

    private static void assertProblem(ApiReply reply, int status, String code) {
        assertThat(reply.status()).as(reply.toString()).isEqualTo(status);
        assertThat(reply.header("Content-Type")).isEqualTo("application/problem+json");
        assertThat(reply.text("code")).isEqualTo(code);
        assertThat(reply.text("correlation_id")).isEqualTo(reply.header("X-Correlation-ID"));
    }

    @Test
    void firstBeginIsGrantedAndItsFinishIsReplayed() {
        ApiReply granted = server.send(server.request(BEGIN)
                .header("Authorization", "Bearer " + ApiServer.ACME)
                .header("Content-Type", "application/json; charset=utf-8")
                .header("X-Correlation-ID", "order-17")
                .POST(java.net.http.HttpRequest.BodyPublishers.ofString(CALL)));
        assertThat(granted.status()).as(granted.toString()).isEqualTo(200);
        assertThat(granted.text("outcome")).isEqualTo("granted");
        assertThat(granted.text("record")).matches("[0-9a-f]{64}");
        assertThat(granted.text("fence")).matches("[0-9]+");
        assertThat(granted.json().path("fence").isString()).isTrue();
        assertThat(granted.json().path("attempt").intValue()).isEqualTo(1);
        assertThat(granted.text("downstream_key")).startsWith("semel-");
        assertThat(java.time.Instant.parse(granted.text("lease_until"))).isAfter(java.time.Instant.now());
        assertThat(granted.text("correlation_id")).isEqualTo("order-17");
        assertThat(granted.header("X-Correlation-ID")).isEqualTo("order-17");

        ApiReply finished =
                server.post(FINISH, "{" + granted.run() + ",\"result\":{\"receipt\":9007199254740993,\"paid\":12.50}}");
        assertThat(finished.status()).as(finished.toString()).isEqualTo(200);
        assertThat(finished.text("outcome")).isEqualTo("recorded");

        ApiReply replayed = begin();
        assertThat(replayed.status()).isEqualTo(200);
        assertThat(replayed.text("outcome")).isEqualTo("replayed");
        assertThat(replayed.header("Idempotency-Replayed")).isEqualTo("true");
        assertThat(replayed.http().body()).contains("9007199254740993");
        assertThat(replayed.json().path("result").path("paid").doubleValue()).isEqualTo(12.5);
    }

    @Test
    void resultOfNullAndPayloadOfNullAreReplayed() {
        ApiReply granted = server.post(BEGIN, "{\"key\":\"k-2\"}");
        assertThat(server.post(FINISH, "{" + granted.run() + "}").status()).isEqualTo(200);
        ApiReply replayed = server.post(BEGIN, "{\"key\":\"k-2\",\"payload\":null}");
        assertThat(replayed.text("outcome")).isEqualTo("replayed");
        assertThat(replayed.json().path("result").isNull()).isTrue();
    }

    @Test
    void samePayloadInAnotherFormIsTheSameCall() {
        begin();
        ApiReply again = server.post(BEGIN, "{\"key\":\"k-1\", \"payload\": {\"amount\": 125e-1}}");
        assertProblem(again, 409, "idempotency.in_progress");
    }

    @Test
    void anotherPayloadIsAConflict() {
        begin();
        ApiReply conflict = server.post(BEGIN, "{\"key\":\"k-1\",\"payload\":{\"amount\":13}}");
        assertProblem(conflict, 409, "idempotency.payload_mismatch");
        assertThat(conflict.header("Retry-After")).isEmpty();
    }

    @Test
    void secondBeginIsInProgressAndToldWhenToRetry() {
        begin();
        ApiReply second = begin();
        assertProblem(second, 409, "idempotency.in_progress");
        assertThat(second.header("Retry-After")).isEqualTo("1");
    }

    @Test
    void beginThatWaitsGetsTheResultOfTheFirst() throws Exception {
        ApiReply granted = begin();
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try {
            Future<ApiReply> waiting = thread.submit(
                    () -> server.post(BEGIN, "{\"key\":\"k-1\",\"payload\":{\"amount\":12.5},\"wait\":\"20s\"}"));
            server.post(FINISH, "{" + granted.run() + ",\"result\":\"done\"}");
            assertThat(waiting.get().text("result")).isEqualTo("done");
        } finally {
            thread.shutdownNow();
        }
    }

    @Test
    void oneOf64ConcurrentBeginsIsGranted() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(64);
        try {
            List<Callable<ApiReply>> begins = IntStream.range(0, 64)
                    .<Callable<ApiReply>>mapToObj(i -> this::begin)
                    .toList();
            int granted = 0;
            for (Future<ApiReply> reply : threads.invokeAll(begins)) {
                ApiReply each = reply.get();
                if (each.status() == 200) {
                    granted++;
                } else {
                    assertProblem(each, 409, "idempotency.in_progress");
                }
            }
            assertThat(granted).isEqualTo(1);
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void finishTwiceIsTheSameSuccessAndAnotherResultDoesNotReplaceTheFirst() {
        ApiReply granted = begin();
        String finish = "{" + granted.run() + ",\"result\":1}";
        assertThat(server.post(FINISH, finish).text("outcome")).isEqualTo("recorded");
        assertThat(server.post(FINISH, finish).text("outcome")).isEqualTo("recorded");
        ApiReply other = server.post(FINISH, "{" + granted.run() + ",\"result\":2}");
        assertThat(other.status()).isEqualTo(200);
        assertThat(other.text("outcome")).isEqualTo("ended_before");
        assertThat(other.json().path("result").intValue()).isEqualTo(1);
    }

    @Test
    void anotherNodeRenewsAndFinishesAfterTheFirstHasStopped() {
        ApiReply granted = begin();
        server.close();
        server = ApiServer.on(store);
        ApiReply renewed = server.post(RENEW, "{" + granted.run() + ",\"lease\":\"1m\"}");
        assertThat(renewed.status()).as(renewed.toString()).isEqualTo(200);
        assertThat(java.time.Instant.parse(renewed.text("lease_until")))
                .isAfter(java.time.Instant.parse(granted.text("lease_until")));
        assertThat(server.post(FINISH, "{" + granted.run() + ",\"result\":\"kept\"}")
                        .status())
                .isEqualTo(200);
        assertThat(begin().text("result")).isEqualTo("kept");
    }

    @Test
    void oldFenceIsRejectedAfterATakeover() {
        String call = "{\"key\":\"k-1\",\"payload\":1,\"lease\":\"1s\",\"repeatable\":true}";
        ApiReply old = server.post(BEGIN, call);
        ApiReply taken = Await.until("the lease to expire", () -> server.post(BEGIN, call), it -> it.status() == 200);
        assertThat(taken.json().path("attempt").intValue()).isEqualTo(2);
        assertThat(taken.text("downstream_key")).isEqualTo(old.text("downstream_key"));
        assertProblem(server.post(RENEW, "{" + old.run() + "}"), 409, "lease.lost");
        assertProblem(server.post(FINISH, "{" + old.run() + ",\"result\":\"old\"}"), 409, "lease.lost");
        assertProblem(server.post(FAIL, "{" + old.run() + ",\"category\":\"network\"}"), 409, "lease.lost");
        assertThat(server.post(FINISH, "{" + taken.run() + ",\"result\":\"new\"}")
                        .status())
                .isEqualTo(200);
    }

    @Test
    void interruptedRunThatMayNotBeRepeatedIsUnknown() {
        String call = "{\"key\":\"k-1\",\"payload\":1,\"lease\":\"1s\"}";
        server.post(BEGIN, call);
        ApiReply unknown = Await.until(
                "the lease to expire",
                () -> server.post(BEGIN, call),
                it -> !it.text("code").equals("idempotency.in_progress"));
        assertProblem(unknown, 409, "idempotency.outcome_unknown");
    }

    @Test
    void failedRunIsRetriedAndThenReplayed() {
        ApiReply failed = server.post(
                FAIL, "{" + begin().run() + ",\"category\":\"network\",\"reason\":\"refused\",\"retryable\":true}");
        assertThat(failed.status()).as(failed.toString()).isEqualTo(200);
        assertThat(failed.text("outcome")).isEqualTo("retry_later");
        ApiReply again = Await.until("the next attempt to be due", this::begin, it -> it.status() == 200);
        assertThat(again.json().path("attempt").intValue()).isEqualTo(2);
    }

    @Test
    void callThatWaitsForItsNextAttemptIsToldWhen() {
        server.post(
                FAIL,
                "{" + begin().run() + ",\"category\":\"rate_limited\",\"retryable\":true,\"retry_after\":\"40s\"}");
        ApiReply later = begin();
        assertProblem(later, 503, "idempotency.retry_later");
        assertThat(Integer.parseInt(later.header("Retry-After"))).isBetween(30, 40);
    }

    @Test
    void uncertainFailureIsUnknownAndPermanentFailureIsReplayed() {
        ApiReply unknown = server.post(FAIL, "{" + begin().run() + ",\"category\":\"timeout\"}");
        assertThat(unknown.text("outcome")).isEqualTo("unknown");
        assertProblem(begin(), 409, "idempotency.outcome_unknown");

        ApiReply granted = server.post(BEGIN, "{\"key\":\"k-3\",\"payload\":1}");
        ApiReply failed =
                server.post(FAIL, "{" + granted.run() + ",\"category\":\"business_rule\",\"reason\":\"card expired\"}");
        assertThat(failed.text("outcome")).isEqualTo("failed");
        ApiReply replayed = server.post(BEGIN, "{\"key\":\"k-3\",\"payload\":1}");
        assertProblem(replayed, 410, "idempotency.discarded");
        assertThat(replayed.text("category")).isEqualTo("business_rule");
        assertThat(replayed.text("detail")).isEqualTo("card expired");
    }

    @Test
    void haltedOperationIsNotGrantedAndShadowedOneIsNotRun() {
        set(Mode.HALTED);
        ApiReply halted = begin();
        assertProblem(halted, 503, "operation.halted");
        assertThat(halted.header("Retry-After")).isNotEmpty();
        set(Mode.SHADOW);
        assertProblem(begin(), 409, "operation.shadowed");
    }

    private void set(Mode mode) {
        Engine.behind(server.semel())
                .orElseThrow()
                .operator()
                .setMode(new Switchboard.Setting(null, "charge", mode), new Warrant("operator", "test"));
    }

    @Test
    void statusIsFoundByKeyAndByRecord() {
        ApiReply granted = begin();
        ApiReply byKey = server.get(ApiServer.ACME, "/operations/charge?key=k-1");
        assertThat(byKey.status()).as(byKey.toString()).isEqualTo(200);
        assertThat(byKey.text("state")).isEqualTo("IN_PROGRESS");
        assertThat(byKey.text("record")).isEqualTo(granted.text("record"));
        assertThat(byKey.json().has("tenant")).isFalse();
        assertThat(server.get(ApiServer.ACME, "/operations/charge?record=" + granted.text("record"))
                        .text("state"))
                .isEqualTo("IN_PROGRESS");
        assertProblem(server.get(ApiServer.ACME, "/operations/charge?key=k-9"), 404, "idempotency.not_found");
        assertProblem(server.get(ApiServer.ACME, "/operations/charge"), 400, "idempotency.key_required");
    }

    @Test
    void repeatedFailIsAnsweredLeaseLostWhenTheFirstLeftNoRecord() {
        ApiReply granted = begin();
        String fail = "{" + granted.run() + ",\"category\":\"network\",\"retryable\":false}";
        assertThat(server.post(FAIL, fail).text("outcome")).isEqualTo("failed");
        assertThat(server.get(ApiServer.ACME, "/operations/charge?record=" + granted.text("record"))
                        .status())
                .isEqualTo(404);
        assertProblem(server.post(FAIL, fail), 409, "lease.lost");
    }

    @Test
    void tokenOfAnotherTenantSeesNothingAndEndsNothing() {
        ApiReply granted = begin();
        assertProblem(server.post(ApiServer.GLOBEX, FINISH, "{" + granted.run() + ",\"result\":1}"), 409, "lease.lost");
        assertProblem(server.post(ApiServer.GLOBEX, RENEW, "{" + granted.run() + "}"), 409, "lease.lost");
        assertProblem(
                server.get(ApiServer.GLOBEX, "/operations/charge?record=" + granted.text("record")),
                404,
                "idempotency.not_found");
        assertProblem(server.get(ApiServer.GLOBEX, "/operations/charge?key=k-1"), 404, "idempotency.not_found");
        ApiReply own = server.post(ApiServer.GLOBEX, BEGIN, CALL);
        assertThat(own.text("outcome")).isEqualTo("granted");
        assertThat(own.text("record")).isNotEqualTo(granted.text("record"));
        ApiReply never = server.post(
                ApiServer.GLOBEX, FINISH, "{\"record\":\"" + "0".repeat(64) + "\",\"fence\":\"7\",\"result\":1}");
        ApiReply foreign = server.post(ApiServer.GLOBEX, FINISH, "{" + granted.run() + ",\"result\":1}");
        assertThat(foreign.text("detail")).isEqualTo(never.text("detail"));
    }
}
