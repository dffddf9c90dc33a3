package dev.semel.key;

import dev.semel.Key;
import dev.semel.SemelException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/**
 * Names one record of the ledger: SHA-256 over the length-prefixed tenant, operation and key. Being a hash of all three, it
 * can be shown and logged where the key itself may not, and equal keys of two tenants cannot be linked. Ordered as unsigned
 * bytes, the order in which batches lock.
 */
public final class RecordId implements Comparable<RecordId> {
    /** Bytes of an id. */
    public static final int LENGTH = 32;

    private static final int LONGEST_STEP = 255;
    private static final int DOWNSTREAM = 20;

    /** No id is behind it. */
    public static final RecordId LAST = new RecordId(filled((byte) 0xff));

    private final byte[] bytes;

    private RecordId(byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * The id of these {@value #LENGTH} bytes, which are copied.
     *
     * @throws SemelException.Invalid when there are more or fewer
     */
    public static RecordId of(byte[] bytes) {
        if (bytes.length != LENGTH) {
            throw new SemelException.Invalid(
                    "A record id has " + LENGTH + " bytes; this has " + bytes.length + ". Take it from the ledger.");
        }
        return new RecordId(bytes.clone());
    }

    /** Reads the form that {@link #hex} writes. */
    public static RecordId ofHex(String hex) {
        try {
            return of(HexFormat.of().parseHex(hex));
        } catch (IllegalArgumentException e) {
            throw new SemelException.Invalid("\"" + hex + "\" is not a record id: 64 hexadecimal digits are.", e);
        }
    }

    /**
     * The first and the last id whose {@link #hex} begins with these digits.
     *
     * @param digits 1 to 64 hexadecimal digits
     */
    public static List<RecordId> range(String digits) {
        if (!digits.matches("[0-9a-fA-F]{1,64}")) {
            throw new SemelException.Invalid(
                    "\"" + digits + "\" is not the beginning of a record id: use 1 to 64 hexadecimal digits.");
        }
        int missing = 2 * LENGTH - digits.length();
        return List.of(ofHex(digits + "0".repeat(missing)), ofHex(digits + "f".repeat(missing)));
    }

    private static byte[] filled(byte value) {
        byte[] bytes = new byte[LENGTH];
        Arrays.fill(bytes, value);
        return bytes;
    }

    /**
     * The record of a named step of this record. It is never the id of a record that a call made.
     *
     * @param name 1 to 255 characters, compared as they are
     */
    public RecordId step(String name) {
        if (name.isEmpty() || name.length() > LONGEST_STEP) {
            throw new SemelException.Invalid("A step's name has 1 to " + LONGEST_STEP + " characters; this has "
                    + name.length() + ". Give each step a short name of its own.");
        }
        Parts.utf8("step's name", name);
        // A call's id begins with its tenant, which is never empty.
        return Hashes.recordId("", "step", hex(), name);
    }

    /**
     * Where a message is recorded that a run in SHADOW would have sent as this record. It is never the id of a record that a call or a
     * send made, so that nothing recorded there is taken for a duplicate.
     */
    public RecordId shadow() {
        // A call's id begins with its tenant, which is never empty; a step's has four parts.
        return Hashes.recordId("", "shadow", hex());
    }

    /**
     * The idempotency key to hand to a downstream service on behalf of this record or step: the same in every attempt, under
     * every fence. It begins like {@link #hex}, so that the record can be found from the other side's log.
     */
    public String downstreamKey() {
        return "semel-" + HexFormat.of().formatHex(bytes, 0, DOWNSTREAM);
    }

    /**
     * The key of something that a run of this record sends: the same in every attempt and replay, and another one for another record.
     *
     * @param what is sent, such as "receipt"
     * @throws SemelException.Invalid when the key would be too long
     */
    public Key sentKey(String what) {
        return Key.of("run:" + downstreamKey() + ":" + what);
    }

    /** As stored, {@value #LENGTH} bytes. A copy: changing it changes no id. */
    public byte[] bytes() {
        return bytes.clone();
    }

    /** The first eight bytes as a number, for engines that lock by number. */
    public long lockNumber() {
        long number = 0;
        for (int i = 0; i < Long.BYTES; i++) {
            number = number << 8 | bytes[i] & 0xff;
        }
        return number;
    }

    /** 64 lower-case hexadecimal digits, as people and tools write it; {@link #ofHex} reads them. */
    public String hex() {
        return HexFormat.of().formatHex(bytes);
    }

    /** Enough of it to find a line in a log. */
    public String prefix() {
        return HexFormat.of().formatHex(bytes, 0, 6);
    }

    @Override
    public int compareTo(RecordId other) {
        return Arrays.compareUnsigned(bytes, other.bytes);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RecordId id && Arrays.equals(bytes, id.bytes);
    }

    @Override
    public int hashCode() {
        return (bytes[0] & 0xff) << 24 | (bytes[1] & 0xff) << 16 | (bytes[2] & 0xff) << 8 | bytes[3] & 0xff;
    }

    @Override
    public String toString() {
        return prefix();
    }
}
