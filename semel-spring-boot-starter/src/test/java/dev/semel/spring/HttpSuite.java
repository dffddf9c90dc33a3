package dev.semel.spring;

import static dev.semel.spring.Web.order;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Key;
import dev.semel.Tenant;
import dev.semel.key.Identity;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

/** The contract of HTTP in a Spring Boot application with Spring Security, on Tomcat. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class HttpSuite {
    private static final Map<String, String> TENANTS = Map.of("ann", "acme", "amy", "acme", "bob", "globex");

    private final Databases database;
    private ConfigurableApplicationContext context;
    private PaymentController controller;
    private Web web;

    @SuppressWarnings("NullAway.Init")
    HttpSuite(Databases database) {
        this.database = database;
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(PaymentController.class)
    static class Application {
        @Bean
        TenantResolver tenants() {
            return () -> {
                var caller = SecurityContextHolder.getContext().getAuthentication();
                String tenant = caller == null ? null : TENANTS.get(caller.getName());
                return Optional.ofNullable(tenant).map(Tenant::of);
            };
        }

        @Bean
        UserDetailsService users() {
            InMemoryUserDetailsManager users = new InMemoryUserDetailsManager();
            for (String name : new String[] {"ann", "amy", "bob", "eve"}) {
                users.createUser(User.withUsername(name)
                        .password("{noop}secret")
                        .authorities("any")
                        .build());
            }
            return users;
        }

        @Bean
        SecurityFilterChain security(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.requestMatchers("/actuator/**")
                            .permitAll()
                            .anyRequest()
                            .authenticated())
                    .httpBasic(Customizer.withDefaults())
                    .csrf(csrf -> csrf.disable())
                    .build();
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
                        "spring.autoconfigure.exclude=" + Databases.JPA,
                        "management.endpoints.web.exposure.include=health,semel,metrics",
                        "management.endpoint.health.show-details=always",
                        "management.endpoint.semel.access=unrestricted",
                        "semel.http.status.path=/requests",
                        "semel.http.status.cancel=true",
                        "semel.policy.api.request.backoff=none")
                .run();
        context.getBean(JdbcTemplate.class).execute("CREATE TABLE payment (order_id TEXT NOT NULL)");
        controller = context.getBean(PaymentController.class);
        web = new Web(
                Integer.parseInt(String.valueOf(context.getEnvironment().getProperty("local.server.port"))), "ann");
    }

    @AfterAll
    void stop() {
        context.close();
    }

    @BeforeEach
    void forget() {
        controller.runs.set(0);
        controller.afterwards.set(0);
    }

    private static void assertProblem(HttpResponse<String> response, int status, String code) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
        assertThat(response.headers().firstValue("Content-Type"))
                .hasValueSatisfying(type -> assertThat(type).startsWith("application/problem+json"));
        assertThat(response.body()).contains("\"" + code + "\"");
    }

    private static boolean isReplay(HttpResponse<String> response) {
        return response.headers().firstValue("Idempotency-Replayed").isPresent();
    }

    @Test
    void retriedRequestGetsTheFirstResponse() {
        HttpResponse<String> first = web.post("/orders", "k-1", order("o-1", ""));
        HttpResponse<String> again = web.post("/orders", "k-1", order("o-1", ""));
        assertThat(first.statusCode()).isEqualTo(201);
        assertThat(again.statusCode()).isEqualTo(201);
        assertThat(again.body()).isEqualTo(first.body()).contains("o-1");
        assertThat(again.headers().firstValue("Location")).hasValue("/orders/o-1");
        assertThat(isReplay(first)).isFalse();
        assertThat(isReplay(again)).isTrue();
        assertThat(controller.paid("o-1")).isEqualTo(1);
        assertThat(controller.afterwards).hasValue(1);
    }

    @Test
    void onlyWritesNeedAKey() {
        assertProblem(web.post("/orders", null, order("none", "")), 400, "idempotency.key_required");
        assertProblem(web.send("DELETE", "/orders/none", null, null), 400, "idempotency.key_required");
        assertThat(web.send("GET", "/orders/none", null, null).body()).isEqualTo("0");
        assertThat(web.post("/free", null, null).body()).isEqualTo("1");
        assertThat(web.post("/free", "k-free", null).body()).isEqualTo("2");
        assertThat(web.post("/free", "k-free", null).body()).isEqualTo("3");
        assertThat(web.post("/no/such/route", null, null).statusCode()).isIn(404, 405);
        assertThat(web.send("PATCH", "/orders", null, "{}").statusCode()).isEqualTo(405);
        assertThat(web.as("nobody").post("/orders", "k", order("none", "")).statusCode())
                .isEqualTo(401);
    }

    @Test
    void reusedKeyIsAConflict() {
        web.post("/orders", "k-2", order("o-2", ""));
        assertProblem(web.post("/orders", "k-2", order("o-3", "")), 409, "idempotency.payload_mismatch");
        assertThat(controller.paid("o-3")).isZero();
        assertThat(web.send("DELETE", "/orders/x", "k-3", null).statusCode()).isEqualTo(200);
        assertProblem(web.send("DELETE", "/orders/y", "k-3", null), 409, "idempotency.payload_mismatch");
        assertThat(controller.paid("deleted-y")).isZero();
    }

    @Test
    void keysOfTwoUsersAndTwoTenantsAreSeparate() {
        for (String user : new String[] {"ann", "amy", "bob"}) {
            HttpResponse<String> response = web.as(user).post("/orders", "k-4", order("of-" + user, ""));
            assertThat(response.statusCode()).as(response.body()).isEqualTo(201);
            assertThat(controller.paid("of-" + user)).isEqualTo(1);
        }
        HttpResponse<String> nowhere = web.as("eve").post("/orders", "k-4", order("of-eve", ""));
        assertThat(nowhere.statusCode()).isEqualTo(403);
        assertThat(controller.paid("of-eve")).isZero();
    }

    @Test
    void marker_failureAfterTheCommitIsUnknownAndNeverRepeated() {
        assertThat(web.post("/orders", "k-5", order("o-5", "after the commit")).statusCode())
                .isGreaterThanOrEqualTo(500);
        assertProblem(web.post("/orders", "k-5", order("o-5", "after the commit")), 409, "idempotency.outcome_unknown");
        assertThat(controller.paid("o-5")).isEqualTo(1);
        assertThat(controller.runs).hasValue(1);
    }

    @Test
    void marker_failureBeforeTheCommitIsRetried() {
        assertThat(web.post("/orders", "k-6", order("o-6", "before the commit, once"))
                        .statusCode())
                .isGreaterThanOrEqualTo(500);
        assertThat(controller.paid("o-6")).isZero();
        assertThat(web.post("/orders", "k-6", order("o-6", "before the commit, once"))
                        .statusCode())
                .isEqualTo(201);
        assertThat(controller.paid("o-6")).isEqualTo(1);
    }

    @Test
    void marker_innerCommitIsNotTheEffectButMakesAFailureUnknown() {
        assertThat(web.post("/orders/o-7/apart", "k-7", null).statusCode()).isGreaterThanOrEqualTo(500);
        assertThat(controller.paid("o-7")).isZero();
        assertProblem(web.post("/orders/o-7/apart", "k-7", null), 409, "idempotency.outcome_unknown");
        assertThat(controller.paid("o-7-log")).isEqualTo(1);
    }

    @Test
    void span_effectAndResponseCommitTogether() {
        assertThat(web.post("/spans", "k-8", order("o-8", "once")).statusCode()).isGreaterThanOrEqualTo(500);
        assertThat(controller.paid("o-8")).isZero();
        HttpResponse<String> second = web.post("/spans", "k-8", order("o-8", "once"));
        assertThat(second.statusCode()).isEqualTo(200);
        assertThat(web.post("/spans", "k-8", order("o-8", "once")).body()).isEqualTo(second.body());
        assertThat(controller.paid("o-8")).isEqualTo(1);
    }

    @Test
    void span_responseOfARollbackOnlyTransactionIsNotSent() {
        assertThat(web.post("/spans", "k-9", order("o-9", "condemned")).statusCode())
                .isGreaterThanOrEqualTo(500);
        assertThat(controller.paid("o-9")).isZero();
    }

    @Test
    void plain_failureIsUnknownAndNotRepeated() {
        assertThat(web.post("/plain", "k-10", order("o-10", "anyway")).statusCode())
                .isGreaterThanOrEqualTo(500);
        assertProblem(web.post("/plain", "k-10", order("o-10", "anyway")), 409, "idempotency.outcome_unknown");
        assertThat(controller.paid("o-10")).isEqualTo(1);
    }

    @Test
    void asynchronousHandlerIsAnsweredOnce() {
        HttpResponse<String> first = web.post("/later", "k-11", order("o-11", ""));
        assertThat(first.body()).isEqualTo("o-11 1");
        assertThat(web.post("/later", "k-11", order("o-11", "")).body()).isEqualTo("o-11 1");
        assertThat(controller.paid("o-11")).isEqualTo(1);
    }

    @Test
    void healthShowsTheStoreItsClassAndItsDeadLetters() {
        HttpResponse<String> health = web.send("GET", "/actuator/health/semel", null, null);
        assertThat(health.statusCode()).isEqualTo(200);
        assertThat(health.body())
                .contains("\"status\":\"UP\"", "\"class\":\"", "\"mode\":\"LIVE\"", "\"deadLetters\":0");
    }

    @Test
    void endpointShowsAndSwitchesWithAReason() {
        assertThat(web.post("/actuator/semel/mode", null, "{\"mode\":\"halted\",\"reason\":\"drill\"}")
                        .statusCode())
                .isEqualTo(200);
        assertProblem(web.post("/orders", "k-12", order("o-12", "")), 503, "operation.halted");
        assertThat(web.send("GET", "/actuator/semel", null, null).body()).contains("\"mode\":\"HALTED\"");
        assertThat(web.post("/actuator/semel/mode", null, "{\"mode\":\"live\",\"reason\":\"over\"}")
                        .body())
                .contains("\"modes\":[]");
        assertThat(web.post("/orders", "k-12", order("o-12", "")).statusCode()).isEqualTo(201);
        assertThat(web.post("/actuator/semel/pause", null, "{\"operation\":\"mail\",\"reason\":\"their outage\"}")
                        .body())
                .contains("\"name\":\"mail\"", "\"waiting\":0", "\"unknown\":0", "their outage");
        assertThat(web.post("/actuator/semel/resume", null, "{\"operation\":\"mail\",\"reason\":\"back\"}")
                        .body())
                .doesNotContain("their outage");
        assertThat(web.post("/actuator/semel/mode", null, "{\"mode\":\"off\",\"reason\":\"?\"}")
                        .statusCode())
                .isEqualTo(400);
        assertThat(web.post("/actuator/semel/pause", null, "{\"operation\":\"mail\"}")
                        .statusCode())
                .isEqualTo(400);
    }

    private static String recordId(String user, String tenant, String key) {
        return Identity.of(Tenant.of(tenant), "POST /orders", Key.of("u:" + user + ":" + key))
                .id()
                .hex();
    }

    @Test
    void statusOfARequestIsServedToItsCallerOnly() {
        web.post("/orders", "k-20", order("o-20", ""));
        String path = "/requests/" + recordId("ann", "acme", "k-20");
        HttpResponse<String> own = web.send("GET", path, null, null);
        assertThat(own.statusCode()).isEqualTo(200);
        assertThat(own.body()).contains("\"state\":\"COMPLETED\"").doesNotContain("k-20");
        assertProblem(web.as("amy").send("GET", path, null, null), 404, "idempotency.not_found");
        assertProblem(web.as("bob").send("GET", path, null, null), 404, "idempotency.not_found");
        HttpResponse<String> cancelled = web.post(path + "/cancel", null, "{\"reason\":\"too late\"}");
        assertThat(cancelled.statusCode()).isEqualTo(409);
        assertThat(cancelled.body()).contains("\"outcome\":\"not_cancelled\"", "it is completed");
    }

    @Test
    void endpointShowsTheStatusByRecordAndByCorrelationIdAndCancels() {
        web.post("/orders", "k-21", order("o-21", ""));
        String id = recordId("ann", "acme", "k-21");
        HttpResponse<String> status = web.send("GET", "/actuator/semel/status?record=" + id, null, null);
        assertThat(status.statusCode()).isEqualTo(200);
        assertThat(status.body())
                .contains("\"id\":\"" + id + "\"", "\"state\":\"COMPLETED\"")
                .doesNotContain("k-21");
        String correlation = status.body().replaceAll(".*\"correlation_id\":\"([^\"]*)\".*", "$1");
        assertThat(web.send("GET", "/actuator/semel/status?tenant=acme&correlation=" + correlation, null, null)
                        .body())
                .contains("\"calls\":[", id);
        assertThat(web.send("GET", "/actuator/semel/status?tenant=globex&correlation=" + correlation, null, null)
                        .statusCode())
                .isEqualTo(404);
        assertThat(web.send("GET", "/actuator/semel/status?record=" + "0".repeat(64), null, null)
                        .statusCode())
                .isEqualTo(404);
        assertThat(web.send("GET", "/actuator/semel/status", null, null).statusCode())
                .isEqualTo(400);
        assertThat(web.post("/actuator/semel/cancel/" + id, null, "{\"reason\":\"drill\"}")
                        .body())
                .contains("\"outcome\":\"not_cancelled\"");
        assertThat(web.post("/actuator/semel/cancel/" + id, null, "{\"reason\":\" \"}")
                        .statusCode())
                .isEqualTo(400);
    }

    @Test
    void endpointShowsOfAFailureItsCategoryAndNotTheMessageOfAnException() {
        web.post("/spans", "k-22", order("o-22", "once"));
        String id = Identity.of(Tenant.of("acme"), "POST /spans", Key.of("u:ann:k-22"))
                .id()
                .hex();
        HttpResponse<String> status = web.send("GET", "/actuator/semel/status?record=" + id, null, null);
        assertThat(status.body()).contains("FAILED_RETRYABLE", "\"category\"").doesNotContain("IllegalState");
        String correlation = status.body().replaceAll(".*\"correlation_id\":\"([^\"]*)\".*", "$1");
        assertThat(web.send("GET", "/actuator/semel/status?tenant=acme&correlation=" + correlation, null, null)
                        .body())
                .contains(id)
                .doesNotContain("IllegalState");
    }

    @Test
    void callsAreCounted() {
        web.post("/orders", "k-13", order("o-13", ""));
        assertThat(web.send("GET", "/actuator/metrics/semel.calls?tag=operation:POST%20/orders", null, null)
                        .body())
                .contains("\"name\":\"semel.calls\"", "answer");
    }
}
