package dev.semel.spring;

import dev.semel.Failure;
import dev.semel.SemelException;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** How results of methods become what the ledger keeps: JSON of their full type, {@code byte[]} as they are, null as nothing. */
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
                            "A result of " + type.getTypeName() + " cannot be written as JSON: "
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
                    bytes.length + " stored bytes cannot be read as " + type.getTypeName()
                            + ". If the type has changed since they were written, let it still accept the older form.",
                    e);
        }
    }
}
