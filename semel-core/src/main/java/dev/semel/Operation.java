package dev.semel;

import java.util.Set;

/**
 * A named kind of work: a typed constant, declared once and used wherever the work is asked for. Two forms with different
 * promises: {@link Atomic} commits together with the ledger, {@link Leased} may touch the outside world.
 *
 * @param <P> what the work is given
 * @param <R> what it answers; the answer is stored and replayed
 */
public sealed interface Operation<P, R> {

    /** What is declared about it. */
    Definition<P, R> definition();

    default String name() {
        return definition().name();
    }

    /** The effect, the record, the audit and the result commit in one transaction of the application's database. */
    static <P, R> Atomic<P, R> atomic(String name, Class<P> payload, Class<R> result) {
        return new Atomic<>(new Definition<>(name, payload, result, "default", 1, Set.of()));
    }

    /** The record is granted first, then the handler runs under a lease and a fence, then the result is stored. */
    static <P, R> Leased<P, R> leased(String name, Class<P> payload, Class<R> result) {
        return new Leased<>(new Definition<>(name, payload, result, "default", 1, Set.of()), false);
    }

    /** @see Operation#atomic */
    record Atomic<P, R>(Definition<P, R> definition) implements Operation<P, R> {
        public Atomic<P, R> withPolicy(String policy) {
            return new Atomic<>(definition.withPolicy(policy));
        }

        public Atomic<P, R> withSchemaVersion(int version) {
            return new Atomic<>(definition.withSchemaVersion(version));
        }

        public Atomic<P, R> withTransportFields(String... names) {
            return new Atomic<>(definition.withTransportFields(Set.of(names)));
        }
    }

    /**
     * @see Operation#leased
     * @param repeatable whether a run that was interrupted may be run again by itself. If not, it becomes UNKNOWN and waits
     *     for its reconciler or a person: what may already have happened is never silently repeated
     */
    record Leased<P, R>(Definition<P, R> definition, boolean repeatable) implements Operation<P, R> {
        public Leased<P, R> withPolicy(String policy) {
            return new Leased<>(definition.withPolicy(policy), repeatable);
        }

        public Leased<P, R> withSchemaVersion(int version) {
            return new Leased<>(definition.withSchemaVersion(version), repeatable);
        }

        public Leased<P, R> withTransportFields(String... names) {
            return new Leased<>(definition.withTransportFields(Set.of(names)), repeatable);
        }

        /** Declares that an interrupted run may be repeated: every effect of the handler checks the key it is given. */
        public Leased<P, R> asRepeatable() {
            return new Leased<>(definition, true);
        }
    }

    /**
     * @param name 1 to 120 characters; part of every record's identity, so renaming an operation forgets its records
     * @param payload read and written as JSON, or the bytes themselves for {@code byte[]}
     * @param result stored as JSON, or the bytes themselves for {@code byte[]}
     * @param policy a name of the catalogue or of the configuration
     * @param schemaVersion of the payload; part of the fingerprint, compared in the version that the record was made with
     * @param transportFields top-level payload fields that are not part of the meaning (retry counter, receive time)
     */
    record Definition<P, R>(
            String name,
            Class<P> payload,
            Class<R> result,
            String policy,
            int schemaVersion,
            Set<String> transportFields) {
        public Definition {
            Text.checkName("operation name", name, 120);
            Text.checkName("policy name", policy, 120);
            if (schemaVersion < 1 || schemaVersion > 65_535) {
                throw new SemelException.Invalid("Operation " + name + ": schema version " + schemaVersion
                        + " is outside 1 to 65535. Count versions up from 1.");
            }
            transportFields = Set.copyOf(transportFields);
        }

        Definition<P, R> withPolicy(String value) {
            return new Definition<>(name, payload, result, value, schemaVersion, transportFields);
        }

        Definition<P, R> withSchemaVersion(int value) {
            return new Definition<>(name, payload, result, policy, value, transportFields);
        }

        Definition<P, R> withTransportFields(Set<String> value) {
            return new Definition<>(name, payload, result, policy, schemaVersion, value);
        }
    }
}
