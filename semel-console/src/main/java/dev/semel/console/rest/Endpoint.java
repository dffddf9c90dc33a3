package dev.semel.console.rest;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One endpoint of an API. Requests are dispatched by it, and the OpenAPI document is made of it.
 *
 * @param path below {@code /api/v1}, with names in braces for its variable parts
 * @param summary what it does, in a sentence
 */
public record Endpoint(String method, String path, String summary, EndpointInput input, EndpointOutput output) {

    /**
     * What a request holds.
     *
     * @param query parameters
     * @param body members of the JSON object that is the body; of each line of it where it is lines
     * @param bodyTypes media types of the body; empty where there is none
     */
    public record EndpointInput(List<Field> query, List<Field> body, List<String> bodyTypes) {
        public EndpointInput {
            query = List.copyOf(query);
            body = List.copyOf(body);
            bodyTypes = List.copyOf(bodyTypes);
        }

        /** Parameters only. */
        public static EndpointInput query(Field... fields) {
            return new EndpointInput(List.of(fields), List.of(), List.of());
        }

        /** A JSON object. */
        public static EndpointInput body(Field... fields) {
            return new EndpointInput(List.of(), List.of(fields), List.of(RequestBody.JSON));
        }
    }

    /**
     * What an answer holds that is no problem.
     *
     * @param schema of the JSON object, or of each line
     */
    public record EndpointOutput(int status, String type, String schema) {
        /** 200 with a JSON object. */
        public static EndpointOutput json(String schema) {
            return new EndpointOutput(200, RequestBody.JSON, schema);
        }

        /** 202 with a JSON object. */
        public static EndpointOutput accepted(String schema) {
            return new EndpointOutput(202, RequestBody.JSON, schema);
        }

        /** 200 with a JSON object in each line. */
        public static EndpointOutput lines(String schema) {
            return new EndpointOutput(200, RequestBody.LINES, schema);
        }

        /** 200 with server-sent events, each of which has a JSON object as its data. */
        public static EndpointOutput events(String schema) {
            return new EndpointOutput(200, RequestBody.EVENTS, schema);
        }
    }

    /** The names of the variable parts of the path, in their order. */
    public List<String> pathNames() {
        return parts(path).stream()
                .filter(Endpoint::isVariable)
                .map(part -> part.substring(1, part.length() - 1))
                .toList();
    }

    /** The values of the variable parts if this is its path; empty otherwise. */
    public Optional<List<String>> match(String actual) {
        List<String> wanted = parts(path);
        List<String> given = parts(actual);
        if (wanted.size() != given.size()) {
            return Optional.empty();
        }
        List<String> values = new ArrayList<>();
        for (int i = 0; i < wanted.size(); i++) {
            if (isVariable(wanted.get(i))
                    ? given.get(i).isEmpty()
                    : !wanted.get(i).equals(given.get(i))) {
                return Optional.empty();
            }
            if (isVariable(wanted.get(i))) {
                values.add(given.get(i));
            }
        }
        return Optional.of(values);
    }

    private static boolean isVariable(String part) {
        return part.startsWith("{");
    }

    private static List<String> parts(@Nullable String path) {
        return List.of((path == null ? "" : path).split("/", -1));
    }
}
