package dev.semel.server.rest;

import java.util.List;

/**
 * The members of a JSON object.
 *
 * @param open whether it may have further members
 */
public record ObjectSchema(String name, List<Field> fields, boolean open) {
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
