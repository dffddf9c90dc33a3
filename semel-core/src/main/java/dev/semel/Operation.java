package dev.semel;

import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A named kind of work: a typed constant, declared once and used wherever the work is asked for. Two forms with different
 * promises: {@link Atomic} commits together with the ledger, {@link Leased} may touch the outside world.
 *
 * @param <P> what the work is given
 * @param <R> what it answers; the answer is stored and replayed
 */
public sealed interface Operation<P, R> {

    /** Its declaration: name, types, policy and meaning. */
    Definition<P, R> definition();

    /** Part of every record's identity: an operation that is renamed forgets its records. */
    default String name() {
        return definition().name();
    }

    /**
     * A call whose key is found by the declared {@linkplain Atomic#withKey key strategy}:
     *
     * <pre>{@code
     * semel.run(PLACE, PLACE.call(tenant, order), handler)
     * }</pre>
     *
     * @throws SemelException.Invalid when no strategy is declared, or it finds no key
     */
    default Call<P> call(Tenant tenant, @Nullable P payload) {
        return call(tenant, payload, Call.Origin.UNSTATED, Map.of());
    }

    /**
     * As {@link #call(Tenant, Object)}, for strategies that also look at who asked and at headers.
     *
     * @param metadata headers of the message or request; names are compared without regard to case
     */
    default Call<P> call(Tenant tenant, @Nullable P payload, Call.Origin origin, Map<String, String> metadata) {
        Key key = definition().keyOf(new Key.CallFacts<>(name(), tenant, payload, origin, metadata));
        return Call.of(tenant, key, payload).withOrigin(origin);
    }

    /** The effect, the record, the audit and the result commit in one transaction of the application's database. */
    static <P, R> Atomic<P, R> atomic(String name, Class<P> payload, Class<R> result) {
        return atomic(name, TypeRef.of(payload), TypeRef.of(result));
    }

    /**
     * As {@link #atomic(String, Class, Class)}, for types with arguments:
     *
     * <pre>{@code
     * Operation.atomic("split", TypeRef.of(Order.class), new TypeRef<List<Parcel>>() {})
     * }</pre>
     */
    static <P, R> Atomic<P, R> atomic(String name, TypeRef<P> payload, TypeRef<R> result) {
        return new Atomic<>(new Definition<>(name, payload, result, Policy.Choice.named("default"), Meaning.FIRST));
    }

    /**
     * The record is granted first, then the handler runs under a lease and a fence, then the result is stored. A run that is
     * interrupted is not repeated automatically, unless it is declared {@linkplain Leased#asRepeatable repeatable}.
     */
    static <P, R> Leased<P, R> leased(String name, Class<P> payload, Class<R> result) {
        return leased(name, TypeRef.of(payload), TypeRef.of(result));
    }

    /** As {@link #leased(String, Class, Class)}, for types with arguments, see {@link #atomic(String, TypeRef, TypeRef)}. */
    static <P, R> Leased<P, R> leased(String name, TypeRef<P> payload, TypeRef<R> result) {
        return new Leased<>(
                new Definition<>(name, payload, result, Policy.Choice.named("default"), Meaning.FIRST),
                Repeatable.BY_POLICY);
    }

    /** @see Operation#atomic */
    record Atomic<P, R>(Definition<P, R> definition) implements Operation<P, R> {
        /**
         * With the policy of this name, of those that ship, {@link Semel.Settings#withPolicy} adds or the configuration has. A name
         * that nobody knows is refused when the operation is first used.
         */
        public Atomic<P, R> withPolicy(String policy) {
            return new Atomic<>(definition.withPolicy(Policy.Choice.named(policy)));
        }

        /** With this policy, which needs no registration. The configuration may change it by its name. */
        public Atomic<P, R> withPolicy(Policy policy) {
            return new Atomic<>(definition.withPolicy(Policy.Choice.of(policy)));
        }

        /** How the key of a call is found that is made by {@link Operation#call}. Calls with a key of their own are not affected. */
        public Atomic<P, R> withKey(Key.Strategy<? super P> strategy) {
            return new Atomic<>(definition.with(definition.guards.withKey(strategy)));
        }

        /** Checks each payload before anything is stored. See {@link Call.Validation}. */
        public Atomic<P, R> withValidation(Call.Validation<? super P> validation) {
            return new Atomic<>(definition.with(definition.guards.withValidation(validation)));
        }

        /** Runs no more calls than this. See {@link Channel.RateLimit}. */
        public Atomic<P, R> withRateLimit(Channel.RateLimit limit) {
            return new Atomic<>(definition.with(definition.guards.withRateLimit(limit)));
        }

