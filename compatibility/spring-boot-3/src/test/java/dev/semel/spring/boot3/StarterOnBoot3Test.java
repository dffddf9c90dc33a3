package dev.semel.spring.boot3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.SemelException;
import dev.semel.spring.RetryingExchange;
import dev.semel.spring.RetryingInterceptor;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.orm.jpa.HibernateJpaAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.MediaType;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.http.client.reactive.JdkClientHttpConnector;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;

/** The same jar in an application of Spring Boot 3.5: Tomcat 10.1, Spring 6.2, Spring Security 6, Flyway, Actuator. */
class StarterOnBoot3Test {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final String ANN =
            "Basic " + Base64.getEncoder().encodeToString("ann:secret".getBytes(StandardCharsets.UTF_8));

    private static final String WITHOUT_JPA =
            "spring.autoconfigure.exclude=" + HibernateJpaAutoConfiguration.class.getName();

    @TempDir
    static Path directory;

    private static ConfigurableApplicationContext context;
    private static Shop shop;

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Shop.class)
    static class Application {
        @Bean
        SecurityFilterChain security(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
                    .httpBasic(Customizer.withDefaults())
                    .csrf(csrf -> csrf.disable())
                    .build();
        }
    }

    @BeforeAll
    static void start() {
        context = new SpringApplicationBuilder(Application.class)
                .properties(
                        "server.port=0",
                        "spring.main.banner-mode=off",
                        "spring.datasource.url=jdbc:sqlite:" + directory.resolve("shop.db"),
                        "spring.flyway.locations=classpath:db/shop",
                        WITHOUT_JPA,
                        "spring.security.user.name=ann",
                        "spring.security.user.password=secret",
                        "management.endpoints.web.exposure.include=health,semel,metrics",
                        "management.endpoint.health.show-details=always",
                        "management.endpoint.semel.access=unrestricted",
                        "semel.policy.api.request.backoff=none")
                .run();
        shop = context.getBean(Shop.class);
    }

    @AfterAll
    static void stop() {
        context.close();
    }

    private static String url(String path) {
        return "http://localhost:" + context.getEnvironment().getProperty("local.server.port") + path;
    }

    private static HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return CLIENT.send(
                HttpRequest.newBuilder(URI.create(url(path)))
                        .header("Authorization", ANN)
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private static HttpResponse<String> post(String path, @Nullable String key, String body)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url(path)))
                .header("Authorization", ANN)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body));
        if (key != null) {
            request.header("Idempotency-Key", key);
        }
        return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private static String order(String id, String fault) {
        return "{\"id\":\"" + id + "\",\"fault\":\"" + fault + "\"}";
    }

    @Test
    void thisIsSpringBoot3() {
        assertThat(SpringBootVersion.getVersion()).startsWith("3.5.");
    }

    @Test
    void retriedRequestGetsTheFirstResponse() throws Exception {
        HttpResponse<String> first = post("/orders", "k-1", order("o-1", ""));
        HttpResponse<String> again = post("/orders", "k-1", order("o-1", ""));
        assertThat(first.statusCode()).as(first.body()).isEqualTo(200);
        assertThat(again.body()).isEqualTo(first.body()).contains("o-1");
        assertThat(again.headers().firstValue("Idempotency-Replayed")).hasValue("true");
        assertThat(shop.rows("orders", "o-1")).isEqualTo(1);
        assertThat(post("/orders", "k-1", order("o-2", "")).statusCode()).isEqualTo(409);
        assertThat(post("/orders", null, order("o-2", "")).body()).contains("idempotency.key_required");
        assertThat(shop.rows("orders", "o-2")).isZero();
    }

    @Test
    void marker_failureAfterTheCommitIsNeverRepeated() throws Exception {
        assertThat(post("/orders", "k-3", order("o-3", "after the commit")).statusCode())
                .isGreaterThanOrEqualTo(500);
        HttpResponse<String> again = post("/orders", "k-3", order("o-3", "after the commit"));
        assertThat(again.statusCode()).as(again.body()).isEqualTo(409);
        assertThat(again.body()).contains("idempotency.outcome_unknown");
        assertThat(shop.rows("orders", "o-3")).isEqualTo(1);
    }

    @Test
    void span_effectAndResponseCommitTogether() throws Exception {
        assertThat(post("/spans", "k-4", order("o-4", "once")).statusCode()).isGreaterThanOrEqualTo(500);
        assertThat(shop.rows("orders", "o-4")).isZero();
        shop.insert("payment", "o-4");
        HttpResponse<String> second = post("/spans", "k-4", order("o-4", "once"));
        assertThat(second.statusCode()).as(second.body()).isEqualTo(200);
        assertThat(post("/spans", "k-4", order("o-4", "once")).body()).isEqualTo(second.body());
        assertThat(shop.rows("orders", "o-4")).isEqualTo(1);
    }

    @Test
    void aMethodThatIsCalledTwiceRunsOnceAndSendsOnce() {
        Shop.Receipt first = shop.charge(new Shop.Order("o-5", ""));
        assertThat(shop.charge(new Shop.Order("o-5", ""))).isEqualTo(first);
        assertThat(shop.rows("payment", "o-5")).isEqualTo(1);
        assertThatThrownBy(() -> shop.charge(new Shop.Order("o-5", "other")))
                .isInstanceOf(SemelException.NoResult.class);
        eventually(() -> shop.rows("mail", "o-5") == 1);
    }

    @Test
    void flywayInstallsTheLedger() {
        assertThat(context.getBean(JdbcTemplate.class)
                        .queryForList("SELECT description FROM flyway_schema_history", String.class))
                .containsExactlyInAnyOrder("shop", "Semel's ledger");
    }

    @Test
    void healthShowsTheStoreItsClassAndItsDeadLetters() throws Exception {
        HttpResponse<String> health = get("/actuator/health/semel");
        assertThat(health.statusCode()).as(health.body()).isEqualTo(200);
        assertThat(health.body())
                .contains("\"status\":\"UP\"", "\"class\":\"A\"", "\"mode\":\"LIVE\"", "\"deadLetters\":0");
        assertThat(get("/actuator/health").body()).contains("\"semel\"");
    }

    @Test
    void healthIsDownWhileTheLedgerIsUnavailable() throws Exception {
        JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
        jdbc.execute("ALTER TABLE semel_record RENAME TO semel_record_away");
        HttpResponse<String> away = get("/actuator/health/semel");
        jdbc.execute("ALTER TABLE semel_record_away RENAME TO semel_record");
        assertThat(away.statusCode()).isEqualTo(503);
        assertThat(away.body()).contains("\"status\":\"DOWN\"", "\"error\":");
        assertThat(get("/actuator/health/semel").statusCode()).isEqualTo(200);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Bare {}

    @Test
    void healthCanBeSwitchedOff() {
        assertThat(context.containsBean("semelHealthIndicator")).isTrue();
        try (ConfigurableApplicationContext bare = new SpringApplicationBuilder(Bare.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.main.banner-mode=off",
                        "spring.datasource.url=jdbc:sqlite:" + directory.resolve("bare.db"),
                        WITHOUT_JPA,
                        "management.health.semel.enabled=false")
                .run()) {
            assertThat(bare.containsBean("semelHealthIndicator")).isFalse();
        }
    }

    @Test
    void theEndpointSwitchesAndMetricsCount() throws Exception {
        HttpResponse<String> halted = post(
                "/actuator/semel/mode", null, "{\"operation\":\"other\",\"mode\":\"halted\",\"reason\":\"drill\"}");
        assertThat(halted.body()).contains("\"mode\":\"HALTED\"");
        assertThat(post("/actuator/semel/mode", null, "{\"operation\":\"other\",\"mode\":\"live\",\"reason\":\"over\"}")
                        .body())
                .contains("\"modes\":[]");
        post("/orders", "k-6", order("o-6", ""));
        assertThat(get("/actuator/metrics/semel.calls?tag=operation:POST%20/orders")
                        .body())
                .contains("\"name\":\"semel.calls\"", "answer");
    }

    @Test
    void bothClientsSendAKey() {
        RestClient.builder()
                .requestFactory(new JdkClientHttpRequestFactory())
                .requestInterceptor(context.getBean(RetryingInterceptor.class))
                .build()
                .post()
                .uri(url("/orders"))
                .header("Authorization", ANN)
                .contentType(MediaType.APPLICATION_JSON)
                .body(order("o-7", ""))
                .retrieve()
                .toBodilessEntity();
        WebClient.builder()
                .clientConnector(new JdkClientHttpConnector())
                .filter(context.getBean(RetryingExchange.class))
                .build()
                .post()
                .uri(url("/orders"))
                .header("Authorization", ANN)
                .contentType(MediaType.APPLICATION_JSON)
                .bodyValue(order("o-8", ""))
                .retrieve()
                .toBodilessEntity()
                .block(Duration.ofSeconds(60));
        assertThat(shop.rows("orders", "o-7")).isEqualTo(1);
        assertThat(shop.rows("orders", "o-8")).isEqualTo(1);
    }

    private static void eventually(java.util.function.BooleanSupplier condition) {
        long until = System.nanoTime() + Duration.ofSeconds(120).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("it came true in time").isLessThan(until);
            Thread.onSpinWait();
        }
    }
}
