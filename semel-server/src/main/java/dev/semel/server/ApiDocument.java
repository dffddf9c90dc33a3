package dev.semel.server;

import dev.semel.console.admin.AdminCode;
import dev.semel.console.admin.AdminEndpoints;
import dev.semel.console.admin.AdminSchemas;
import dev.semel.console.rest.ApiCode;
import dev.semel.console.rest.OpenApi;
import dev.semel.console.rest.OpenApi.ApiPart;
import dev.semel.console.rest.ProblemKind;
import dev.semel.server.api.ApiEndpoints;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** The OpenAPI document of the server, made of the tables by which it dispatches requests. */
final class ApiDocument {
    private ApiDocument() {}

    /** Made at its first use. */
    private static final class Text {
        static final String WHOLE = JsonMapper.builder()
                .enable(SerializationFeature.INDENT_OUTPUT)
                .build()
                .writeValueAsString(members());
    }

    static String text() {
        return Text.WHOLE;
    }

    static Map<String, Object> members() {
        List<ProblemKind> common = List.of(ApiCode.values());
        List<ProblemKind> ofOperators = new ArrayList<>(common);
        ofOperators.addAll(List.of(AdminCode.values()));
        return OpenApi.document(
                "Semel server",
                "Runs operations once and sends messages, for programs in any language; and everything that an operator does."
                        + " Every request carries a bearer token.",
                List.of(
                        new ApiPart("programs", ApiEndpoints.all(), Map.of(), ApiEndpoints.schemas(), common),
                        new ApiPart(
                                "operators",
                                AdminEndpoints.all(),
                                AdminEndpoints.notes(),
                                AdminSchemas.all(),
                                ofOperators)));
    }
}
