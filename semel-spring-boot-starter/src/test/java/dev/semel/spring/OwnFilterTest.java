package dev.semel.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Semel;
import dev.semel.http.IdempotencyFilter;
import dev.semel.http.Rule;
import java.net.http.HttpResponse;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** A filter of the application's own knows nothing of annotations: what is annotated and is not protected by it is not run. */
class OwnFilterTest {
    private static final AtomicInteger RUNS = new AtomicInteger();

    @RestController
    static class Orders {
        @PostMapping("/annotated")
        @Idempotent(header = Idempotent.Header.REQUIRED)
        int annotated() {
            return RUNS.incrementAndGet();
        }

        @PostMapping("/off")
        @Idempotent(header = Idempotent.Header.OFF)
        int off() {
            return RUNS.incrementAndGet();
        }

        @PostMapping("/plain")
        int plain() {
            return RUNS.incrementAndGet();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Orders.class)
    static class Application {}

    /** The engine is the application's, too. */
    @Configuration(proxyBeanMethods = false)
    static class OwnEngine {
        @Bean
        Semel semel() {
            return Semel.open("memory:");
        }

        @Bean
        IdempotencyFilter filter(Semel semel) {
            return off(semel);
        }
    }

    /** Beside the engine that the starter opens. */
    @Configuration(proxyBeanMethods = false)
    static class OwnFilterOnly {
        @Bean
        IdempotencyFilter filter() {
            return off(Semel.open("memory:"));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Protecting {
        @Bean
        Semel semel() {
            return Semel.open("memory:");
        }

        @Bean
        IdempotencyFilter filter(Semel semel) {
            return IdempotencyFilter.on(semel)
                    .withSingleTenant()
                    .withAnonymousCallers()
                    .build();
        }
    }

    private static IdempotencyFilter off(Semel semel) {
        return IdempotencyFilter.on(semel)
                .withSingleTenant()
                .withAnonymousCallers()
                .withDefault(Rule.off())
                .build();
    }

    private static ConfigurableApplicationContext start(Class<?> source, String... properties) {
        return new SpringApplicationBuilder(Application.class, source)
                .properties(
                        "server.port=0",
                        "spring.main.banner-mode=off",
                        "spring.autoconfigure.exclude=" + Databases.ALL + "," + Web.SECURITY)
                .properties(properties)
                .run();
    }

    private static void assertOnlyWhatIsOffRuns(ConfigurableApplicationContext context) {
        Web web = Web.of(context);
        int before = RUNS.get();
        HttpResponse<String> refused = web.post("/annotated", "k-1", null);
        assertThat(refused.body()).contains("idempotency.not_protected");
        assertThat(refused.statusCode()).isEqualTo(500);
        assertThat(RUNS).hasValue(before);
        assertThat(web.post("/off", "k-1", null).statusCode()).isEqualTo(200);
        assertThat(web.post("/plain", "k-1", null).statusCode()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"true", "false"})
    void e12_annotatedRouteIsNotRunBehindADisabledFilterOfTheApplication(String enabled) {
        try (ConfigurableApplicationContext context = start(OwnEngine.class, "semel.http.enabled=" + enabled)) {
            assertOnlyWhatIsOffRuns(context);
        }
    }

    @Test
    void e12_annotatedRouteIsNotRunBehindSuchAFilterWithTheStartersEngine() {
        try (ConfigurableApplicationContext context = start(OwnFilterOnly.class, "semel.store=memory:")) {
            assertOnlyWhatIsOffRuns(context);
        }
    }

    @Test
    void routeBehindTheApplicationsFilterRunsOnce() {
        try (ConfigurableApplicationContext context = start(Protecting.class)) {
            Web web = Web.of(context);
            for (String path : new String[] {"/annotated", "/plain"}) {
                String first = web.post(path, path, null).body();
                HttpResponse<String> again = web.post(path, path, null);
                assertThat(again.body()).as(path).isEqualTo(first);
                assertThat(again.headers().firstValue("Idempotency-Replayed")).hasValue("true");
            }
        }
    }
}
