package dev.semel.key;

import dev.semel.Operation;
import dev.semel.SemelException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stored payloads of one operation, of whatever schema version: read as the present type, and compared with the payload of a retry. The
 * version of a stored payload is that of its record's fingerprint.
 *
 * @param <P> the present type
 */
public record PayloadVersions<P>(ValueCodec codec, Operation.Definition<P, ?> definition) {
    private static final Logger LOG = LoggerFactory.getLogger(PayloadVersions.class);

    private static final ValueCodec EXACT_JSON = new ValueCodec(Integer.MAX_VALUE, JacksonCodec.exact());
    private static final Operation.TypeRef<Map<String, Object>> JSON_OBJECT = new Operation.TypeRef<>() {};

    /**
     * A payload as a record has it.
     *
     * @param payload absent where the record keeps only the fingerprint
     */
    public record StoredPayload(Fingerprint fingerprint, byte @Nullable [] payload) {}

    /**
     * Read as the present type, after the migrations from its version.
     *
     * @param stored of the record
     * @throws SemelException.Invalid when it is of a newer version than is known here, when no migration leads from its version, when a
     *     migration throws, or when it cannot be read as the present type
     */
    public @Nullable P read(Fingerprint stored, byte @Nullable [] payload) {
        return codec.decode(payload == null ? null : migrated(stored.schema(), payload), definition.payload());
    }

    /**
     * Whether a payload of the present version means the same as the stored one. Compared as the present version if the stored payload
     * is kept, in the version of the stored one if the migrations have inverses, and to the letter otherwise.
     *
     * @param payload as {@link ValueCodec#encode} gave it
     * @throws SemelException.Invalid as {@link Fingerprints#matches}
     */
    public boolean same(StoredPayload stored, byte @Nullable [] payload) {
        Fingerprint fingerprint = stored.fingerprint;
        List<Operation.Migration<?, ?>> steps = stepsFrom(fingerprint.schema());
        if (steps.isEmpty() || payload == null) {
            return Fingerprints.matches(fingerprint, definition, payload);
        }
        try {
            if (stored.payload != null) {
                byte[] present = migrated(fingerprint.schema(), stored.payload);
                return Fingerprints.of(definition, present).equals(Fingerprints.of(definition, payload));
            }
            if (steps.stream().allMatch(each -> each.inverse() != null)) {
                byte[] older = payload;
                for (int i = steps.size() - 1; i >= 0; i--) {
                    older = back(steps.get(i), older);
                }
                return Fingerprints.matches(fingerprint, as(steps.get(0).older()), older);
            }
        } catch (SemelException.Invalid e) {
            LOG.warn(
                    "{}: comparing a retry with a request of schema version {} failed; answering with a conflict",
                    definition.name(),
                    fingerprint.schema(),
                    e);
            return false;
        }
        return Fingerprints.matches(fingerprint, definition, payload);
    }

    /** The bytes to keep for comparisons of a payload of this version: none if fingerprints are enough. */
    public byte @Nullable [] keptToCompare(StoredPayload stored) {
        return stepsFrom(stored.fingerprint.schema()).isEmpty() ? null : stored.payload;
    }

    private <T> Operation.Definition<T, ?> as(Operation.TypeRef<T> payload) {
        return new Operation.Definition<>(
                definition.name(), payload, definition.result(), definition.policy(), definition.meaning());
    }

    private List<Operation.Migration<?, ?>> stepsFrom(int version) {
        List<Operation.Migration<?, ?>> all = definition.meaning().migrations();
        int passed = all.isEmpty() ? -1 : version - all.get(0).from();
        return passed < 0 || passed >= all.size() ? List.of() : all.subList(passed, all.size());
    }

    private byte[] migrated(int version, byte[] payload) {
        int present = definition.schemaVersion();
        if (version > present) {
            throw new SemelException.Invalid("It has schema version " + version + ", and this node knows "
                    + definition.name() + " up to version " + present
                    + ". A node of the newer deployment can read it.");
        }
        List<Operation.Migration<?, ?>> all = definition.meaning().migrations();
        if (!all.isEmpty() && version < all.get(0).from()) {
            throw new SemelException.Invalid("It has schema version " + version + ", and the migrations of "
                    + definition.name() + " begin with version " + all.get(0).from()
                    + ". Declare a migration from version " + version + ".");
        }
        byte[] migrated = payload;
        for (Operation.Migration<?, ?> each : stepsFrom(version)) {
            migrated = forth(each, migrated);
        }
        return migrated;
    }

    private <A, B> byte[] forth(Operation.Migration<A, B> step, byte[] payload) {
        String name = "The migration of " + definition.name() + " from schema version " + step.from();
        return converted(name, payload, step.older(), step.newer(), step.step());
    }

    private <A, B> byte[] back(Operation.Migration<A, B> step, byte[] payload) {
        String name = "The inverse migration of " + definition.name() + " to schema version " + step.from();
        return converted(name, payload, step.newer(), step.older(), Objects.requireNonNull(step.inverse()));
    }

    private <A, B> byte[] converted(
            String name,
            byte[] payload,
            Operation.TypeRef<A> from,
            Operation.TypeRef<B> to,
            Function<? super A, ? extends B> function) {
        A value = codecOf(from).decode(payload, from);
        B converted;
        try {
            converted = function.apply(value);
        } catch (Exception | StackOverflowError | LinkageError | AssertionError e) {
            throw new SemelException.Invalid(name + " throws " + e.getClass().getName() + ".", e);
        }
        if (converted == null) {
            throw new SemelException.Invalid(name + " gives null. Let it give the payload of the other version.");
        }
        return codecOf(to).encodeUnbounded(converted, to);
    }

    private ValueCodec codecOf(Operation.TypeRef<?> type) {
        return type.equals(JSON_OBJECT) ? EXACT_JSON : codec;
    }
}
