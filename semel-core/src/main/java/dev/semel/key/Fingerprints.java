package dev.semel.key;

import dev.semel.Operation;
import dev.semel.SemelException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Makes and compares fingerprints.
 *
 * <p>Version 1 is SHA-256 over the payload's schema version, its kind (none, JSON, bytes), its length and itself: JSON in
 * canonical form without the operation's transport fields, {@code byte[]} as it is. No payload, an empty one and JSON's
 * {@code null} are three different things.
 *
 * <p>A stored fingerprint is compared in its own version of the rules and of the schema, so a deployment that raises either
 * does not turn retries into conflicts. The transport fields are always the operation's present ones: a deployment that
 * changes them lets retries of older records conflict if they carry such a field.
 */
public final class Fingerprints {
    private static final byte NONE = 0;
    private static final byte JSON = 1;
    private static final byte BYTES = 2;
    private static final int HEADER = 2 * Byte.BYTES + Short.BYTES + Integer.BYTES;
    private static final byte[] EMPTY = {};

    private Fingerprints() {}

    /**
     * Under the newest rules and the operation's present schema version.
     *
     * @param encodedPayload as {@link Codec#encode} gave it
     * @throws SemelException.Invalid when the payload should be JSON and is not, or is JSON that has no canonical form
     */
    public static Fingerprint of(Operation.Definition<?, ?> definition, byte @Nullable [] encodedPayload) {
        return first(definition.schemaVersion(), definition, encodedPayload);
    }

    /**
     * Whether the payload means the same as the one that the stored fingerprint was made of.
     *
     * @throws SemelException.Invalid as {@link #of}, or when the stored one was made by rules that this version of Semel does
     *     not know
     */
    public static boolean matches(
            Fingerprint stored, Operation.Definition<?, ?> definition, byte @Nullable [] encodedPayload) {
        if (stored.version() != 1) {
            throw new SemelException.Invalid("Operation " + definition.name()
                    + ": the record's fingerprint was made by rules v" + stored.version()
                    + ", this version of Semel knows up to v" + Fingerprint.VERSION
                    + ". Run the version that made the record, or a newer one.");
        }
        return first(stored.schema(), definition, encodedPayload).equals(stored);
    }

    private static Fingerprint first(
            int schema, Operation.Definition<?, ?> definition, byte @Nullable [] encodedPayload) {
        if (encodedPayload == null) {
            return first(schema, NONE, EMPTY);
        }
        if (definition.payload() == byte[].class) {
            return first(schema, BYTES, encodedPayload);
        }
        return first(schema, JSON, CanonicalJson.of(definition.name(), encodedPayload, definition.transportFields()));
    }

    private static Fingerprint first(int schema, byte kind, byte[] meaning) {
        byte[] header = ByteBuffer.allocate(HEADER)
                .put((byte) 1)
                .put(kind)
                .putShort((short) schema)
                .putInt(meaning.length)
                .array();
        return new Fingerprint(1, schema, Hashes.of(header, meaning));
    }
}
