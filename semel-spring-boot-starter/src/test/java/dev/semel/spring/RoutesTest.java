package dev.semel.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Channel;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Semel;
import dev.semel.Tenant;
import dev.semel.http.Hooks;
import dev.semel.http.Rule;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
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
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.multipart.MultipartFile;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;

/** Routes of Spring MVC as the filter sees them, of every kind that there is. */
class RoutesTest {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final AtomicInteger RUNS = new AtomicInteger();

    private static final AtomicBoolean REVOKED = new AtomicBoolean();
    private static final AtomicBoolean FAILS = new AtomicBoolean();
    private static final Channel.Leased<String> LETTERS = Channel.leased("letters", String.class);

    private static ConfigurableApplicationContext context;

    @RestController
    static class Files {
        @PutMapping("/files/**")
        String put(HttpServletRequest request) {
            return request.getRequestURI() + " " + RUNS.incrementAndGet();
        }

        @PutMapping("/any/*/file")
        String any(HttpServletRequest request) {
            return request.getRequestURI() + " " + RUNS.incrementAndGet();
        }

        @PutMapping("/form")
        String form(@RequestParam String a) {
            return a + " " + RUNS.incrementAndGet();
        }

        @PostMapping("/upload")
        String upload(@RequestParam MultipartFile file) throws IOException {
            return new String(file.getBytes(), StandardCharsets.UTF_8) + " " + RUNS.incrementAndGet();
        }

        @PostMapping("/silent")
        int silent() {
            return RUNS.incrementAndGet();
        }
    }

    @RestController
    static class Letters {
        private final Semel semel;

        Letters(Semel semel) {
            this.semel = semel;
        }

        @PostMapping("/letters")
        int send() {
            semel.send(LETTERS, Message.of(Tenant.SINGLE, Key.of("letter"), "hello"));
            int run = RUNS.incrementAndGet();
            if (FAILS.getAndSet(false)) {
                throw new IllegalStateException("after the letter");
            }
            return run;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Files.class, Letters.class})
    static class Application {
        @Bean
        SecurityFilterChain security(HttpSecurity http) throws Exception {
            return http.csrf(csrf -> csrf.disable()).build();
        }

        @Bean
        RouterFunction<ServerResponse> functions() {
            return RouterFunctions.route()
                    .POST(
                            "/function/**",
                            request -> ServerResponse.ok().body(request.path() + " " + RUNS.incrementAndGet()))
                    .POST("/silent/function", request -> ServerResponse.ok().body("" + RUNS.incrementAndGet()))
                    .build();
        }

        @Bean
        Hooks.Authorization authorization() {
            return (request, scope) -> !REVOKED.get();
        }

        @Bean
        SemelHttpAutoConfiguration.Customizer routes() {
            return settings ->
                    settings.withRoute("POST", "/silent", Rule.off()).withRoute("POST", "/silent/function", Rule.off());
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
                        "semel.policy.api.request.backoff=none",
                        "semel.http.anonymous=true")
                .run();
    }

    @AfterAll
    static void stop() {
        context.close();
    }

    private static HttpResponse<String> send(String method, String path, String key, String type, String body)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(
                        "http://localhost:" + context.getEnvironment().getProperty("local.server.port") + path))
                .header("Content-Type", type)
                .method(method, HttpRequest.BodyPublishers.ofString(body));
        if (!key.isEmpty()) {
            request.header("Idempotency-Key", key);
        }
        return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void wildcardValueIsPartOfThePayload() throws Exception {
        String[][] pairs = {
            {"PUT", "/files/a/1", "/files/a/2"},
            {"PUT", "/any/a/file", "/any/b/file"},
            {"POST", "/function/a", "/function/b"}
        };
        for (String[] pair : pairs) {
            String key = "k" + pair[1];
            String first = send(pair[0], pair[1], key, "text/plain", "x").body();
            assertThat(send(pair[0], pair[1], key, "text/plain", "x").body()).isEqualTo(first);
            assertThat(send(pair[0], pair[2], key, "text/plain", "x").body()).contains("idempotency.payload_mismatch");
        }
    }

    /** Its key would keep the message from being sent twice; but the second run might send another one, or none. */
    @Test
    void failureAfterASendOutsideATransactionIsUnknownBecauseTheSendIsCommitted() throws Exception {
        FAILS.set(true);
        assertThat(send("POST", "/letters", "k-letters", "text/plain", "").statusCode())
                .isEqualTo(500);
        int before = RUNS.get();
        assertThat(send("POST", "/letters", "k-letters", "text/plain", "").body())
                .contains("idempotency.outcome_unknown");
        assertThat(RUNS).hasValue(before);
    }

    @Test
    void formThatIsPutReachesItsHandler() throws Exception {
        String type = "application/x-www-form-urlencoded";
        HttpResponse<String> first = send("PUT", "/form", "k-form", type, "a=x&b=1");
        assertThat(first.statusCode()).as(first.body()).isEqualTo(200);
        assertThat(first.body()).startsWith("x ");
        assertThat(send("PUT", "/form", "k-form", type, "a=x&b=1").body()).isEqualTo(first.body());
        assertThat(send("PUT", "/form", "k-form", type, "a=y&b=1").body()).contains("idempotency.payload_mismatch");
    }

    @Test
    void uploadReachesItsHandler() throws Exception {
        String body =
                "--one\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\nhello\r\n--one--\r\n";
        HttpResponse<String> first = send("POST", "/upload", "k-up", "multipart/form-data; boundary=one", body);
        assertThat(first.body()).startsWith("hello ");
        assertThat(send("POST", "/upload", "k-up", "multipart/form-data; boundary=one", body)
                        .body())
                .isEqualTo(first.body());
    }

    @Test
    void e3_callerWithoutRightGetsNoStoredResponse() throws Exception {
        String first = send("PUT", "/files/e3", "k-e3", "text/plain", "x").body();
        assertThat(send("PUT", "/files/e3", "k-e3", "text/plain", "x").body()).isEqualTo(first);
        REVOKED.set(true);
        try {
            HttpResponse<String> refused = send("PUT", "/files/e3", "k-e3", "text/plain", "x");
            assertThat(refused.statusCode()).isEqualTo(403);
            assertThat(refused.body()).contains("request.forbidden").doesNotContain(first);
        } finally {
            REVOKED.set(false);
        }
    }

    @Test
    void customizerOverridesARoute() throws Exception {
        for (String path : new String[] {"/silent", "/silent/function"}) {
            assertThat(send("POST", path, "", "text/plain", "").statusCode())
                    .as(path)
                    .isEqualTo(200);
        }
    }
}
