package dev.semel.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.server.api.ApiServer.ApiReply;
import dev.semel.server.api.ApiServer.LedgerKind;
import dev.semel.testkit.Await;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Steps of a run, over HTTP. */
@ParameterizedClass
@EnumSource(LedgerKind.class)
class StepsResourceTest {
    private static final String FLIGHT = "/operations/trip/steps/flight/";

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

    private ApiReply run() {
        return server.post("/operations/trip/begin", "{\"key\":\"t\",\"lease\":\"1s\",\"repeatable\":true}");
    }

    private ApiReply nextRun() {
        return Await.until("the lease to expire", this::run, it -> it.status() == 200);
    }

    private ApiReply begin(ApiReply run) {
        return server.post(FLIGHT + "begin", "{" + run.run() + "}");
    }

    private static String step(ApiReply run, ApiReply step) {
        return "{" + run.run() + ",\"step_fence\":\"" + step.text("step_fence") + "\"";
    }

    @Test
    void finishedStepIsReplayedByTheNextRun() {
        ApiReply run = run();
        ApiReply step = begin(run);
        assertThat(step.text("outcome")).as(step.toString()).isEqualTo("granted");
        assertThat(step.text("downstream_key")).startsWith("semel-").isNotEqualTo(run.text("downstream_key"));
        String finish = step(run, step) + ",\"result\":{\"seat\":\"12A\"}}";
        assertThat(server.post(FLIGHT + "finish", finish).text("outcome")).isEqualTo("recorded");
        assertThat(server.post(FLIGHT + "finish", finish).text("outcome")).isEqualTo("recorded");
        ApiReply replayed = begin(nextRun());
        assertThat(replayed.text("outcome")).isEqualTo("replayed");
        assertThat(replayed.header("Idempotency-Replayed")).isEqualTo("true");
        assertThat(replayed.json().path("result").path("seat").asString("")).isEqualTo("12A");
        assertThat(begin(run).text("code")).isEqualTo("lease.lost");
    }

    @Test
    void interruptedStepThatMayNotBeRepeatedMakesTheCallUnknown() {
        begin(run());
        ApiReply unknown = begin(nextRun());
        assertThat(unknown.status()).isEqualTo(409);
        assertThat(unknown.text("code")).isEqualTo("idempotency.outcome_unknown");
        assertThat(server.get(ApiServer.ACME, "/operations/trip?key=t").text("state"))
                .isEqualTo("UNKNOWN");
    }

    @Test
    void stepThatFailedWithoutEffectCanBeBegunAgain() {
        ApiReply run = run();
        ApiReply step = begin(run);
        ApiReply failed = server.post(FLIGHT + "fail", step(run, step) + ",\"category\":\"validation\"}");
        assertThat(failed.text("outcome")).as(failed.toString()).isEqualTo("recorded");
        assertThat(begin(run).text("outcome")).isEqualTo("granted");
    }

    @Test
    void tokenOfAnotherTenantBeginsAndFinishesNoStep() {
        ApiReply run = run();
        ApiReply step = begin(run);
        assertThat(server.post(ApiServer.GLOBEX, FLIGHT + "begin", "{" + run.run() + "}")
                        .text("code"))
                .isEqualTo("lease.lost");
        assertThat(server.post(ApiServer.GLOBEX, FLIGHT + "finish", step(run, step) + "}")
                        .text("code"))
                .isEqualTo("lease.lost");
        assertThat(server.post(ApiServer.ORDERS_ONLY, FLIGHT + "begin", "{" + run.run() + "}")
                        .status())
                .isEqualTo(403);
        assertThat(server.post("/operations/trip/steps/flight/other", "{" + run.run() + "}")
                        .status())
                .isEqualTo(404);
    }
}
