package dev.semel.http.ingress;

import dev.semel.SemelException;
import java.util.Locale;
import java.util.Optional;
import tools.jackson.core.JsonPointer;
import tools.jackson.databind.JsonNode;

/**
 * Where a webhook carries a piece of text: its id, its tenant, its lane. Immutable.
 *
 * <pre>{@code
 * EventField.json("/data/object/customer")
 * EventField.header("X-Shopify-Shop-Domain")
 * }</pre>
 *
 * <p>Fields of the body are covered by the signature. Headers and the path are not, except the id header of Standard Webhooks: whoever
 * can replay a request can change them.
 */
public final class EventField {
    private final String name;
    private final boolean signed;
    private final FieldReader reader;

    @FunctionalInterface
    private interface FieldReader {
        Optional<String> read(ReceivedRequest request) throws Refused;
    }

    private EventField(String name, boolean signed, FieldReader reader) {
        this.name = name;
        this.signed = signed;
        this.reader = reader;
    }

    /**
     * A string or a whole number in a JSON body. Only an object or an array is JSON here.
     *
     * @param pointer RFC 6901: {@code /event/id}
     * @throws SemelException.Invalid when it is not a JSON pointer
     */
    public static EventField json(String pointer) {
        JsonPointer compiled = compiled(pointer);
        return new EventField("json:" + pointer, true, request -> scalar(request.json(), compiled));
    }

    /** A field of a form ({@code application/x-www-form-urlencoded}). */
    public static EventField form(String field) {
        return new EventField("form:" + field, true, request -> request.form(field));
    }

    /**
     * As {@link #json}, in JSON that a form carries in one of its fields, as Slack's interactions do.
     *
     * @throws SemelException.Invalid when it is not a JSON pointer
     */
    public static EventField jsonInForm(String field, String pointer) {
        JsonPointer compiled = compiled(pointer);
        return new EventField(
                "form:" + field + ":" + pointer, true, request -> scalar(request.jsonInForm(field), compiled));
    }

    /** A header that was sent once and has printable ASCII characters. Not signed. */
    public static EventField header(String header) {
        return header(header, false);
    }

    /** A header that is part of what its scheme signs. */
    static EventField signedHeader(String header) {
        return header(header, true);
    }

    private static EventField header(String header, boolean signed) {
        String lower = header.toLowerCase(Locale.ROOT);
        return new EventField("header:" + lower, signed, request -> {
            if (request.headers(lower).size() > 1) {
                throw Refused.event("the header " + lower + " was sent more than once");
            }
            return request.header(lower);
        });
    }

    /**
     * A part of the path behind the servlet's own. Not signed.
     *
     * @param number counted from 1
     * @throws SemelException.Invalid when it is not 1 to 16
     */
    public static EventField pathPart(int number) {
        if (number < 1 || number > 16) {
            throw new SemelException.Invalid(
                    "Part " + number + " of a path cannot be a field: parts are counted from 1 to 16.");
        }
        return new EventField("path:" + number, false, request -> request.pathPart(number));
    }

    private static JsonPointer compiled(String pointer) {
        try {
            return JsonPointer.compile(pointer);
        } catch (IllegalArgumentException e) {
            throw new SemelException.Invalid(
                    "\"" + pointer + "\" is not a JSON pointer: it starts with a slash, as /event/id.", e);
        }
    }

    private static Optional<String> scalar(Optional<JsonNode> json, JsonPointer pointer) throws Refused {
        JsonNode value = json.isEmpty() ? null : json.get().at(pointer);
        if (value == null || value.isMissingNode() || value.isNull()) {
            return Optional.empty();
        }
        if (value.isString()) {
            return Optional.of(value.stringValue());
        }
        if (value.isIntegralNumber()) {
            return Optional.of(value.asString());
        }
        throw Refused.event("the value at " + pointer + " is neither a string nor a whole number");
    }

    /** Absent when it is missing or empty, or has a character that could not be decoded: different texts could look the same. */
    Optional<String> of(ReceivedRequest request) throws Refused {
        return asRead(request).filter(text -> text.indexOf('\ufffd') < 0);
    }

    /** As {@link #of}, also with characters that could not be decoded. */
    Optional<String> asRead(ReceivedRequest request) throws Refused {
        return reader.read(request).filter(text -> !text.isEmpty());
    }

    /** Whether the signature of every scheme covers it. */
    boolean isSigned() {
        return signed;
    }

    /** The place, such as {@code json:/id}. */
    @Override
    public String toString() {
        return name;
    }
}
