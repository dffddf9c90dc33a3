package dev.semel.console.rest;

import org.jspecify.annotations.Nullable;

/**
 * A parameter of a request, or a member of a JSON object.
 *
 * @param demanded of a request: whether it must be given; of an answer: whether it is always there
 * @param schema of the object, or of the objects of a list; null for other types
 * @param text what it means, in a sentence
 */
public record Field(
        String name,
        FieldType type,
        boolean demanded,
        @Nullable String schema,
        String text) {

    /** The type of its value. */
    public enum FieldType {
        STRING,
        INTEGER,
        NUMBER,
        BOOLEAN,
        /** A time in UTC, as in {@code 2030-01-31T12:00:00Z}. */
        TIME,
        STRINGS,
        INTEGERS,
        OBJECT,
        OBJECTS,
        /** An object whose members have any name. */
        MAP,
        /** Any JSON. */
        ANY
    }

    private static Field of(FieldType type, String name, String text) {
        return new Field(name, type, false, null, text);
    }

    /** A text. */
    public static Field string(String name, String text) {
        return of(FieldType.STRING, name, text);
    }

    /** A whole number. */
    public static Field integer(String name, String text) {
        return of(FieldType.INTEGER, name, text);
    }

    /** A number. */
    public static Field number(String name, String text) {
        return of(FieldType.NUMBER, name, text);
    }

    /** True or false. */
    public static Field bool(String name, String text) {
        return of(FieldType.BOOLEAN, name, text);
    }

    /** A time. */
    public static Field time(String name, String text) {
        return of(FieldType.TIME, name, text);
    }

    /** A list of texts. */
    public static Field strings(String name, String text) {
        return of(FieldType.STRINGS, name, text);
    }

    /** A list of whole numbers. */
    public static Field integers(String name, String text) {
        return of(FieldType.INTEGERS, name, text);
    }

    /** An object with any members. */
    public static Field map(String name, String text) {
        return of(FieldType.MAP, name, text);
    }

    /** Any JSON. */
    public static Field any(String name, String text) {
        return of(FieldType.ANY, name, text);
    }

    /** An object of a schema. */
    public static Field object(String name, String schema, String text) {
        return new Field(name, FieldType.OBJECT, false, schema, text);
    }

    /** A list of objects of a schema. */
    public static Field objects(String name, String schema, String text) {
        return new Field(name, FieldType.OBJECTS, false, schema, text);
    }

    /** The same, but it must be given, or is always there. */
    public Field always() {
        return new Field(name, type, true, schema, text);
    }
}
