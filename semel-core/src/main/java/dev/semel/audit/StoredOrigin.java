package dev.semel.audit;

import dev.semel.Call.Origin;
import dev.semel.SemelException;
import dev.semel.store.Header;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Who asked for a record, as it is stored with the record: a JSON object with the names that events use. The correlation id has a
 * column of its own. Each text has at most 255 characters, so the whole is bounded.
 */
public final class StoredOrigin {
    private static final JsonMapper JSON = JsonMapper.shared();

    private StoredOrigin() {}

    /** The stored text; null for an empty origin. */
    public static @Nullable String encode(Origin origin) {
        if (origin == Origin.UNSTATED) {
            return null;
        }
        Map<String, Object> fields = fields(origin);
        return fields.isEmpty() ? null : JSON.writeValueAsString(fields);
    }

    /**
     * The origin of the record. Unreadable text, such as a later version's, gives an empty origin: no event may fail
     * because of it.
     */
    public static Origin of(Header header) {
        Origin known = decode(header.origin());
        try {
            return known.withCorrelationId(header.correlationId());
        } catch (SemelException.Invalid e) {
            return known;
        }
    }

    /** The stated fields but the correlation id, by the names that events use, without credentials. */
    static Map<String, Object> fields(Origin origin) {
        Map<String, Object> fields = new LinkedHashMap<>();
        put(fields, "request_id", origin.requestId());
        put(fields, "trace_id", origin.traceId());
        put(fields, "actor", origin.actor());
        put(fields, "actor_type", origin.actorType());
        put(fields, "source", origin.source());
        if (origin.aggregateVersion() != null) {
            fields.put("aggregate_version", origin.aggregateVersion());
        }
        return fields;
    }

    private static void put(Map<String, Object> fields, String name, @Nullable String value) {
        if (value != null) {
            fields.put(name, Redactor.credentials(value));
        }
    }

    private static Origin decode(@Nullable String stored) {
        if (stored == null) {
            return Origin.UNSTATED;
        }
        try {
            JsonNode node = JSON.readTree(stored);
            JsonNode version = node.path("aggregate_version");
            return new Origin(
                    new Origin.Ids(null, text(node, "trace_id"), text(node, "request_id")),
                    text(node, "actor"),
                    text(node, "actor_type"),
                    text(node, "source"),
                    version.isIntegralNumber() ? version.longValue() : null);
        } catch (JacksonException | SemelException.Invalid e) {
            return Origin.UNSTATED;
        }
    }

    private static @Nullable String text(JsonNode node, String name) {
        JsonNode value = node.path(name);
        return value.isString() ? value.stringValue() : null;
    }
}
