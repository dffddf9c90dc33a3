package dev.semel.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Tenant;
import dev.semel.testkit.PrivatePostgres;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** A service without a data source, whose ledger has a store of its own, on a real server; callers may be anonymous. */
class StoreOfItsOwnTest {
    private static final AtomicInteger RUNS = new AtomicInteger();

    @TempDir
    static Path directory;

    @RestController
    static class Counter {
        @PostMapping("/count")
        int count() {
            return RUNS.incrementAndGet();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Counter.class)
    static class Application {
        /** Nobody can tell the tenant of eve. */
        @Bean
        TenantResolver tenants() {
            return () -> {
                var caller = SecurityContextHolder.getContext().getAuthentication();
                return caller != null && caller.getName().equals("eve")
                        ? Optional.empty()
                        : Optional.of(Tenant.of("acme"));
            };
        }

        @Bean
        UserDetailsService users() {
            InMemoryUserDetailsManager users = new InMemoryUserDetailsManager();
            for (String name : new String[] {"ann", "bob", "eve"}) {
                users.createUser(User.withUsername(name)
                        .password("{noop}secret")
                        .authorities("any")
                        .build());
            }
            return users;
        }

        @Bean
        SecurityFilterChain security(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                    .httpBasic(Customizer.withDefaults())
                    .csrf(csrf -> csrf.disable())
                    .build();
        }
    }

    private static ConfigurableApplicationContext start(String store) {
        return new SpringApplicationBuilder(Application.class)
                .properties(
                        "server.port=0",
                        "spring.main.banner-mode=off",
                        "spring.autoconfigure.exclude=" + Databases.ALL,
                        "semel.store=" + store,
                        "semel.http.anonymous=true")
                .run();
    }

    private static Web web(ConfigurableApplicationContext context, @Nullable String user) {
        return new Web(
                Integer.parseInt(String.valueOf(context.getEnvironment().getProperty("local.server.port"))), user);
    }

    private static void assertProtects(String store) {
        try (ConfigurableApplicationContext context = start(store)) {
            Web ann = web(context, "ann");
            HttpResponse<String> first = ann.post("/count", "k-1", null);
            assertThat(first.statusCode()).as(store + ": " + first.body()).isEqualTo(200);
            HttpResponse<String> again = ann.post("/count", "k-1", null);
            assertThat(again.body()).as(store).isEqualTo(first.body());
            assertThat(again.headers().firstValue("Idempotency-Replayed")).hasValue("true");
            assertThat(ann.post("/count", null, null).statusCode()).isEqualTo(400);
        }
    }

    @Test
    void ledgerInAFileStartsAndProtects() {
        assertProtects("sqlite:" + directory.resolve("own.db"));
    }

    @Test
    void ledgerOnAServerStartsAndProtects() {
        assertProtects(PrivatePostgres.shared().url(PrivatePostgres.shared().freshDatabase()));
    }

    @Test
    void e1_e2_anonymousSettingKeepsSeparateScopesForAuthenticatedCallers() {
        assertProtects("memory:");
        try (ConfigurableApplicationContext context = start("memory:")) {
            String ann = web(context, "ann").post("/count", "k-2", null).body();
            String bob = web(context, "bob").post("/count", "k-2", null).body();
            String nobody = web(context, null).post("/count", "k-2", null).body();
            assertThat(new String[] {ann, bob, nobody}).doesNotHaveDuplicates();
            assertThat(web(context, "ann").post("/count", "k-2", null).body()).isEqualTo(ann);
            assertThat(web(context, "bob").post("/count", "k-2", null).body()).isEqualTo(bob);
            assertThat(web(context, null).post("/count", "k-2", null).body()).isEqualTo(nobody);
        }
    }

    @Test
    void e1_unknownTenantIsNotTheSingleTenant() {
        try (ConfigurableApplicationContext context = start("memory:")) {
            int before = RUNS.get();
            HttpResponse<String> refused = web(context, "eve").post("/count", "k-3", null);
            assertThat(refused.statusCode()).as(refused.body()).isEqualTo(403);
            assertThat(refused.body()).contains("request.no_tenant");
            assertThat(RUNS).hasValue(before);
        }
    }
}
