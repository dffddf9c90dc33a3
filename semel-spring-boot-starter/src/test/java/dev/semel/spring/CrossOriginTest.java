package dev.semel.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.CrossOrigin;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.UrlBasedCorsConfigurationSource;
import org.springframework.web.filter.CorsFilter;
import org.springframework.web.servlet.config.annotation.CorsRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** Browsers of another origin are shown replays and refusals as they are shown first answers, and forbidden ones nothing. */
class CrossOriginTest {
    private static final String FRIEND = "https://shop.example";
    private static final String STRANGER = "https://evil.example";

    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private static final Map<String, ConfigurableApplicationContext> CONTEXTS = new HashMap<>();

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Till.class)
    static class ByMapping {
        @Bean
        WebMvcConfigurer origins() {
            return new WebMvcConfigurer() {
                @Override
                public void addCorsMappings(CorsRegistry registry) {
                    registry.addMapping("/mapped/**").allowedOrigins(FRIEND).exposedHeaders("Idempotency-Replayed");
                }
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Till.class)
    static class ByFilter {
        /** Without an order, so Spring Boot puts it behind the Idempotency-Key filter. */
        @Bean
        CorsFilter corsFilter() {
            CorsConfiguration allowed = new CorsConfiguration();
            allowed.setAllowedOrigins(List.of(FRIEND));
            allowed.setAllowedMethods(List.of("POST"));
            allowed.setAllowedHeaders(List.of("Idempotency-Key"));
            allowed.setExposedHeaders(List.of("Idempotency-Replayed"));
            UrlBasedCorsConfigurationSource paths = new UrlBasedCorsConfigurationSource();
            paths.setCorsConfigurations(Map.of("/filtered/**", allowed));
            return new CorsFilter(paths);
        }
    }

    @RestController
    static class Till {
        final AtomicInteger runs = new AtomicInteger();

        private String answer(String what) {
            int run = runs.incrementAndGet();
            if (what.equals("fails")) {
                throw new IllegalStateException("on purpose");
            }
            return "run " + run;
        }

        @PostMapping("/annotated/{what}")
        @CrossOrigin(origins = FRIEND, exposedHeaders = "Idempotency-Replayed")
        public String annotated(@PathVariable String what) {
            return answer(what);
        }

        @PostMapping("/mapped/{what}")
        public String mapped(@PathVariable String what) {
            return answer(what);
        }

        @PostMapping("/filtered/{what}")
        public String filtered(@PathVariable String what) {
            return answer(what);
        }
    }

    @BeforeAll
    static void start() {
        CONTEXTS.put("annotated", started(ByMapping.class));
        CONTEXTS.put("mapped", CONTEXTS.get("annotated"));
        CONTEXTS.put("filtered", started(ByFilter.class));
    }

    private static ConfigurableApplicationContext started(Class<?> application) {
        return new SpringApplicationBuilder(application)
                .properties(
                        "server.port=0",
                        "spring.datasource.url=" + Databases.SQLITE.fresh(),
                        "spring.main.banner-mode=off",
                        "spring.autoconfigure.exclude=" + Databases.JPA + "," + Web.SECURITY,
                        "semel.http.anonymous=true")
                .run();
    }

    @AfterAll
    static void stop() {
        CONTEXTS.values().forEach(ConfigurableApplicationContext::close);
    }

    private static AtomicInteger runs(String how) {
        return CONTEXTS.get(how).getBean(Till.class).runs;
    }

    private static HttpResponse<String> send(
            String method, String path, @Nullable String key, @Nullable String origin, String... headers) {
        String port =
                String.valueOf(CONTEXTS.get(path.split("/")[1]).getEnvironment().getProperty("local.server.port"));
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                .method(method, HttpRequest.BodyPublishers.noBody());
        if (key != null) {
            request.header("Idempotency-Key", key);
        }
        if (origin != null) {
            request.header("Origin", origin);
        }
        if (headers.length > 0) {
            request.headers(headers);
        }
        try {
            return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static void assertShownToFriend(HttpResponse<String> response) {
        assertThat(response.headers().allValues("Access-Control-Allow-Origin"))
                .as("%s %s", response.statusCode(), response.body())
                .containsExactly(FRIEND);
        assertThat(response.headers().allValues("Access-Control-Expose-Headers"))
                .containsExactly("Idempotency-Replayed");
        assertThat(response.headers().allValues("Vary"))
                .containsExactlyInAnyOrder("Origin", "Access-Control-Request-Method", "Access-Control-Request-Headers");
    }

    @ParameterizedTest
    @ValueSource(strings = {"annotated", "mapped", "filtered"})
    void e13_firstAnswersReplaysAndRefusalsHaveTheirHeadersExactlyOnce(String how) {
        String path = "/" + how + "/works";
        HttpResponse<String> first = send("POST", path, "k-1", FRIEND);
        HttpResponse<String> again = send("POST", path, "k-1", FRIEND);
        assertThat(first.statusCode()).isEqualTo(200);
        assertThat(again.body()).isEqualTo(first.body());
        assertThat(again.headers().firstValue("Idempotency-Replayed")).hasValue("true");
        HttpResponse<String> withoutKey = send("POST", path, null, FRIEND);
        assertThat(withoutKey.body()).contains("idempotency.key_required");
        HttpResponse<String> conflict = send("POST", "/" + how + "/other", "k-1", FRIEND);
        assertThat(conflict.body()).contains("idempotency.payload_mismatch");
        HttpResponse<String> failed = send("POST", "/" + how + "/fails", "k-fails", FRIEND);
        assertThat(failed.statusCode()).isEqualTo(500);
        for (HttpResponse<String> each : List.of(first, again, withoutKey, conflict, failed)) {
            assertShownToFriend(each);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"annotated", "mapped", "filtered"})
    void e13_forbiddenOriginIsRefusedBeforeAReplayAndLeavesNoRecord(String how) {
        String path = "/" + how + "/works";
        String body = send("POST", path, "k-2", FRIEND).body();
        int runs = runs(how).get();
        for (String key : new String[] {"k-2", "k-never"}) {
            HttpResponse<String> refused = send("POST", path, key, STRANGER);
            assertThat(refused.statusCode()).isEqualTo(403);
            assertThat(refused.body()).isEqualTo("Invalid CORS request").isNotEqualTo(body);
            assertThat(refused.headers().map())
                    .doesNotContainKeys("access-control-allow-origin", "idempotency-replayed");
        }
        assertThat(runs(how)).hasValue(runs);
        HttpResponse<String> allowed = send("POST", path, "k-never", FRIEND);
        assertThat(allowed.statusCode()).isEqualTo(200);
        assertThat(allowed.headers().firstValue("Idempotency-Replayed")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"annotated", "mapped", "filtered"})
    void e13_replayOfOneOriginCarriesNothingOfTheFirst(String how) {
        String path = "/" + how + "/works";
        assertThat(send("POST", path, "k-3", FRIEND).statusCode()).isEqualTo(200);
        HttpResponse<String> sameOrigin = send("POST", path, "k-3", null);
        assertThat(sameOrigin.headers().firstValue("Idempotency-Replayed")).hasValue("true");
        assertThat(sameOrigin.headers().map())
                .doesNotContainKeys("access-control-allow-origin", "access-control-expose-headers");
    }

    @ParameterizedTest
    @ValueSource(strings = {"annotated", "mapped", "filtered"})
    void e13_preflightIsAnsweredAsWithoutTheFilter(String how) {
        int runs = runs(how).get();
        HttpResponse<String> allowed = send(
                "OPTIONS",
                "/" + how + "/works",
                null,
                FRIEND,
                "Access-Control-Request-Method",
                "POST",
                "Access-Control-Request-Headers",
                "Idempotency-Key");
        assertThat(allowed.statusCode()).isEqualTo(200);
        assertThat(allowed.headers().allValues("Access-Control-Allow-Origin")).containsExactly(FRIEND);
        assertThat(allowed.headers().firstValue("Access-Control-Allow-Headers")).hasValue("Idempotency-Key");
        assertThat(runs(how)).hasValue(runs);
    }
}
