package dev.semel.console.rest;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;

/** Makes an OpenAPI 3.1 document of tables of endpoints. */
public final class OpenApi {
    private static final String SCHEMAS = "#/components/schemas/";

    private OpenApi() {}

    /**
     * A part of an API.
     *
     * @param tag its name
     * @param notes more about an endpoint, by endpoint
     * @param codes that its problems may have
     */
    public record ApiPart(
            String tag,
            List<Endpoint> endpoints,
            Map<Endpoint, String> notes,
            List<ObjectSchema> schemas,
            List<ProblemKind> codes) {
        public ApiPart {
            endpoints = List.copyOf(endpoints);
            notes = Map.copyOf(notes);
            schemas = List.copyOf(schemas);
            codes = List.copyOf(codes);
        }
    }

    /** The document, as JSON is written of it. */
    public static Map<String, Object> document(String title, String description, List<ApiPart> parts) {
        Map<String, Object> paths = new LinkedHashMap<>();
        Map<String, Object> schemas = new LinkedHashMap<>();
        for (ApiPart part : parts) {
            part.endpoints.forEach(endpoint -> pathOf(paths, endpoint.path())
                    .put(endpoint.method().toLowerCase(Locale.ROOT), operation(part, endpoint)));
            part.schemas.forEach(schema -> schemas.put(schema.name(), schema(schema)));
            schemas.put(problemName(part), problem(part));
        }
        Map<String, Object> token = Map.of("type", "http", "scheme", "bearer");
        Map<String, Object> components = new LinkedHashMap<>();
        components.put("schemas", schemas);
        components.put("securitySchemes", Map.of("token", token));
        Map<String, Object> info = new LinkedHashMap<>();
        info.put("title", title);
        info.put("version", "1");
        info.put("description", description);
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("openapi", "3.1.0");
        document.put("info", info);
        document.put("servers", List.of(Map.of("url", "/api/v1")));
        document.put("security", List.of(Map.of("token", List.of())));
        document.put(
                "tags", parts.stream().map(part -> Map.of("name", part.tag)).toList());
        document.put("paths", paths);
        document.put("components", components);
        return document;
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> pathOf(Map<String, Object> paths, String path) {
        return (Map<String, Object>) paths.computeIfAbsent(path, any -> new LinkedHashMap<String, Object>());
    }

    private static Map<String, Object> operation(ApiPart part, Endpoint endpoint) {
        Map<String, Object> operation = new LinkedHashMap<>();
        operation.put("operationId", id(endpoint));
        operation.put("tags", List.of(part.tag));
        operation.put("summary", endpoint.summary());
        String note = part.notes.get(endpoint);
        if (note != null) {
            operation.put("description", note);
        }
        List<Map<String, Object>> parameters = new ArrayList<>();
        endpoint.pathNames()
                .forEach(name ->
                        parameters.add(parameter("path", Field.string(name, "").always())));
        endpoint.input().query().forEach(field -> parameters.add(parameter("query", field)));
        if (!parameters.isEmpty()) {
            operation.put("parameters", parameters);
        }
        if (!endpoint.input().bodyTypes().isEmpty()) {
            operation.put("requestBody", body(endpoint));
        }
        operation.put("responses", responses(part, endpoint));
        return operation;
    }

    /** {@code GET /records/{record}/story} is {@code getRecordsRecordStory}. */
    private static String id(Endpoint endpoint) {
        StringBuilder id = new StringBuilder(endpoint.method().toLowerCase(Locale.ROOT));
        for (String word : endpoint.path().split("[^A-Za-z]+")) {
            if (!word.isEmpty()) {
                id.append(Character.toUpperCase(word.charAt(0))).append(word.substring(1));
            }
        }
        return id.toString();
    }

    private static Map<String, Object> parameter(String in, Field field) {
        Map<String, Object> parameter = new LinkedHashMap<>();
        parameter.put("name", field.name());
        parameter.put("in", in);
        parameter.put("required", field.demanded());
        if (!field.text().isEmpty()) {
            parameter.put("description", field.text());
        }
        parameter.put("schema", type(field));
        return parameter;
    }

    private static Map<String, Object> body(Endpoint endpoint) {
        Map<String, Object> content = new LinkedHashMap<>();
        endpoint.input()
                .bodyTypes()
                .forEach(type -> content.put(
                        type, Map.of("schema", members(endpoint.input().body(), false))));
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("required", true);
        body.put("content", content);
        return body;
    }

    private static String done(Endpoint endpoint) {
        return endpoint.output().type().equals(RequestBody.EVENTS)
                ? "Server-sent events: the data of each is this object. The last one may be \"end\", with a reason."
                : "Done.";
    }

    private static Map<String, Object> responses(ApiPart part, Endpoint endpoint) {
        Map<String, Object> responses = new LinkedHashMap<>();
        Map<String, Object> answer =
                Map.of("schema", reference(endpoint.output().schema()));
        responses.put(
                String.valueOf(endpoint.output().status()),
                response(done(endpoint), endpoint.output().type(), answer));
        boolean alsoLines = endpoint.input().bodyTypes().contains(RequestBody.JSON)
                && endpoint.input().bodyTypes().contains(RequestBody.LINES);
        if (alsoLines) {
            responses.put("200", response("An answer for each line.", RequestBody.LINES, answer));
        }
        responses.put(
                "default",
                response(
                        "A problem: its code says which.",
                        "application/problem+json",
                        Map.of("schema", reference(problemName(part)))));
        return responses;
    }

    private static Map<String, Object> response(String description, String type, Map<String, Object> content) {
        Map<String, Object> response = new LinkedHashMap<>();
        response.put("description", description);
        response.put("content", Map.of(type, content));
        return response;
    }

    private static Map<String, Object> schema(ObjectSchema schema) {
        return members(schema.fields(), schema.open());
    }

    private static Map<String, Object> members(List<Field> fields, boolean open) {
        Map<String, Object> properties = new LinkedHashMap<>();
        fields.forEach(field -> {
            Map<String, Object> property = new LinkedHashMap<>(type(field));
            property.put("description", field.text());
            properties.put(field.name(), property);
        });
        List<String> required =
                fields.stream().filter(Field::demanded).map(Field::name).toList();
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("type", "object");
        object.put("properties", properties);
        if (!required.isEmpty()) {
            object.put("required", required);
        }
        object.put("additionalProperties", open);
        return object;
    }

    private static Map<String, Object> type(Field field) {
        return switch (field.type()) {
            case STRING -> Map.of("type", "string");
            case INTEGER -> Map.of("type", "integer", "format", "int64");
            case NUMBER -> Map.of("type", "number");
            case BOOLEAN -> Map.of("type", "boolean");
            case TIME -> Map.of("type", "string", "format", "date-time");
            case STRINGS -> Map.of("type", "array", "items", Map.of("type", "string"));
            case INTEGERS -> Map.of("type", "array", "items", Map.of("type", "integer"));
            case OBJECT -> reference(String.valueOf(field.schema()));
            case OBJECTS -> Map.of("type", "array", "items", reference(String.valueOf(field.schema())));
            case MAP -> Map.of("type", "object", "additionalProperties", true);
            case ANY -> Map.of();
        };
    }

    private static Map<String, Object> reference(String schema) {
        return Map.of("$ref", SCHEMAS + schema);
    }

    private static String problemName(ApiPart part) {
        return Character.toUpperCase(part.tag.charAt(0)) + part.tag.substring(1) + "Problem";
    }

    private static Map<String, Object> problem(ApiPart part) {
        Map<String, Object> problem = members(
                List.of(
                        Field.string("type", "urn:semel:problem: and the code.").always(),
                        Field.string("title", "What kind of problem it is.").always(),
                        Field.integer("status", "The HTTP status.").always(),
                        Field.string("detail", "What, which one, why, what next.")
                                .always(),
                        Field.string("code", "Public and stable.").always(),
                        Field.string("correlation_id", "By which the request is found in logs.")
                                .always(),
                        Field.strings("next", "What the client may do now."),
                        Field.string("record", "The id of the record."),
                        Field.string("category", "Of the failure."),
                        Field.strings("faults", "All that is wrong.")),
                false);
        @SuppressWarnings("unchecked")
        Map<String, Object> properties = (Map<String, Object>) problem.get("properties");
        TreeSet<String> codes = new TreeSet<>();
        part.codes.forEach(code -> codes.add(code.code()));
        if (properties != null) {
            Map<String, Object> code = new LinkedHashMap<>();
            code.put("type", "string");
            code.put("enum", List.copyOf(codes));
            code.put("description", "Public and stable.");
            properties.put("code", code);
        }
        return problem;
    }
}