        /** Stops running the handler for a while when it keeps failing. See {@link Channel.Breaker}. */
        public Atomic<P, R> withBreaker(Channel.Breaker breaker) {
            return new Atomic<>(definition.with(definition.guards.withBreaker(breaker)));
        }

        /** See {@link Meaning#schemaVersion}. */
        public Atomic<P, R> withSchemaVersion(int version) {
            return new Atomic<>(definition.withSchemaVersion(version));
        }

        /**
         * The present version of the payload, and how those before it become it. Declare all migrations in this one call.
         *
         * @throws SemelException.Invalid when a version between the oldest migration and the present one has none, or two
         * @see Migration
         */
        public Atomic<P, R> withSchemaVersion(int version, Migration<?, ?>... migrations) {
            return new Atomic<>(definition.withSchemaVersion(version, List.of(migrations)));
        }

        /** See {@link Meaning#transportFields}. */
        public Atomic<P, R> withTransportFields(String... names) {
            return new Atomic<>(definition.withTransportFields(Set.of(names)));
        }

        /** See {@link Meaning#nullsAreAbsent}. */
        public Atomic<P, R> withNullsAsAbsent() {
            return new Atomic<>(definition.with(definition.meaning.withNullsAsAbsent()));
        }

        /** The payload means the same with this value as without the field, at any time. See {@link Meaning#defaults}. */
        public Atomic<P, R> withDefault(String field, Object value) {
            return new Atomic<>(definition.with(definition.meaning.withDefault(field, value)));
        }

        /**
         * Also belongs to the group of this label, such as {@code side-effects}: a mode that is set for the label applies to it. A label
         * is no part of a record's identity and may be changed at any time.
         *
         * @param label 1 to 120 characters without control characters
         */
        public Atomic<P, R> withLabel(String label) {
            return new Atomic<>(definition.with(definition.guards.withLabel(label)));
        }
    }

    /**
     * @see Operation#leased
     * @param repeatable whether an interrupted run may be repeated automatically; not unless it is declared, because a caller
     *     waits for the answer and can decide. If it is not repeatable, its record becomes UNKNOWN and waits for its
     *     reconciler or a person: a possible effect is never silently repeated
     */
    record Leased<P, R>(Definition<P, R> definition, Repeatable repeatable) implements Operation<P, R> {
        /** @see Atomic#withPolicy(String) */
        public Leased<P, R> withPolicy(String policy) {
            return new Leased<>(definition.withPolicy(Policy.Choice.named(policy)), repeatable);
        }

        /** @see Atomic#withPolicy(Policy) */
        public Leased<P, R> withPolicy(Policy policy) {
            return new Leased<>(definition.withPolicy(Policy.Choice.of(policy)), repeatable);
        }

        /** How the key of a call is found that is made by {@link Operation#call}. Calls with a key of their own are not affected. */
        public Leased<P, R> withKey(Key.Strategy<? super P> strategy) {
            return new Leased<>(definition.with(definition.guards.withKey(strategy)), repeatable);
        }

        /** Checks each payload before anything is stored. See {@link Call.Validation}. */
        public Leased<P, R> withValidation(Call.Validation<? super P> validation) {
            return new Leased<>(definition.with(definition.guards.withValidation(validation)), repeatable);
        }

        /** Runs no more calls than this. See {@link Channel.RateLimit}. */
        public Leased<P, R> withRateLimit(Channel.RateLimit limit) {
            return new Leased<>(definition.with(definition.guards.withRateLimit(limit)), repeatable);
        }

        /** Stops running the handler for a while when it keeps failing. See {@link Channel.Breaker}. */
        public Leased<P, R> withBreaker(Channel.Breaker breaker) {
            return new Leased<>(definition.with(definition.guards.withBreaker(breaker)), repeatable);
        }

        /** See {@link Meaning#schemaVersion}. */
        public Leased<P, R> withSchemaVersion(int version) {
            return new Leased<>(definition.withSchemaVersion(version), repeatable);
        }

        /**
         * The present version of the payload, and how those before it become it. Declare all migrations in this one call.
         *
         * @throws SemelException.Invalid when a version between the oldest migration and the present one has none, or two
         * @see Migration
         */
        public Leased<P, R> withSchemaVersion(int version, Migration<?, ?>... migrations) {
            return new Leased<>(definition.withSchemaVersion(version, List.of(migrations)), repeatable);
        }

        /** See {@link Meaning#transportFields}. */
        public Leased<P, R> withTransportFields(String... names) {
            return new Leased<>(definition.withTransportFields(Set.of(names)), repeatable);
        }

