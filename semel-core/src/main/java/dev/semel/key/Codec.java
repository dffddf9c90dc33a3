package dev.semel.key;

import dev.semel.SemelException;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.json.JsonMapper;

/**
 * How payloads and results become the bytes that the ledger keeps: {@code byte[]} as they are, everything else as JSON, null
 * as nothing at all. A value is encoded once; what is replayed later is those bytes. Thread-safe.
 *
 * <p>The limit holds for what is written. What is already in the ledger is read whatever its size, so that lowering the limit
 * does not lose answers. Messages name the type and the place, never the content.
 */
public final class Codec {
    // What could be written must be readable again: the size is bounded by the limit alone.
    private static final StreamReadConstraints UNBOUNDED = StreamReadConstraints.builder()
            .maxNumberLength(Integer.MAX_VALUE)
            .maxStringLength(Integer.MAX_VALUE)
            .maxNameLength(Integer.MAX_VALUE)
            .build();

    private final int largestBytes;
    private final JsonMapper mapper;
    private final ClassValue<ObjectReader> readers;

    /** @param largestBytes of one encoded value */
    public Codec(int largestBytes) {
        if (largestBytes < 1) {
            throw new SemelException.Invalid("The largest encoded value is set to " + largestBytes
                    + " bytes: nothing could be stored. Set at least 1, such as 1048576.");
        }
        this.largestBytes = largestBytes;
        JsonMapper json = JsonMapper.builder(
                        JsonFactory.builder().streamReadConstraints(UNBOUNDED).build())
                .build();
        this.mapper = json;
        this.readers = new ClassValue<>() {
            @Override
            protected ObjectReader computeValue(Class<?> type) {
                return json.readerFor(type);
            }
        };
    }

    /**
     * @param type as declared by the operation or step
     * @throws SemelException.Invalid when the value has no JSON form or is over the limit
     */
    public byte @Nullable [] encode(@Nullable Object value, Class<?> type) {
        if (value == null) {
            return null;
        }
        // The value's own class decides how it is written: by the declared one, what a subclass adds would be lost.
        byte[] bytes = type == byte[].class ? ((byte[]) value).clone() : json(value, type);
        if (bytes.length > largestBytes) {
            throw new SemelException.Invalid("A value of " + type.getTypeName() + " takes " + bytes.length
                    + " bytes: at most " + largestBytes + " are kept. Make it smaller, raise the limit, or keep it"
                    + " elsewhere and pass a reference to it.");
        }
        return bytes;
    }

    /**
     * @param bytes as {@link #encode} gave them
     * @throws SemelException.Invalid when they are not of this type, or the type's own code throws, whatever it throws
     */
    public <T> @Nullable T decode(byte @Nullable [] bytes, Class<T> type) {
        if (bytes == null) {
            return null;
        }
        if (type == byte[].class) {
            return type.cast(bytes.clone());
        }
        try {
            return readers.get(type).readValue(bytes);
        } catch (JacksonException e) {
            throw unreadable(bytes, type, place(e), e);
        } catch (RuntimeException | StackOverflowError e) {
            throw unreadable(bytes, type, ": it throws " + e.getClass().getName(), e);
        } catch (VirtualMachineError e) {
            throw e;
        } catch (Error e) {
            throw unreadable(bytes, type, ": it throws " + e.getClass().getName(), e);
        }
    }

    private static SemelException.Invalid unreadable(byte[] bytes, Class<?> type, String why, Throwable e) {
        return new SemelException.Invalid(
                bytes.length + " stored bytes cannot be read as " + type.getTypeName() + why
                        + ". If the type has changed since they were written, let it still accept the older form.",
                e);
    }

    private byte[] json(Object value, Class<?> type) {
        try {
            return mapper.writeValueAsBytes(value);
        } catch (JacksonException e) {
            throw new SemelException.Invalid(
                    "A value of " + type.getTypeName() + " cannot be written as JSON" + place(e)
                            + ". Use a record or a class that Jackson can write, or declare byte[].",
                    e);
        }
    }

    private static String place(JacksonException e) {
        TokenStreamLocation at = e.getLocation();
        String path = e.getPath().isEmpty() ? "" : " at " + e.getPathReference();
        return at == null ? path : path + " (line " + at.getLineNr() + ", column " + at.getColumnNr() + ")";
    }
}
