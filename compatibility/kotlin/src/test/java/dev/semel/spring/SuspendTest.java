package dev.semel.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.SemelException;
import dev.semel.http.Level;
import dev.semel.http.Rule;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;

/** Coroutines of Kotlin where MARKER is configured: nobody can tell what one did, so that its failures are UNKNOWN. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SuspendTest {
    private ConfigurableApplicationContext context;
    private SuspendDesk desk;
    private Web web;

    @SuppressWarnings("NullAway.Init")
    SuspendTest() {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Nothing {}

    @Configuration(proxyBeanMethods = false)
    @Import({Nothing.class, SuspendDesk.class})
    static class Application {
        @Bean
        SemelHttpAutoConfiguration.Customizer marker() {
            Rule marker = Rule.required().withLevel(Level.MARKER);
            return settings -> settings.withRoute("POST", "/suspend/{key}/configured-at-marker", marker)
                    .withRoute("POST", "/suspend/{key}/level-at-marker", marker);
        }
    }

    private static ConfigurableApplicationContext start(Class<?>... sources) {
        return new SpringApplicationBuilder(sources)
                .properties(
                        "server.port=0",
                        "spring.datasource.url=" + Databases.SQLITE.fresh(),
                        "spring.datasource.hikari.maximum-pool-size=4",
                        "spring.main.banner-mode=off",
                        "semel.http.anonymous=true",
                        "semel.http.level=marker",
                        "semel.policy.api.request.backoff=none")
                .run();
    }

    @BeforeAll
    void start() {
        context = start(Application.class);
        context.getBean(JdbcTemplate.class).execute("CREATE TABLE effect (name VARCHAR(100) NOT NULL)");
        desk = context.getBean(SuspendDesk.class);
        web = Web.of(context);
    }

    @AfterAll
    void stop() {
        context.close();
    }

    private HttpResponse<String> post(String path) {
        return web.post("/suspend/" + path + "/" + path, path, null);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "without-suspension",
                "auto-commit",
                "other-dispatcher",
                "before-suspension",
                "unavailable",
                "annotated",
                "configured-at-marker",
                "deferred",
                "flow",
                "blocking"
            })
    void e10_failedCoroutineIsUnknownAndItsEffectIsNotRepeated(String path) {
        assertThat(post(path).statusCode()).isEqualTo(500);
        assertThat(desk.effects(path)).isEqualTo(1);
        for (int repeat = 0; repeat < 2; repeat++) {
            HttpResponse<String> again = post(path);
            assertThat(again.statusCode()).as(again.body()).isEqualTo(409);
            assertThat(again.body()).contains("idempotency.outcome_unknown");
        }
        assertThat(desk.runs(path)).isEqualTo(1);
        assertThat(desk.effects(path)).isEqualTo(1);
    }

    /** At MARKER a process that dies without a mark would leave it to be run again. */
    @ParameterizedTest
    @ValueSource(strings = {"level", "level-at-marker"})
    void e10_aCoroutineRunsAtThePlainLevel(String path) {
        assertThat(post(path).body()).isEqualTo("PLAIN");
    }

    @Test
    void aCoroutineThatSucceedsIsReplayed() {
        assertThat(post("succeeds").body()).isEqualTo("run 1");
        HttpResponse<String> again = post("succeeds");
        assertThat(again.body()).isEqualTo("run 1");
        assertThat(again.headers().firstValue("Idempotency-Replayed")).hasValue("true");
        assertThat(desk.effects("succeeds")).isEqualTo(1);
    }

    @Test
    void e10_aRouteThatIsACoroutineAndSaysMarkerDoesNotStart() {
        assertRefused(
                MarkedSuspend.class,
                "@Idempotent MarkedSuspend.marked: its level is MARKER, but it responds asynchronously");
    }

    @Test
    void e10_aMethodThatIsACoroutineDoesNotStart() {
        assertRefused(SuspendService.class, "@Idempotent SuspendService.charge: suspend functions are not supported");
    }

    @Test
    void e10_aHandlerOfAChannelThatIsACoroutineDoesNotStart() {
        assertRefused(SuspendHandler.class, "@SemelChannel SuspendHandler.mail: suspend functions are not supported");
    }

    private static void assertRefused(Class<?> bean, String fault) {
        assertThatThrownBy(() -> start(Nothing.class, bean).close())
                .isInstanceOf(SemelException.Misconfigured.class)
                .hasMessageContaining(fault);
    }
}