        /** See {@link Meaning#nullsAreAbsent}. */
        public Leased<P, R> withNullsAsAbsent() {
            return new Leased<>(definition.with(definition.meaning.withNullsAsAbsent()), repeatable);
        }

        /** The payload means the same with this value as without the field, at any time. See {@link Meaning#defaults}. */
        public Leased<P, R> withDefault(String field, Object value) {
            return new Leased<>(definition.with(definition.meaning.withDefault(field, value)), repeatable);
        }

        /** @see Atomic#withLabel(String) */
        public Leased<P, R> withLabel(String label) {
            return new Leased<>(definition.with(definition.guards.withLabel(label)), repeatable);
        }

        /** Declares that an interrupted run may be repeated: every effect of the handler checks the key it is given. */
        public Leased<P, R> asRepeatable() {
            return new Leased<>(definition, Repeatable.YES);
        }

        /** Declares that an interrupted run is never repeated automatically, also under a policy that is repeatable. */
        public Leased<P, R> asUnrepeatable() {
            return new Leased<>(definition, Repeatable.NO);
        }

        /** Whether an interrupted run under this policy may be repeated automatically. The declaration wins over the policy. */
        public boolean isRepeatable(Policy policy) {
            return switch (repeatable) {
                case YES -> true;
                case NO -> false;
                case BY_POLICY -> policy.options().repeatable();
            };
        }
    }

    /** What an operation declares about its interrupted runs: whether they may be repeated automatically. */
    enum Repeatable {
        /** They may be repeated: every effect of the handler checks the key it is given. */
        YES,
        /** They are never repeated automatically. */
        NO,
        /** Nothing is declared: they may not be repeated, unless the operation's policy says so. None that ships does. */
        BY_POLICY
    }

    /**
     * @param name 1 to 120 characters; part of every record's identity, so renaming an operation forgets its records
     * @param payload read and written as JSON, or the bytes themselves for {@code byte[]}
     * @param result stored as JSON, or the bytes themselves for {@code byte[]}
     * @param policy which one it has
     * @param meaning what of a payload counts when two are compared
     * @param guards what a call of it passes before its handler
     */
    record Definition<P, R>(
            String name,
            TypeRef<P> payload,
            TypeRef<R> result,
            Policy.Choice policy,
            Meaning meaning,
            Call.Guards<P> guards) {
        /** Every call brings its key and is run. */
        public Definition(String name, TypeRef<P> payload, TypeRef<R> result, Policy.Choice policy, Meaning meaning) {
            this(name, payload, result, policy, meaning, Call.Guards.none());
        }

        public Definition {
            Text.checkName("operation name", name, 120);
            if (meaning.schemaVersion < 1 || meaning.schemaVersion > 65_535) {
                throw new SemelException.Invalid("Operation " + name + ": schema version " + meaning.schemaVersion
                        + " is outside 1 to 65535. Count versions up from 1.");
            }
            Migration.demandChain(name, meaning);
        }

        /** See {@link Meaning#schemaVersion}. */
        public int schemaVersion() {
            return meaning.schemaVersion;
        }

        /** See {@link Meaning#transportFields}. */
        public Set<String> transportFields() {
            return meaning.transportFields;
        }

        /** How the key of a call is found that has none; absent if every call brings its own. */
        public Key.@Nullable Strategy<? super P> key() {
            return guards.key();
        }

        /** The groups it belongs to: a mode can be set for all operations of a label. */
        public Set<String> labels() {
            return guards.labels();
        }

        Key keyOf(Key.CallFacts<P> facts) {
            Key.Strategy<? super P> key = guards.key();
            if (key == null) {
                throw new SemelException.Invalid(name + " declares no key strategy, and the call brings no key. Declare"
                        + " one with withKey(...), or give the key itself.");
            }
            return key.of(facts);
        }

        Definition<P, R> with(Call.Guards<P> value) {
            return new Definition<>(name, payload, result, policy, meaning, value);
        }

        Definition<P, R> withPolicy(Policy.Choice value) {
            return new Definition<>(name, payload, result, value, meaning, guards);
        }

        Definition<P, R> withSchemaVersion(int value) {
            return withSchemaVersion(value, meaning.migrations);
        }

        Definition<P, R> withSchemaVersion(int value, List<Migration<?, ?>> migrations) {
            return with(
                    new Meaning(value, meaning.transportFields, meaning.nullsAreAbsent, meaning.defaults, migrations));
        }

        Definition<P, R> withTransportFields(Set<String> value) {
            return with(new Meaning(
                    meaning.schemaVersion, value, meaning.nullsAreAbsent, meaning.defaults, meaning.migrations));
        }

        Definition<P, R> with(Meaning value) {
            return new Definition<>(name, payload, result, policy, value, guards);
        }
    }

