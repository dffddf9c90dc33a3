package dev.semel.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** Two versions of one interface, as Spring 7 tells them apart. */
class ApiVersionTest {
    private static final AtomicInteger RUNS = new AtomicInteger();

    @RestController
    static class Orders {
        @PostMapping(path = "/orders", version = "1")
        String first() {
            return "one " + RUNS.incrementAndGet();
        }

        @PostMapping(path = "/orders", version = "2+")
        String second() {
            return "two " + RUNS.incrementAndGet();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Orders.class)
    static class Application {
        @Bean
        SecurityFilterChain security(HttpSecurity http) throws Exception {
            return http.csrf(csrf -> csrf.disable()).build();
        }
    }

    private static String body(HttpResponse<String> response) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return response.body();
    }

    private static ConfigurableApplicationContext start(String... properties) {
        return new SpringApplicationBuilder(Application.class)
                .properties(
                        "server.port=0",
                        "spring.main.banner-mode=off",
                        "spring.autoconfigure.exclude=" + Databases.ALL,
                        "spring.mvc.apiversion.use.query-parameter=v",
                        "semel.store=memory:",
                        "semel.http.anonymous=true")
                .properties(properties)
                .run();
    }

    @Test
    void e1_equalKeysOfTwoVersionsAreDifferentKeys() {
        try (ConfigurableApplicationContext context = start()) {
            Web web = Web.of(context);
            String first = body(web.post("/orders?v=1", "k", null));
            String second = body(web.post("/orders?v=2", "k", null));
            assertThat(first).startsWith("one ");
            assertThat(second).startsWith("two ");
            assertThat(body(web.post("/orders?v=1", "k", null))).isEqualTo(first);
            assertThat(body(web.post("/orders?v=2", "k", null))).isEqualTo(second);
        }
    }

    @Test
    void oldScopeSharesKeysOfTwoVersions() {
        try (ConfigurableApplicationContext context = start("semel.http.expert.keys-by-issuer-and-version=false")) {
            Web web = Web.of(context);
            body(web.post("/orders?v=1", "k", null));
            assertThat(web.post("/orders?v=2", "k", null).body()).contains("idempotency.payload_mismatch");
        }
    }
}
