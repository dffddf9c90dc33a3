package dev.semel.console.rest;

import java.util.List;

/**
 * The members of a JSON object.
 *
 * @param open whether it may have further members
 */
public record ObjectSchema(String name, List<Field> fields, boolean open) {
    /** The newest failure of a call, as both APIs show it. */
    public static final ObjectSchema CALL_FAILURE = of(
            "CallFailure",
            Field.string("category", "What kind of failure it is.").always(),
            Field.string("reason", "One sentence.").always());

    public ObjectSchema {
        fields = List.copyOf(fields);
    }

    /** With these members and no others. */
    public static ObjectSchema of(String name, Field... fields) {
        return new ObjectSchema(name, List.of(fields), false);
    }

    /** With these members and perhaps others. */
    public static ObjectSchema open(String name, Field... fields) {
        return new ObjectSchema(name, List.of(fields), true);
    }
}
