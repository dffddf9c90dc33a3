package dev.semel.spring;

import dev.semel.Channel;
import dev.semel.http.IdempotencyFilter;
import dev.semel.http.ProblemCode;
import dev.semel.http.RetryRules;
import dev.semel.http.Rule;
import io.swagger.v3.oas.models.Components;
import io.swagger.v3.oas.models.Operation;
import io.swagger.v3.oas.models.examples.Example;
import io.swagger.v3.oas.models.headers.Header;
import io.swagger.v3.oas.models.media.ArraySchema;
import io.swagger.v3.oas.models.media.Content;
import io.swagger.v3.oas.models.media.IntegerSchema;
import io.swagger.v3.oas.models.media.MediaType;
import io.swagger.v3.oas.models.media.ObjectSchema;
import io.swagger.v3.oas.models.media.Schema;
import io.swagger.v3.oas.models.media.StringSchema;
import io.swagger.v3.oas.models.parameters.HeaderParameter;
import io.swagger.v3.oas.models.parameters.Parameter;
import io.swagger.v3.oas.models.responses.ApiResponse;
import io.swagger.v3.oas.models.responses.ApiResponses;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The parts of an OpenAPI description that a protected route gets. What the application has described itself stays as it is. */
final class OpenApiProblems {
    private static final String PROBLEM = "IdempotencyProblem";
    private static final String PROBLEM_JSON = "application/problem+json";
    private static final int LONGEST = 128;

    private final IdempotencyFilter filter;

    OpenApiProblems(IdempotencyFilter filter) {
        this.filter = filter;
    }

    static void addKey(Operation operation, boolean required) {
        List<Parameter> parameters = operation.getParameters() == null ? List.of() : operation.getParameters();
        Parameter key = parameters.stream()
                .filter(each -> "header".equals(each.getIn()) && RetryRules.KEY.equalsIgnoreCase(each.getName()))
                .findFirst()
                .orElse(null);
        if (key == null) {
            key = new HeaderParameter().name(RetryRules.KEY);
            operation.addParametersItem(key);
        }
        key.setRequired(required);
        if (key.getDescription() == null) {
            key.setDescription("A new key for each request, and the same key for its retries: a retry gets the first"
                    + " response. 1 to 128 visible ASCII characters.");
        }
        if (key.getSchema() == null) {
            StringSchema text = typed(new StringSchema(), "string");
            text.setMinLength(1);
            text.setMaxLength(LONGEST);
            key.setSchema(text);
        }
    }

    /** Adds the headers of replays to the successful responses, and the problems. */
    void addResponses(Operation operation, Rule rule) {
        if (operation.getResponses() == null) {
            operation.setResponses(new ApiResponses());
        }
        ApiResponses responses = operation.getResponses();
        responses.forEach((status, response) -> {
            if (status.startsWith("2")) {
                addHeader(response, "Idempotency-Replayed", "true on a replay of the first response.", "string");
            }
        });
        byStatus(rule).forEach((status, codes) -> {
            ApiResponse response = responses.computeIfAbsent(
                    Integer.toString(status), missing -> new ApiResponse().description(described(codes)));
            if (response.get$ref() == null) {
                addProblems(response, codes);
            }
        });
    }

    private Map<Integer, List<ProblemCode>> byStatus(Rule rule) {
        List<ProblemCode> codes = new ArrayList<>(List.of(
                ProblemCode.KEY_INVALID,
                ProblemCode.BODY_MALFORMED,
                ProblemCode.BODY_INCOMPLETE,
                ProblemCode.PAYLOAD_MISMATCH,
                ProblemCode.IN_PROGRESS,
                ProblemCode.OUTCOME_UNKNOWN,
                ProblemCode.DISCARDED,
                ProblemCode.TOO_LARGE,
                ProblemCode.RETRY_LATER,
                ProblemCode.STORE_UNAVAILABLE,
                ProblemCode.HALTED));
        if (rule.key() == Rule.KeyUse.REQUIRED) {
            codes.add(0, ProblemCode.KEY_REQUIRED);
        }
        if (!rule.breaker().equals(Channel.Breaker.NONE)) {
            codes.add(ProblemCode.BREAKER_OPEN);
        }
        return codes.stream().collect(Collectors.groupingBy(filter::status, TreeMap::new, Collectors.toList()));
    }

    private static String described(List<ProblemCode> codes) {
        return codes.stream().map(ProblemCode::title).collect(Collectors.joining(". ", "", "."));
    }

    private void addProblems(ApiResponse response, List<ProblemCode> codes) {
        if (response.getContent() == null) {
            response.setContent(new Content());
        }
        if (response.getContent().containsKey(PROBLEM_JSON)) {
            return;
        }
        MediaType type = new MediaType().schema(new Schema<>().$ref(PROBLEM));
        codes.forEach(code -> type.addExamples(code.code(), example(code)));
        response.getContent().addMediaType(PROBLEM_JSON, type);
        if (codes.contains(ProblemCode.IN_PROGRESS) || codes.contains(ProblemCode.RETRY_LATER)) {
            addHeader(response, "Retry-After", "Seconds until a retry makes sense.", "integer");
        }
        if (codes.contains(ProblemCode.OUTCOME_UNKNOWN)) {
            addHeader(response, "Link", "The URL of the outcome, with rel=\"status\".", "string");
        }
    }

    private static void addHeader(ApiResponse response, String name, String description, String type) {
        if (response.getHeaders() == null || !response.getHeaders().containsKey(name)) {
            Schema<?> schema = typed(new Schema<>(), type);
            schema.setType(type);
            response.addHeaderObject(name, new Header().description(description).schema(schema));
        }
    }

    private Example example(ProblemCode code) {
        Map<String, Object> problem = new LinkedHashMap<>();
        problem.put("type", filter.type(code));
        problem.put("title", code.title());
        problem.put("status", filter.status(code));
        problem.put("code", code.code());
        return new Example().summary(code.title()).value(problem);
    }

    static void addSchema(Components components) {
        if (components.getSchemas() != null && components.getSchemas().containsKey(PROBLEM)) {
            return;
        }
        Schema<?> problem = typed(new ObjectSchema(), "object");
        problem.addProperty("type", text("URI of the kind of problem."));
        problem.addProperty("title", text("The kind of problem."));
        problem.addProperty("status", typed(new IntegerSchema(), "integer"));
        problem.addProperty("detail", text("What happened, and the next step."));
        problem.addProperty("code", text("Stable code, such as idempotency.in_progress."));
        problem.addProperty("correlation_id", text("For questions to the operator of the service."));
        StringSchema next = text("The next step.");
        next.setEnum(List.of("retry", "check_status", "contact"));
        problem.addProperty("next", typed(new ArraySchema().items(next), "array"));
        problem.setDescription("Why a request under an Idempotency-Key got no response of its handler.");
        components.addSchemas(PROBLEM, problem);
    }

    private static StringSchema text(String description) {
        StringSchema text = typed(new StringSchema(), "string");
        text.setDescription(description);
        return text;
    }

    /** OpenAPI 3.1 has its own field for the type. */
    private static <S extends Schema<?>> S typed(S schema, String type) {
        schema.addType(type);
        return schema;
    }
}
