package dev.semel.console.live;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * One event of a stream.
 *
 * @param name its kind: what pages listen for
 * @param id from which a client that reconnects continues; null when it cannot
 * @param data sent as one line of JSON
 */
public record LiveEvent(String name, @Nullable String id, Map<String, Object> data) {
    /** As it is sent. */
    byte[] bytes() {
        String text = (id == null ? "" : "id: " + id + "\n") + "event: " + name + "\ndata: "
                + JsonMapper.shared().writeValueAsString(data) + "\n\n";
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
