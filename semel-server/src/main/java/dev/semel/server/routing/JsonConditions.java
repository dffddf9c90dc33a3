package dev.semel.server.routing;

import dev.semel.Failure;
import dev.semel.server.config.RouteConfig.Condition;
import dev.semel.server.config.RouteConfig.Test;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Tests conditions on a JSON body. In a body that is not JSON no pointer leads to a value. Limits bound what reading it costs. */
final class JsonConditions {
    private static final int DEEPEST = 200;

    private static final JsonMapper JSON = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(DEEPEST)
                            .build())
                    .build())
            .build();

    private JsonConditions() {}

    /**
     * The body as JSON; a missing node where it is none.
     *
     * @throws Failure.Thrown when it is nested too deeply, or has numbers that are too long: nobody can say where it belongs
     */
    static JsonNode read(byte[] body) {
        try {
            return JSON.readTree(body);
        } catch (StreamConstraintsException e) {
            throw Failure.of(
                            Failure.Category.VALIDATION,
                            "The conditions of its routes could not be tested: its JSON is nested too deeply, or has a name or number"
                                    + " that is too long.")
                    .asException();
        } catch (JacksonException e) {
            return JSON.missingNode();
        }
    }

    static boolean hold(List<Condition> conditions, JsonNode body) {
        return conditions.stream().allMatch(condition -> holds(condition.test(), body.at(condition.pointer())));
    }

    private static boolean holds(Test test, JsonNode value) {
        if (test instanceof Test.Exists exists) {
            return exists.present() != value.isMissingNode();
        }
        if (test instanceof Test.Prefix prefix) {
            return value.isString() && value.stringValue().startsWith(prefix.text());
        }
        return value.isValueNode() && ((Test.In) test).values().contains(value.asString());
    }
}
