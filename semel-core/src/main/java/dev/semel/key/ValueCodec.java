package dev.semel.key;

import dev.semel.Operation;
import dev.semel.Semel;
import dev.semel.SemelException;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/**
 * How payloads and results become the bytes that the ledger keeps: {@code byte[]} as they are, everything else as
 * JSON by the application's codec, null as nothing at all. A value is encoded once, and a replay decodes those bytes.
 * Thread-safe.
 *
 * <p>The limit applies to writes. Stored values of any size can be read, so that lowering the limit loses no answers.
 * Messages name the type and the place, never the content.
 */
public final class ValueCodec {
    private final int largestBytes;
    private final Semel.Codec codec;

    /** A value of Semel's own: written and read by Semel's codec, never by the application's. */
    public interface Own {}

    /**
     * With the usual codec.
     *
     * @param largestBytes of one encoded value
     */
    public ValueCodec(int largestBytes) {
        this(largestBytes, JacksonCodec.usual());
    }

    /**
     * @param largestBytes of one encoded value
     * @param codec for everything but {@code byte[]} and {@link Own}
     */
    public ValueCodec(int largestBytes, Semel.Codec codec) {
        if (largestBytes < 1) {
            throw new SemelException.Invalid("The largest encoded value is set to " + largestBytes
                    + " bytes: nothing could be stored. Set at least 1, such as 1048576.");
        }
        this.largestBytes = largestBytes;
        this.codec = codec;
    }

    /** Of one encoded value. */
    public int largestBytes() {
        return largestBytes;
    }

    /**
     * @param type as declared by the operation or step
     * @throws SemelException.Invalid when the value has no JSON form or is over the limit
     */
    public byte @Nullable [] encode(@Nullable Object value, Class<?> type) {
        return value == null ? null : written(value, type);
    }

    /** @see #encode(Object, Class) */
    public byte @Nullable [] encode(@Nullable Object value, Operation.TypeRef<?> type) {
        return value == null ? null : written(value, type.type());
    }

    private byte[] written(Object value, Type type) {
        byte[] bytes = type == byte[].class ? ((byte[]) value).clone() : json(value, type);
        if (bytes.length > largestBytes) {
            throw new SemelException.Invalid("A value of " + type.getTypeName() + " takes " + bytes.length
                    + " bytes: at most " + largestBytes + " are kept. Make it smaller, raise the limit, or keep it"
                    + " elsewhere and pass a reference to it.");
        }
        return bytes;
    }

    private byte[] json(Object value, Type type) {
        try {
            return codec(type).encode(value, type);
        } catch (SemelException.Invalid e) {
            throw e;
        } catch (Exception e) {
            throw new SemelException.Invalid(
                    "A value of " + type.getTypeName() + " cannot be written: the codec throws "
                            + e.getClass().getName() + ". Use a type that the codec can write, or declare byte[].",
                    e);
        }
    }

    /**
     * @param bytes as {@link #encode} gave them
     * @throws SemelException.Invalid when they are not of this type, or the type's own code throws anything
     */
    public <T> @Nullable T decode(byte @Nullable [] bytes, Class<T> type) {
        return decode(bytes, Operation.TypeRef.of(type));
    }

    /** @see #decode(byte[], Class) */
    @SuppressWarnings("unchecked") // a value of the raw type, read with the type's arguments
    public <T> @Nullable T decode(byte @Nullable [] bytes, Operation.TypeRef<T> as) {
        if (bytes == null) {
            return null;
        }
        Type type = as.type();
        Object value = type == byte[].class ? bytes.clone() : read(bytes, type);
        Class<?> raw = as.raw();
        if (value != null && !raw.isPrimitive() && !raw.isInstance(value)) {
            String given = value.getClass().getName();
            throw unreadable(bytes, type, ": the codec gives a " + given, new ClassCastException(given));
        }
        return (T) value;
    }

    private @Nullable Object read(byte[] bytes, Type type) {
        try {
            return codec(type).decode(bytes, type);
        } catch (SemelException.Invalid e) {
            throw e;
        } catch (Exception | StackOverflowError e) {
            throw unreadable(bytes, type, ": it throws " + e.getClass().getName(), e);
        } catch (VirtualMachineError e) {
            throw e;
        } catch (Error e) {
            throw unreadable(bytes, type, ": it throws " + e.getClass().getName(), e);
        }
    }

    /** As {@link #encode}, without the limit: for a value that is not stored. */
    byte[] encodeUnbounded(Object value, Operation.TypeRef<?> type) {
        return type.type() == byte[].class ? (byte[]) value : json(value, type.type());
    }

    private Semel.Codec codec(Type type) {
        boolean own = type instanceof Class<?> plain && Own.class.isAssignableFrom(plain);
        return own ? JacksonCodec.usual() : codec;
    }

    static SemelException.Invalid unreadable(byte[] bytes, Type type, String why, Throwable e) {
        return new SemelException.Invalid(
                bytes.length + " stored bytes cannot be read as " + type.getTypeName() + why
                        + ". If the type has changed since they were written, let it still accept the older form.",
                e);
    }
}
