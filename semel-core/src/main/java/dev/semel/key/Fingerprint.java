package dev.semel.key;

import dev.semel.SemelException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * Versioned hash of a payload's meaning. Two of them can be compared only when they were made by the same version of the
 * rules and of the payload's schema; {@link Fingerprints} makes the one to compare with.
 */
public final class Fingerprint {
    /** The newest version of the rules. */
    public static final int VERSION = 2;

    private static final int HEADER = 3;

    private final int version;
    private final int schema;
    private final byte[] hash;

    Fingerprint(int version, int schema, byte[] hash) {
        this.version = version;
        this.schema = schema;
        this.hash = hash;
    }

    /** Reads the form that {@link #bytes} writes. */
    public static Fingerprint of(byte[] stored) {
        if (stored.length != HEADER + RecordId.LENGTH) {
            throw new SemelException.Invalid("A stored fingerprint has " + (HEADER + RecordId.LENGTH)
                    + " bytes; this has " + stored.length + ". The ledger's row is damaged.");
        }
        ByteBuffer buffer = ByteBuffer.wrap(stored);
        int version = buffer.get() & 0xff;
        int schema = buffer.getShort() & 0xffff;
        return new Fingerprint(version, schema, Arrays.copyOfRange(stored, HEADER, stored.length));
    }

    /** As stored: version, schema version, hash. */
    public byte[] bytes() {
        return ByteBuffer.allocate(HEADER + hash.length)
                .put((byte) version)
                .putShort((short) schema)
                .put(hash)
                .array();
    }

    /** The version of the rules that it was made by; see {@link Fingerprints}. */
    public int version() {
        return version;
    }

    /** The version of the payload's schema that it was made by. */
    public int schema() {
        return schema;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Fingerprint f
                && version == f.version
                && schema == f.schema
                && Arrays.equals(hash, f.hash);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(hash) * 31 + schema;
    }

    /** {@code v1:} and the hash in hexadecimal. */
    @Override
    public String toString() {
        return "v" + version + ":" + HexFormat.of().formatHex(hash);
    }
}