    /**
     * What of a payload counts when a retry is compared with the first request. A stored record is compared by the rules that it was
     * made with, so that declaring more of this later does not turn retries of older records into conflicts.
     *
     * @param schemaVersion of the payload; part of the fingerprint, compared in the version that the record was made with
     * @param transportFields top-level payload fields that are not part of the meaning (retry counter, receive time)
     * @param nullsAreAbsent whether a field that is null means the same as none, at every depth. A retry by a newer class, whose new
     *     field is null, is then a duplicate of the request that an older class made
     * @param defaults top-level payload fields, and for each the value that means the same as none: text, a number or a boolean.
     *     Declaring one also makes nulls absent
     * @param migrations how payloads of older versions become the present one, oldest first; a version below the first of them is
     *     no longer read. If there are none, payloads of all versions up to the present one are read as they are
     */
    record Meaning(
            int schemaVersion,
            Set<String> transportFields,
            boolean nullsAreAbsent,
            Map<String, Object> defaults,
            List<Migration<?, ?>> migrations) {
        /** The first version, and everything counts. */
        public static final Meaning FIRST = new Meaning(1, Set.of(), false, Map.of());

        /** Without migrations. */
        public Meaning(
                int schemaVersion, Set<String> transportFields, boolean nullsAreAbsent, Map<String, Object> defaults) {
            this(schemaVersion, transportFields, nullsAreAbsent, defaults, List.of());
        }

        public Meaning {
            transportFields = Set.copyOf(transportFields);
            defaults = Map.copyOf(defaults);
            migrations = migrations.stream()
                    .sorted(Comparator.comparingInt((Migration<?, ?> each) -> each.from))
                    .toList();
            defaults.forEach((field, value) -> {
                if (!(value instanceof String || value instanceof Number || value instanceof Boolean)) {
                    throw new SemelException.Invalid("The default of the field " + field + " is of "
                            + value.getClass().getName() + ": give text, a number or a boolean.");
                }
            });
        }

        Meaning withNullsAsAbsent() {
            return new Meaning(schemaVersion, transportFields, true, defaults, migrations);
        }

        Meaning withDefault(String field, Object value) {
            Map<String, Object> all = new HashMap<>(defaults);
            all.put(field, value);
            return new Meaning(schemaVersion, transportFields, true, all, migrations);
        }
    }

    /**
     * How a payload of one schema version becomes one of the next, for messages that were queued and records that were made before a
     * deployment:
     *
     * <pre>{@code
     * Channel.leased("mail", Mail.class)
     *         .withSchemaVersion(3,
     *                 Migration.of(1, MailV1.class, MailV2.class, old -> new MailV2(old.to(), old.text(), "en")),
     *                 Migration.ofJson(2, fields -> { fields.put("priority", 0); return fields; }))
     * }</pre>
     *
     * The function must not have effects: it runs whenever such a payload is read or compared. If it throws, the payload counts as
     * unreadable.
     *
     * @param <A> a payload of the older version
     * @param <B> the same of the version after it
     * @param from the older version; the newer one is the next number
     * @param older the type as which it is read, by the application's codec; {@code Map<String, Object>} is read as exact JSON
     * @param newer the type as which it is written for the next migration, or read by the operation
     * @param step gives the newer form
     * @param inverse gives the older form of a newer payload, see {@link #withInverse}
     */
    record Migration<A, B>(
            int from,
            TypeRef<A> older,
            TypeRef<B> newer,
            Function<? super A, ? extends B> step,
            @Nullable Function<? super B, ? extends A> inverse) {
        private static final TypeRef<Map<String, Object>> JSON = new TypeRef<>() {};

        /** From one class to another. */
        public static <A, B> Migration<A, B> of(
                int from, Class<A> older, Class<B> newer, Function<? super A, ? extends B> step) {
            return of(from, TypeRef.of(older), TypeRef.of(newer), step);
        }

        /** As {@link #of(int, Class, Class, Function)}, for types with arguments. */
        public static <A, B> Migration<A, B> of(
                int from, TypeRef<A> older, TypeRef<B> newer, Function<? super A, ? extends B> step) {
            return new Migration<>(from, older, newer, step, null);
        }

        /**
         * Of a JSON object, without classes for the older versions.
         *
         * @param step may change and return the map that it gets. Objects in it are maps, arrays lists, decimal numbers
         *     {@link java.math.BigDecimal}
         */
        public static Migration<Map<String, Object>, Map<String, Object>> ofJson(
                int from, UnaryOperator<Map<String, Object>> step) {
            return new Migration<>(from, JSON, JSON, step, null);
        }

        /**
         * Also says what a payload of the newer version was in the older one, so that a retry of an older request is the same call
         * where the ledger keeps only the fingerprint of that request: for direct calls of atomic operations. Messages and leased
         * calls need none, because their payloads are kept.
         */
        public Migration<A, B> withInverse(Function<? super B, ? extends A> function) {
            return new Migration<>(from, older, newer, step, function);
        }

        static void demandChain(String operation, Meaning meaning) {
            List<Migration<?, ?>> all = meaning.migrations;
            List<String> faults = new ArrayList<>();
            for (int i = 0; i < all.size(); i++) {
                int from = all.get(i).from;
                int next = i + 1 < all.size() ? all.get(i + 1).from : meaning.schemaVersion;
                if (from < 1 || from >= meaning.schemaVersion) {
                    faults.add("version " + from + " is not one before the present");
                } else if (next == from) {
                    faults.add("version " + from + " has two migrations");
                } else {
                    for (int missing = from + 1; missing < Math.min(next, meaning.schemaVersion); missing++) {
                        faults.add("version " + missing + " has no migration");
                    }
                }
            }
            if (!faults.isEmpty()) {
                throw new SemelException.Invalid(
                        "Operation " + operation + ": no chain of migrations to schema version "
                                + meaning.schemaVersion + ": " + String.join(", ", faults)
                                + ". Declare one migration for each version from the oldest that is still stored.");
            }
        }
    }

