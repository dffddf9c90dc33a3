package dev.semel.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.operator.Operator;
import dev.semel.store.RecordFilter;
import dev.semel.store.State;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.http.HttpStatus;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.authentication.InsufficientAuthenticationException;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.multipart.MultipartFile;
import org.springframework.web.server.ResponseStatusException;

/** A caller whom a method refuses is answered by the application's own security, leaves no record and opens no breaker. */
class AccessDeniedTest {
    private static ConfigurableApplicationContext context;
    private static Web web;

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableMethodSecurity
    @Import(Vault.class)
    static class Application {
        @Bean
        UserDetailsService users() {
            return new InMemoryUserDetailsManager(
                    User.withUsername("ann")
                            .password("{noop}secret")
                            .roles("USER")
                            .build(),
                    User.withUsername("root")
                            .password("{noop}secret")
                            .roles("ADMIN")
                            .build());
        }

        @Bean
        SecurityFilterChain security(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
                    .httpBasic(Customizer.withDefaults())
                    .csrf(csrf -> csrf.disable())
                    .build();
        }
    }

    @RestController
    static class Vault {
        @PostMapping("/span")
        @Idempotent(level = Idempotent.Level.SPAN)
        @PreAuthorize("hasRole('ADMIN')")
        public String span() {
            return "open";
        }

        @PostMapping("/marker")
        @PreAuthorize("hasRole('ADMIN')")
        public String marker() {
            return "open";
        }

        @PostMapping("/plain")
        @Idempotent(level = Idempotent.Level.PLAIN)
        @PreAuthorize("hasRole('ADMIN')")
        public String plain() {
            return "open";
        }

        @PostMapping("/anonymous")
        @Idempotent(level = Idempotent.Level.PLAIN)
        public String anonymous() {
            throw new InsufficientAuthenticationException("log in again");
        }

        @PostMapping("/status/{status}")
        @Idempotent(level = Idempotent.Level.PLAIN)
        public String status(@PathVariable int status) {
            throw new ResponseStatusException(HttpStatus.valueOf(status), "no");
        }

        @PostMapping("/upload")
        @Idempotent(level = Idempotent.Level.PLAIN)
        public String upload(@RequestParam MultipartFile file) {
            return "stored";
        }

        @PostMapping("/locked")
        public String locked() {
            throw new OptimisticLockingFailureException("changed meanwhile");
        }
    }

    @BeforeAll
    static void start() {
        context = new SpringApplicationBuilder(Application.class)
                .properties(
                        "server.port=0",
                        "spring.datasource.url=" + Databases.SQLITE.fresh(),
                        "spring.main.banner-mode=off",
                        "spring.autoconfigure.exclude=" + Databases.JPA,
                        "semel.http.expert.breaker.failure-percent=50",
                        "semel.http.expert.breaker.calls=2")
                .run();
        web = new Web(
                Integer.parseInt(String.valueOf(context.getEnvironment().getProperty("local.server.port"))), "ann");
    }

    @AfterAll
    static void stop() {
        context.close();
    }

    private static void assertNoRecord(String operation) {
        Operator operator = context.getBean(Operator.class);
        for (State state : State.values()) {
            assertThat(operator.list(state, RecordFilter.ALL, RecordFilter.Cursor.START, 100))
                    .filteredOn(row -> row.header().operation().equals(operation))
                    .as(state + " of " + operation)
                    .isEmpty();
        }
    }

    /** Spring answers 500 for it before the handler is run. */
    @Test
    void wrongBodyForAMultipartRouteLeavesNoRecordAndOpensNoBreaker() {
        for (int i = 0; i < 4; i++) {
            assertThat(web.post("/upload", "k-1", "{}").statusCode()).isEqualTo(500);
        }
        assertNoRecord("POST /upload");
    }

    @Test
    void accessThatAMethodDeniesIsForbiddenLeavesNoRecordAndOpensNoBreaker() {
        for (String level : new String[] {"span", "marker", "plain"}) {
            for (int i = 0; i < 4; i++) {
                assertThat(web.post("/" + level, "k-1", null).statusCode())
                        .as(level)
                        .isEqualTo(403);
            }
            assertNoRecord("POST /" + level);
            assertThat(web.as("root").post("/" + level, "k-1", null).statusCode())
                    .as(level)
                    .isEqualTo(200);
        }
    }

    @Test
    void thrownRejectionOfAnyTypeLeavesNoRecord() {
        for (int i = 0; i < 4; i++) {
            assertThat(web.post("/anonymous", "k-1", null).statusCode()).isEqualTo(401);
            for (int status : new int[] {401, 403, 413, 429}) {
                assertThat(web.post("/status/" + status, "k-" + status, null).statusCode())
                        .isEqualTo(status);
            }
        }
        assertNoRecord("POST /anonymous");
        assertNoRecord("POST /status/{status}");
    }

    @Test
    void lostOptimisticLockIsAVersionMismatch() {
        for (int i = 0; i < 2; i++) {
            var response = web.post("/locked", "k-1", null);
            assertThat(response.statusCode()).isEqualTo(409);
            assertThat(response.body()).contains("concurrency.version_mismatch");
        }
    }
}
