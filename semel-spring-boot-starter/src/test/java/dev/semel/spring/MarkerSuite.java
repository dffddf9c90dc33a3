package dev.semel.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;

/** Which failures at the level MARKER may be tried again: those of which it can be told that nothing was committed. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class MarkerSuite {
    private static final String TABLE = "CREATE TABLE effect (name VARCHAR(100) NOT NULL)";

    private final Databases database;
    private ConfigurableApplicationContext context;
    private MarkerController controller;
    private Web web;

    @SuppressWarnings("NullAway.Init")
    MarkerSuite(Databases database) {
        this.database = database;
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({
        MarkerController.class,
        MarkerDetourController.class,
        MarkerDetourController.Detours.class,
        MarkerServices.class,
        MarkerServices.Orders.class,
        MarkerServices.Payments.class
    })
    static class Application {
        @Bean(defaultCandidate = false)
        DataSource other() {
            return DataSourceBuilder.create().url(Databases.SQLITE.fresh()).build();
        }
    }

    @BeforeAll
    void start() {
        context = new SpringApplicationBuilder(Application.class)
                .properties(
                        "server.port=0",
                        "spring.datasource.url=" + database.fresh(),
                        "spring.datasource.hikari.maximum-pool-size=4",
                        "spring.main.banner-mode=off",
                        "spring.autoconfigure.exclude=" + Databases.JPA + "," + Web.SECURITY,
                        "semel.http.anonymous=true",
                        "semel.policy.api.request.backoff=none")
                .run();
        context.getBean(JdbcTemplate.class).execute(TABLE);
        new JdbcTemplate(context.getBean("other", DataSource.class)).execute(TABLE);
        controller = context.getBean(MarkerController.class);
        web = Web.of(context);
    }

    @AfterAll
    void stop() {
        context.close();
    }

    private HttpResponse<String> post(String key, String path) {
        return web.post("/marker/" + key + "/" + path, key, null);
    }

    private static boolean isReplay(HttpResponse<String> response) {
        return response.headers().firstValue("Idempotency-Replayed").isPresent();
    }

    @ParameterizedTest
    @ValueSource(strings = {"answers", "reads-and-answers"})
    void aTransactionThatWroteNothingIsNotMarkedAndItsRefusalsAreRunAgain(String path) {
        for (int status : new int[] {401, 403, 413, 429, 503}) {
            String key = path + "-" + status;
            assertThat(post(key, path + "/" + status).statusCode()).isEqualTo(status);
            HttpResponse<String> again = post(key, path + "/" + status);
            assertThat(again.statusCode()).as(key).isEqualTo(200);
            assertThat(again.body()).as(key).isEqualTo("run 2");
            assertThat(isReplay(again)).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"nothing", "read-then-rolled-back", "apart-reads"})
    void aFailureWithoutEffectIsRunAgain(String path) {
        assertThat(post(path, path).statusCode()).isEqualTo(500);
        HttpResponse<String> again = post(path, path);
        assertThat(again.statusCode()).as(again.body()).isEqualTo(200);
        assertThat(again.body()).isEqualTo("done");
        assertThat(isReplay(again)).isFalse();
        assertThat(controller.runs(path)).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "committed",
                "two",
                "apart",
                "auto-commit",
                "raw-beside",
                "other-source",
                "other-thread",
                "callable",
                "future",
                "deferred",
                "mono",
                "named-thread",
                "unwrapped",
                "listened"
            })
    void failureWithUnobservedEffectsIsUnknown(String path) {
        assertThat(post(path, path).statusCode()).isEqualTo(500);
        HttpResponse<String> again = post(path, path);
        assertThat(again.statusCode()).as(again.body()).isEqualTo(409);
        assertThat(again.body()).contains("idempotency.outcome_unknown");
        assertThat(controller.runs(path)).isEqualTo(1);
        if (!path.equals("other-source")) {
            assertThat(controller.effects(path)).isEqualTo(1);
        }
    }

    /** They commit records of Semel's and no row of the application's. */
    @ParameterizedTest
    @ValueSource(strings = {"sent-only", "leased-only"})
    void aFailureAfterSemelCommittedSomethingOutsideATransactionIsUnknown(String path) {
        assertThat(post(path, path).statusCode()).isEqualTo(500);
        HttpResponse<String> again = post(path, path);
        assertThat(again.statusCode()).as(again.body()).isEqualTo(409);
        assertThat(again.body()).contains("idempotency.outcome_unknown");
        assertThat(controller.runs(path)).isEqualTo(1);
    }

    @Test
    void failureOfAHandlerThatHandedWorkToAnExecutorIsUnknownAlsoIfThatBeginsLater() {
        assertThat(post("executor", "executor").statusCode()).isEqualTo(500);
        HttpResponse<String> again = post("executor", "executor");
        context.getBean(MarkerDetourController.class).answered();
        assertThat(again.statusCode()).as(again.body()).isEqualTo(409);
        assertThat(again.body()).contains("idempotency.outcome_unknown");
        assertThat(controller.runs("executor")).isEqualTo(1);
    }

    @Test
    void e11_failureAfterAServiceThatOnlyReadIsRunAgainAndNeverReplayedAsDone() {
        String path = "looked-then-failed";
        assertThat(post(path, path).statusCode()).isEqualTo(500);
        HttpResponse<String> again = post(path, path);
        assertThat(again.statusCode()).as(again.body()).isEqualTo(200);
        assertThat(isReplay(again)).isFalse();
        assertThat(controller.runs(path)).isEqualTo(2);
        assertThat(controller.effects(path + "-payment")).isEqualTo(1);
    }

    @Test
    void e11_failureAfterAServiceThatWroteIsUnknown() {
        assertUnknownAfter("placed-then-failed", 500);
        assertThat(controller.effects("placed-then-failed-payment")).isZero();
    }

    @Test
    void e10_accessThatIsDeniedAfterAServiceThatOnlyReadLeavesNoRecord() {
        String path = "looked-then-denied";
        for (int run = 1; run <= 3; run++) {
            HttpResponse<String> denied = post(path, path);
            assertThat(denied.statusCode()).as(denied.body()).isEqualTo(403);
            assertThat(isReplay(denied)).isFalse();
            assertThat(controller.runs(path)).isEqualTo(run);
        }
        assertThat(controller.effects(path + "-payment")).isZero();
    }

    /** What was written stays, and must not be written again. */
    @Test
    void e10_accessThatIsDeniedAfterAServiceThatWroteIsNotRunAgain() {
        String path = "placed-then-denied";
        assertThat(post(path, path).statusCode()).isEqualTo(403);
        HttpResponse<String> again = post(path, path);
        assertThat(again.statusCode()).as(again.body()).isEqualTo(403);
        assertThat(isReplay(again)).isTrue();
        assertThat(controller.runs(path)).isEqualTo(1);
        assertThat(controller.effects(path)).isEqualTo(1);
    }

    private void assertUnknownAfter(String path, int status) {
        assertThat(post(path, path).statusCode()).isEqualTo(status);
        HttpResponse<String> again = post(path, path);
        assertThat(again.statusCode()).as(again.body()).isEqualTo(409);
        assertThat(again.body()).contains("idempotency.outcome_unknown");
        assertThat(controller.runs(path)).isEqualTo(1);
        assertThat(controller.effects(path)).isEqualTo(1);
    }

    @Test
    void refusalAfterAReadOutsideATransactionLeavesNoRecord() {
        for (int status : new int[] {401, 403, 413, 429}) {
            String key = "auto-reads-" + status;
            assertThat(post(key, "auto-reads-and-answers/" + status).statusCode())
                    .isEqualTo(status);
            HttpResponse<String> again = post(key, "auto-reads-and-answers/" + status);
            assertThat(again.statusCode()).isEqualTo(200);
            assertThat(again.body()).isEqualTo("run 2");
            assertThat(isReplay(again)).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"writes-and-answers", "auto-commits-and-answers"})
    void aRefusalAfterAnEffectWasCommittedIsKeptBecauseTheEffectMustNotBeRepeated(String path) {
        for (int status : new int[] {401, 403, 422, 429}) {
            String key = path + "-" + status;
            assertThat(post(key, path + "/" + status).statusCode()).isEqualTo(status);
            HttpResponse<String> again = post(key, path + "/" + status);
            assertThat(again.statusCode()).isEqualTo(status);
            assertThat(again.body()).isEqualTo("run 1");
            assertThat(isReplay(again)).isTrue();
            assertThat(controller.effects(key)).isEqualTo(1);
        }
    }
}
