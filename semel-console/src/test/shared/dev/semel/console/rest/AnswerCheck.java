package dev.semel.console.rest;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import tools.jackson.databind.JsonNode;

/** Compares real answers with the schemas of the OpenAPI document, in both directions. */
public final class AnswerCheck {
    private final Map<String, ObjectSchema> schemas = new HashMap<>();
    private final Set<String> seen = new ConcurrentSkipListSet<>();

    public AnswerCheck(Collection<ObjectSchema> all) {
        all.forEach(schema -> schemas.put(schema.name(), schema));
    }

    /** @throws AssertionError when a member is not documented, one that is always there is missing, or one has another type */
    public void demand(String name, JsonNode answer) {
        ObjectSchema schema = schemas.get(name);
        if (schema == null) {
            throw new AssertionError("There is no schema " + name);
        }
        for (Field field : schema.fields()) {
            JsonNode value = answer.get(field.name());
            if (value == null) {
                if (field.demanded()) {
                    throw new AssertionError(name + "." + field.name() + " is missing in " + answer);
                }
                continue;
            }
            seen.add(name + "." + field.name());
            demandType(name, field, value);
        }
        for (String member : answer.propertyNames()) {
            boolean known =
                    schema.fields().stream().anyMatch(field -> field.name().equals(member));
            if (!known && !schema.open()) {
                throw new AssertionError(name + "." + member + " is not documented: " + answer);
            }
        }
    }

    private void demandType(String name, Field field, JsonNode value) {
        boolean right = switch (field.type()) {
            case STRING, TIME -> value.isString();
            case INTEGER -> value.isIntegralNumber();
            case NUMBER -> value.isNumber();
            case BOOLEAN -> value.isBoolean();
            case STRINGS -> value.isArray() && value.values().stream().allMatch(JsonNode::isString);
            case INTEGERS -> value.isArray() && value.values().stream().allMatch(JsonNode::isIntegralNumber);
            case OBJECT, MAP -> value.isObject();
            case OBJECTS -> value.isArray() && value.values().stream().allMatch(JsonNode::isObject);
            case ANY -> true;
        };
        if (!right) {
            throw new AssertionError(name + "." + field.name() + " is no " + field.type() + ": " + value);
        }
        if (field.type() == Field.FieldType.OBJECT) {
            demand(String.valueOf(field.schema()), value);
        } else if (field.type() == Field.FieldType.OBJECTS) {
            value.forEach(each -> demand(String.valueOf(field.schema()), each));
        }
    }

    /** Documented members that no answer had so far. */
    public Set<String> unseen() {
        Set<String> unseen = new TreeSet<>();
        schemas.values()
                .forEach(schema -> schema.fields().forEach(field -> unseen.add(schema.name() + "." + field.name())));
        unseen.removeAll(seen);
        return unseen;
    }
}