    /**
     * A type with its arguments, which a {@code Class} cannot say: {@code new TypeRef<List<Order>>() {}}. Two are equal if their types
     * are. Immutable.
     *
     * @param <T> the type, without type variables in it
     */
    abstract class TypeRef<T> {
        private final Type type;

        /** @throws SemelException.Invalid when T is not given, or is or has a type variable */
        protected TypeRef() {
            if (!(getClass().getGenericSuperclass() instanceof ParameterizedType given)
                    || given.getRawType() != TypeRef.class) {
                throw new SemelException.Invalid(
                        getClass().getName() + " says no type. Write new TypeRef<List<Order>>() {}.");
            }
            this.type = withoutVariable(given.getActualTypeArguments()[0]);
        }

        private TypeRef(Type type) {
            this.type = withoutVariable(type);
        }

        /** A type without arguments. */
        public static <T> TypeRef<T> of(Class<T> type) {
            return new RuntimeTypeRef<>(type);
        }

        /**
         * A type that is known at run time only, such as that of a method's parameter.
         *
         * @throws SemelException.Invalid when it is or has a type variable
         */
        public static TypeRef<?> of(Type type) {
            return new RuntimeTypeRef<>(type);
        }

        /** The type that codecs get. */
        public final Type type() {
            return type;
        }

        /** The class of its values, without arguments. */
        public final Class<?> raw() {
            return raw(type);
        }

        /** As in {@code java.util.List<com.acme.Order>}. */
        public final String name() {
            return type instanceof Class<?> plain ? plain.getName() : type.getTypeName();
        }

        @Override
        public final boolean equals(@Nullable Object other) {
            return other instanceof TypeRef<?> ref && type.equals(ref.type);
        }

        @Override
        public final int hashCode() {
            return type.hashCode();
        }

        @Override
        public final String toString() {
            return name();
        }

        private static Class<?> raw(Type type) {
            if (type instanceof GenericArrayType array) {
                return raw(array.getGenericComponentType()).arrayType();
            }
            return (Class<?>) (type instanceof ParameterizedType given ? given.getRawType() : type);
        }

        private static Type withoutVariable(Type type) {
            if (hasVariable(type)) {
                throw new SemelException.Invalid("The type " + type.getTypeName()
                        + " has a variable, so nobody could read it back. Write it out, as in new"
                        + " TypeRef<List<Order>>() {}.");
            }
            return type;
        }

        private static boolean hasVariable(Type type) {
            if (type instanceof ParameterizedType given) {
                return Arrays.stream(given.getActualTypeArguments()).anyMatch(TypeRef::hasVariable);
            }
            if (type instanceof WildcardType wild) {
                return Arrays.stream(wild.getUpperBounds()).anyMatch(TypeRef::hasVariable)
                        || Arrays.stream(wild.getLowerBounds()).anyMatch(TypeRef::hasVariable);
            }
            return type instanceof GenericArrayType array
                    ? hasVariable(array.getGenericComponentType())
                    : type instanceof TypeVariable;
        }

        private static final class RuntimeTypeRef<T> extends TypeRef<T> {
            RuntimeTypeRef(Type type) {
                super(type);
            }
        }
    }
}
