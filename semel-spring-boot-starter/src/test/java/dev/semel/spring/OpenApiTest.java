package dev.semel.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What the OpenAPI description of springdoc says about protected routes. */
class OpenApiTest {
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Orders.class)
    static class Application {}

    @RestController
    static class Orders {
        @PostMapping("/orders")
        public String place() {
            return "placed";
        }

        @PutMapping("/orders/{id:[0-9]+}")
        @Idempotent(header = Idempotent.Header.OPTIONAL)
        public String change(@PathVariable String id) {
            return id;
        }

        @PostMapping("/searches")
        @Idempotent(header = Idempotent.Header.OFF)
        public String search() {
            return "found";
        }

        @PostMapping("/own")
        public String own(@RequestHeader("Idempotency-Key") String key) {
            return key;
        }

        @GetMapping("/orders")
        public String list() {
            return "none";
        }
    }

    private static JsonNode description(String... properties) {
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
                .properties(
                        "server.port=0",
                        "spring.datasource.url=" + Databases.SQLITE.fresh(),
                        "spring.main.banner-mode=off",
                        "spring.autoconfigure.exclude=" + Databases.JPA + "," + Web.SECURITY,
                        "semel.http.anonymous=true")
                .run(properties)) {
            return JsonMapper.shared()
                    .readTree(Web.of(context)
                            .send("GET", "/v3/api-docs", null, null)
                            .body());
        }
    }

    private static JsonNode keyOf(JsonNode operation) {
        List<JsonNode> keys = operation
                .path("parameters")
                .valueStream()
                .filter(parameter -> parameter.path("name").asString().equals("Idempotency-Key"))
                .toList();
        assertThat(keys).as(operation.toString()).hasSizeLessThan(2);
        return keys.isEmpty() ? JsonMapper.shared().missingNode() : keys.get(0);
    }

    @Test
    void protectedRoutesAreDocumentedWithKeyReplaysAndProblems() {
        JsonNode api = description("--springdoc.api-docs.enabled=true");
        JsonNode post = api.path("paths").path("/orders").path("post");
        JsonNode key = keyOf(post);
        assertThat(key.path("in").asString()).isEqualTo("header");
        assertThat(key.path("required").asBoolean()).isTrue();
        assertThat(key.path("schema").path("type").asString()).isEqualTo("string");
        assertThat(key.path("schema").path("maxLength").asInt()).isEqualTo(128);
        JsonNode responses = post.path("responses");
        assertThat(responses.path("200").path("headers").has("Idempotency-Replayed"))
                .isTrue();
        assertThat(responses.propertyNames()).contains("200", "400", "409", "410", "413", "503");
        JsonNode conflict = responses.path("409");
        JsonNode problem = conflict.path("content").path("application/problem+json");
        assertThat(problem.path("schema").path("$ref").asString()).isEqualTo("#/components/schemas/IdempotencyProblem");
        assertThat(problem.path("examples").propertyNames())
                .containsExactlyInAnyOrder(
                        "idempotency.payload_mismatch", "idempotency.in_progress", "idempotency.outcome_unknown");
        assertThat(problem.path("examples")
                        .path("idempotency.in_progress")
                        .path("value")
                        .path("type")
                        .asString())
                .isEqualTo("urn:semel:problem:idempotency.in_progress");
        assertThat(conflict.path("headers").has("Retry-After")).isTrue();
        assertThat(responses
                        .path("400")
                        .path("content")
                        .path("application/problem+json")
                        .path("examples")
                        .has("idempotency.key_required"))
                .isTrue();
        assertThat(api.path("components")
                        .path("schemas")
                        .path("IdempotencyProblem")
                        .path("properties")
                        .propertyNames())
                .contains("type", "title", "status", "detail", "code", "correlation_id", "next");

        JsonNode optional = api.path("paths").path("/orders/{id}").path("put");
        assertThat(keyOf(optional).path("required").asBoolean(true)).isFalse();
        assertThat(optional.path("responses")
                        .path("400")
                        .path("content")
                        .path("application/problem+json")
                        .path("examples")
                        .has("idempotency.key_required"))
                .isFalse();
        assertThat(keyOf(api.path("paths").path("/own").path("post"))
                        .path("required")
                        .asBoolean())
                .isTrue();
        for (JsonNode untouched : List.of(
                api.path("paths").path("/searches").path("post"),
                api.path("paths").path("/orders").path("get"))) {
            assertThat(untouched.isMissingNode()).isFalse();
            assertThat(keyOf(untouched).isMissingNode()).isTrue();
            assertThat(untouched.path("responses").has("409")).isFalse();
        }
    }

    @Test
    void ietfProfileIsDocumentedWithItsStatusAndTypesAndThePropertySwitchesTheDocumentationOff() {
        JsonNode api = description(
                "--springdoc.api-docs.enabled=true",
                "--semel.http.expert.ietf-documentation=https://example.org/keys",
                "--semel.http.keys=optional");
        JsonNode responses = api.path("paths").path("/orders").path("post").path("responses");
        assertThat(responses
                        .path("422")
                        .path("content")
                        .path("application/problem+json")
                        .path("examples")
                        .path("idempotency.payload_mismatch")
                        .path("value")
                        .path("type")
                        .asString())
                .isEqualTo("https://example.org/keys#idempotency.payload_mismatch");
        JsonNode off = description("--springdoc.api-docs.enabled=true", "--semel.expert.openapi=false");
        assertThat(off.path("paths").has("/orders")).isTrue();
        assertThat(keyOf(off.path("paths").path("/orders").path("post")).isMissingNode())
                .isTrue();
    }
}
