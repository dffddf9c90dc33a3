package dev.semel.server.api;

import com.fasterxml.jackson.annotation.JsonValue;
import dev.semel.console.rest.StrictJson;
import dev.semel.key.ValueCodec;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.annotation.JsonDeserialize;

/**
 * A payload or result of a client: any JSON value, with all digits of its numbers.
 *
 * @param lane of a message, as the client gave it; not part of the value
 */
@JsonDeserialize(using = Json.ExactReader.class)
record Json(@JsonValue JsonNode value, @Nullable String lane) implements ValueCodec.Own {
    /** The value, or null for JSON's null: the ledger keeps null as nothing at all. */
    static @Nullable Json of(JsonNode value) {
        return value.isNull() ? null : new Json(value, null);
    }

    /** Reads decimal numbers as they are written. */
    static final class ExactReader extends ValueDeserializer<Json> {
        @Override
        public Json deserialize(JsonParser parser, DeserializationContext context) {
            JsonNode value = StrictJson.EXACT.readerFor(JsonNode.class).readValue(parser);
            return new Json(value, null);
        }
    }
}
