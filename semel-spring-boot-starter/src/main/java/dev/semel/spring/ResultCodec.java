package dev.semel.spring;

import dev.semel.Failure;
import dev.semel.SemelException;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** Encodes results of methods for the ledger: JSON of their full type; {@code byte[]} and null unchanged. */
final class ResultCodec {
    private final JsonMapper mapper;

    ResultCodec(JsonMapper mapper) {
        this.mapper = mapper;
    }

    byte @Nullable [] encode(@Nullable Object result, Type type) {
        if (result == null) {
            return null;
        }
        if (result instanceof byte[] bytes) {
            return bytes;
        }
        try {
            return mapper.writerFor(mapper.constructType(type)).writeValueAsBytes(result);
        } catch (JacksonException e) {
            throw new Failure.Thrown(
                    Failure.of(
                            Failure.Category.BUG,
                            "Writing the result of type " + type.getTypeName() + " as JSON failed: "
                                    + e.getOriginalMessage()),
                    e);
        }
    }

    @Nullable
    Object decode(byte @Nullable [] bytes, Type type) {
        if (bytes == null || type == byte[].class) {
            return bytes;
        }
        try {
            return mapper.readValue(bytes, mapper.constructType(type));
        } catch (JacksonException e) {
            throw new SemelException.Invalid(
                    "Reading the stored result (" + bytes.length + " bytes) as " + type.getTypeName()
                            + " failed. If the type has changed, let it still accept the older form.",
                    e);
        }
    }
}
