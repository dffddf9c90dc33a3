package dev.semel.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.console.admin.AdminCode;
import dev.semel.console.admin.AdminEndpoints;
import dev.semel.console.admin.AdminSchemas;
import dev.semel.console.rest.ApiCode;
import dev.semel.console.rest.Endpoint;
import dev.semel.console.rest.Field;
import dev.semel.console.rest.ObjectSchema;
import dev.semel.server.api.ApiEndpoints;
import dev.semel.testkit.Scratch;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The OpenAPI document holds what the code serves. That answers are as it says is checked by every test of the two APIs. */
class ApiDocumentTest {
    private static final JsonNode DOCUMENT = JsonMapper.shared().readTree(ApiDocument.text());

    private static List<Endpoint> endpoints() {
        return Stream.concat(ApiEndpoints.all().stream(), AdminEndpoints.all().stream())
                .toList();
    }

    @Test
    void everyEndpointIsDocumentedAndNoOther() {
        Set<String> documented = new TreeSet<>();
        DOCUMENT.path("paths")
                .properties()
                .forEach(path -> path.getValue()
                        .propertyNames()
                        .forEach(method -> documented.add(method.toUpperCase(Locale.ROOT) + " " + path.getKey())));
        List<String> served = endpoints().stream()
                .map(endpoint -> endpoint.method() + " " + endpoint.path())
                .toList();
        assertThat(served).doesNotHaveDuplicates();
        assertThat(documented).containsExactlyInAnyOrderElementsOf(served);
    }

    @Test
    void everyParameterAndMemberOfARequestIsDocumentedAndNoOther() {
        for (Endpoint endpoint : endpoints()) {
            JsonNode operation = DOCUMENT.path("paths")
                    .path(endpoint.path())
                    .path(endpoint.method().toLowerCase(Locale.ROOT));
            List<String> parameters = operation.path("parameters").values().stream()
                    .map(each -> each.path("name").asString())
                    .toList();
            List<String> expected = new ArrayList<>(endpoint.pathNames());
            endpoint.input().query().forEach(field -> expected.add(field.name()));
            assertThat(parameters).as(endpoint.path()).containsExactlyElementsOf(expected);
            for (String type : endpoint.input().bodyTypes()) {
                JsonNode schema =
                        operation.path("requestBody").path("content").path(type).path("schema");
                assertThat(schema.path("properties").propertyNames())
                        .as(endpoint.path())
                        .containsExactlyInAnyOrderElementsOf(endpoint.input().body().stream()
                                .map(Field::name)
                                .toList());
            }
        }
    }

    @Test
    void everyCodeIsDocumentedAndNoOther() {
        List<String> common = Arrays.stream(ApiCode.values()).map(ApiCode::code).toList();
        List<String> operators = new ArrayList<>(common);
        Arrays.stream(AdminCode.values()).map(AdminCode::code).forEach(operators::add);
        assertThat(codes("ProgramsProblem")).containsExactlyInAnyOrderElementsOf(common);
        assertThat(codes("OperatorsProblem")).containsExactlyInAnyOrderElementsOf(operators);
    }

    private static List<String> codes(String schema) {
        return DOCUMENT.at("/components/schemas/" + schema + "/properties/code/enum").values().stream()
                .map(JsonNode::asString)
                .toList();
    }

    @Test
    void everySchemaHasAUseAndEveryReferenceASchema() {
        List<ObjectSchema> schemas = Stream.concat(ApiEndpoints.schemas().stream(), AdminSchemas.all().stream())
                .distinct()
                .toList();
        assertThat(schemas.stream().map(ObjectSchema::name)).doesNotHaveDuplicates();
        Set<String> referred = new HashSet<>();
        references(DOCUMENT, referred);
        assertThat(DOCUMENT.at("/components/schemas").propertyNames()).containsExactlyInAnyOrderElementsOf(referred);
        List<String> ids = new ArrayList<>();
        DOCUMENT.path("paths")
                .forEach(path ->
                        path.forEach(each -> ids.add(each.path("operationId").asString())));
        assertThat(ids).doesNotHaveDuplicates().hasSize(endpoints().size());
    }

    private static void references(JsonNode node, Set<String> found) {
        if (node.has("$ref")) {
            found.add(node.path("$ref").asString().replaceFirst(".*/", ""));
        }
        node.forEach(each -> references(each, found));
    }

    @Test
    void documentIsServedToEverybody() throws Exception {
        String store = "sqlite:" + Scratch.directory("document").resolve("ledger.db");
        try (SemelServer server = SemelServer.start(TestConfig.of(store, 0))) {
            HttpRequest request = HttpRequest.newBuilder(URI.create(server.uri() + "/api/v1/openapi.json"))
                    .build();
            HttpResponse<String> response =
                    HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(JsonMapper.shared().readTree(response.body())).isEqualTo(DOCUMENT);
            assertThat(DOCUMENT.path("openapi").asString()).isEqualTo("3.1.0");
        }
    }
}
