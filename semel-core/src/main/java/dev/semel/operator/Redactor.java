package dev.semel.operator;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The one way by which a payload or a result reaches a person's eyes: fields whose names speak of secrets are blotted out,
 * long texts are cut, and what is not JSON is told by its length only.
 */
public final class Redactor {
    private static final JsonMapper JSON = JsonMapper.shared();
    private static final String BLOT = "***";
    private static final int LONGEST = 2_000;
    private static final Pattern SECRET = Pattern.compile(
            "pass|secret|token|authori[sz]ation|credential|api.?key|private.?key|cookie|session|cvv|cvc|pin$|card|iban|ssn");
    private static final Set<String> HARMLESS = Set.of("passenger", "passengers", "discard", "discarded");

    private Redactor() {}

    /** What may be shown of stored bytes; "null" when there are none. */
    public static String shown(byte @Nullable [] stored) {
        if (stored == null) {
            return "null";
        }
        try {
            JsonNode node = JSON.readTree(new String(stored, StandardCharsets.UTF_8));
            return cut(JSON.writeValueAsString(blotted(node)));
        } catch (JacksonException e) {
            return stored.length + " bytes that are not JSON";
        }
    }

    private static JsonNode blotted(JsonNode node) {
        if (node instanceof ObjectNode object) {
            ObjectNode clean = JSON.createObjectNode();
            object.properties().forEach(field -> {
                JsonNode value =
                        secret(field.getKey()) ? JSON.getNodeFactory().stringNode(BLOT) : blotted(field.getValue());
                clean.set(field.getKey(), value);
            });
            return clean;
        }
        if (node instanceof ArrayNode array) {
            ArrayNode clean = JSON.createArrayNode();
            array.forEach(each -> clean.add(blotted(each)));
            return clean;
        }
        return node;
    }

    private static boolean secret(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return !HARMLESS.contains(lower) && SECRET.matcher(lower).find();
    }

    private static String cut(String text) {
        return text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "... (" + text.length() + " characters)";
    }
}
