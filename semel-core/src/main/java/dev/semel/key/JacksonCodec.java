package dev.semel.key;

import dev.semel.Semel;
import dev.semel.SemelException;
import java.lang.reflect.Type;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.json.JsonMapper;

/**
 * Writes and reads values with Jackson 3. The default codec. With the application's own mapper:
 *
 * <pre>{@code
 * Semel.settings(dataSource).withCodec(JacksonCodec.of(mapper)).open();
 * }</pre>
 *
 * A declared class is written with the fields that a subclass adds. In a generic type, elements are written as the
 * class that is declared for them, or as {@code @JsonTypeInfo} says.
 *
 * <p>Thread-safe. Messages name the type and the place, never the content.
 */
public final class JacksonCodec implements Semel.Codec {
    // What could be written must be readable again: the size is bounded by the limit alone.
    private static final StreamReadConstraints UNBOUNDED = StreamReadConstraints.builder()
            .maxNumberLength(Integer.MAX_VALUE)
            .maxStringLength(Integer.MAX_VALUE)
            .maxNameLength(Integer.MAX_VALUE)
            .build();

    private static final JacksonCodec USUAL = new JacksonCodec(JsonMapper.builder(
                    JsonFactory.builder().streamReadConstraints(UNBOUNDED).build())
            .build());

    private static final JacksonCodec EXACT = new JacksonCodec(USUAL.mapper
            .rebuild()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build());

    private final JsonMapper mapper;
    private final ClassValue<ObjectReader> readers;
    private final Map<Type, ObjectReader> genericReaders = new ConcurrentHashMap<>();
    private final Map<Type, ObjectWriter> genericWriters = new ConcurrentHashMap<>();

    private JacksonCodec(JsonMapper mapper) {
        this.mapper = mapper;
        this.readers = new ClassValue<>() {
            @Override
            protected ObjectReader computeValue(Class<?> type) {
                return mapper.readerFor(type);
            }
        };
    }

    /** With Jackson's defaults, and without its bounds on what is read. */
    public static JacksonCodec usual() {
        return USUAL;
    }

    /** As {@link #usual}, and decimal numbers of unknown type keep all their digits. */
    static JacksonCodec exact() {
        return EXACT;
    }

    /** With the given mapper, as it is set. */
    public static JacksonCodec of(JsonMapper mapper) {
        return new JacksonCodec(mapper);
    }

    /** @throws SemelException.Invalid when the value has no JSON form */
    @Override
    public byte[] encode(Object value, Type type) {
        try {
            // The value's own class decides how it is written: by the declared one, what a subclass adds would be lost.
            // That class does
            // not know its type arguments, though, without which elements would not say of which subclass they are.
            return type instanceof Class
                    ? mapper.writeValueAsBytes(value)
                    : writer(type).writeValueAsBytes(value);
        } catch (JacksonException e) {
            throw new SemelException.Invalid(
                    "A value of " + type.getTypeName() + " cannot be written as JSON" + place(e)
                            + ". Use a record or a class that Jackson can write, or declare byte[].",
                    e);
        }
    }

    private ObjectWriter writer(Type type) {
        return genericWriters.computeIfAbsent(type, each -> mapper.writerFor(mapper.constructType(each)));
    }

    /** @throws SemelException.Invalid when the bytes are not of this type */
    @Override
    public @Nullable Object decode(byte[] json, Type type) {
        try {
            return reader(type).readValue(json);
        } catch (JacksonException e) {
            throw ValueCodec.unreadable(json, type, place(e), e);
        }
    }

    private ObjectReader reader(Type type) {
        return type instanceof Class<?> plain
                ? readers.get(plain)
                : genericReaders.computeIfAbsent(type, each -> mapper.readerFor(mapper.constructType(each)));
    }

    private static String place(JacksonException e) {
        TokenStreamLocation at = e.getLocation();
        String path = e.getPath().isEmpty() ? "" : " at " + e.getPathReference();
        return at == null ? path : path + " (line " + at.getLineNr() + ", column " + at.getColumnNr() + ")";
    }
}
