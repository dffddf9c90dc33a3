package dev.semel.key;

import dev.semel.Operation;
import dev.semel.SemelException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Makes and compares fingerprints.
 *
 * <p>Version 1 is SHA-256 over the payload's schema version, its kind (none, JSON, bytes), its length and itself: JSON in
 * canonical form without the operation's transport fields, {@code byte[]} as it is. No payload, an empty one and JSON's
 * {@code null} are three different things.
 *
 * <p>Version 2 is the same of a payload without the members that are absent in meaning: those that are null, and those that have
 * the default that their operation declares ({@link Operation.Meaning}). It is made for operations that declare so; all others
 * keep to version 1, in which everything counts.
 *
 * <p>A stored fingerprint is compared in its own version of the rules and of the schema, so a deployment that raises either
 * does not turn retries into conflicts. A record of version 1 whose operation has declared since what is absent was made of one of
 * the forms that now mean the same: the payload as it is, or without some of what is absent. Each of them is tried, if they are few.
 * The transport fields and defaults are always the operation's present ones: a deployment that changes them lets retries of older
 * records conflict if they carry such a field.
 */
public final class Fingerprints {
    private static final int EVERYTHING_COUNTS = 1;
    private static final int ABSENT_IS_LEFT_OUT = 2;
    private static final byte NONE = 0;
    private static final byte JSON = 1;
    private static final byte BYTES = 2;
    private static final int HEADER = 2 * Byte.BYTES + Short.BYTES + Integer.BYTES;
    private static final byte[] EMPTY = {};

    /** Of so many fields that are absent in meaning every selection is tried. */
    private static final int FEW = 6;

    private static final JsonMapper MAPPER = JsonMapper.shared();

    private Fingerprints() {}

    /**
     * Under the newest rules that the operation has declared, and its present schema version.
     *
     * @param encodedPayload as {@link ValueCodec#encode} gave it
     * @throws SemelException.Invalid when the payload should be JSON and is not, or is JSON that has no canonical form
     */
    public static Fingerprint of(Operation.Definition<?, ?> definition, byte @Nullable [] encodedPayload) {
        int version = definition.meaning().nullsAreAbsent() ? ABSENT_IS_LEFT_OUT : EVERYTHING_COUNTS;
        return made(version, definition.schemaVersion(), definition, encodedPayload);
    }

    /**
     * Whether the payload means the same as the one that the stored fingerprint was made of.
     *
     * @throws SemelException.Invalid as {@link #of}, or when the stored one was made by rules that this version of Semel does
     *     not know
     */
    public static boolean matches(
            Fingerprint stored, Operation.Definition<?, ?> definition, byte @Nullable [] encodedPayload) {
        int version = stored.version();
        if (version != EVERYTHING_COUNTS && version != ABSENT_IS_LEFT_OUT) {
            throw new SemelException.Invalid("Operation " + definition.name()
                    + ": the record's fingerprint was made by rules v" + version
                    + ", this version of Semel knows up to v" + Fingerprint.VERSION
                    + ". Run the version that made the record, or a newer one.");
        }
        if (made(version, stored.schema(), definition, encodedPayload).equals(stored)) {
            return true;
        }
        boolean json = encodedPayload != null && definition.payload().type() != byte[].class;
        return version == EVERYTHING_COUNTS
                && definition.meaning().nullsAreAbsent()
                && json
                && matchesWithoutSome(stored, definition, encodedPayload);
    }

    /** Whether a record in which everything counted was made of the payload without some of what is absent in meaning. */
    private static boolean matchesWithoutSome(
            Fingerprint stored, Operation.Definition<?, ?> definition, byte[] payload) {
        String name = definition.name();
        CanonicalJson.MemberRule rule = withoutAbsent(definition);
        if (ofJson(stored, CanonicalJson.of(name, payload, rule)).equals(stored)) {
            return true;
        }
        List<String> absent = CanonicalJson.absent(name, payload, rule);
        if (absent.size() > FEW) {
            return false;
        }
        for (int some = 1; some < 1 << absent.size(); some++) {
            Set<String> excluded = new HashSet<>(definition.transportFields());
            for (int i = 0; i < absent.size(); i++) {
                if ((some >> i & 1) == 1) {
                    excluded.add(absent.get(i));
                }
            }
            if (ofJson(stored, CanonicalJson.of(name, payload, excluded)).equals(stored)) {
                return true;
            }
        }
        return false;
    }

    private static Fingerprint ofJson(Fingerprint stored, byte[] canonical) {
        return made(EVERYTHING_COUNTS, stored.schema(), JSON, canonical);
    }

    private static Fingerprint made(
            int version, int schema, Operation.Definition<?, ?> definition, byte @Nullable [] encodedPayload) {
        if (encodedPayload == null) {
            return made(version, schema, NONE, EMPTY);
        }
        if (definition.payload().type() == byte[].class) {
            return made(version, schema, BYTES, encodedPayload);
        }
        CanonicalJson.MemberRule rule = version == EVERYTHING_COUNTS
                ? new CanonicalJson.MemberRule(definition.transportFields(), false, Map.of())
                : withoutAbsent(definition);
        return made(version, schema, JSON, CanonicalJson.of(definition.name(), encodedPayload, rule));
    }

    private static CanonicalJson.MemberRule withoutAbsent(Operation.Definition<?, ?> definition) {
        Map<String, byte[]> defaults = new HashMap<>();
        definition.meaning().defaults().forEach((field, value) -> {
            String subject = "the default of " + field + " of " + definition.name();
            defaults.put(field, CanonicalJson.of(subject, MAPPER.writeValueAsBytes(value), Set.of()));
        });
        return new CanonicalJson.MemberRule(definition.transportFields(), true, defaults);
    }

    private static Fingerprint made(int version, int schema, byte kind, byte[] meaning) {
        byte[] header = ByteBuffer.allocate(HEADER)
                .put((byte) version)
                .put(kind)
                .putShort((short) schema)
                .putInt(meaning.length)
                .array();
        return new Fingerprint(version, schema, Hashes.of(header, meaning));
    }
}
