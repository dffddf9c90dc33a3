package dev.semel.conformance;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Reads and rewrites JSON bodies. */
final class Json {
    private static final JsonMapper MAPPER = new JsonMapper();

    private Json() {}

    static boolean isObject(String text) {
        JsonNode node = read(text.getBytes(StandardCharsets.UTF_8));
        return node != null && node.isObject();
    }

    /** Null when the body is not JSON. */
    static @Nullable JsonNode read(byte[] body) {
        try {
            return MAPPER.readTree(body);
        } catch (JacksonException e) {
            return null;
        }
    }

    /** The same meaning in other bytes: names the other way round, and more space. */
    static String respelled(String object) {
        JsonNode node = MAPPER.readTree(object);
        ObjectNode turned = MAPPER.createObjectNode();
        List<String> names = new ArrayList<>(node.propertyNames());
        Collections.reverse(names);
        names.forEach(name -> turned.set(name, node.get(name)));
        return " " + MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(turned) + "\n";
    }
}
