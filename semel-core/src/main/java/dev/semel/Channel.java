package dev.semel;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An operation that runs later, by a worker: a typed constant, declared once and used by those who send and those who handle.
 * Its messages are durable, each is identified by its key, tried by its policy, and in order within a lane.
 *
 * <p>Two forms with different promises. {@link Atomic}: the handler only writes to the ledger's own database, and effect,
 * further sends, audit and completion commit in one transaction: exactly once from message to effect. {@link Leased}: the
 * handler may call out; it is run at least once, under a stable key and a fence that the receiver can check, or at most once
 * if it is declared unrepeatable.
 *
 * @param <P> what a message carries
 */
public sealed interface Channel<P> {

    /** Its declaration: name, payload, policy and lane. */
    Definition<P> definition();

    /** The operation as which its messages stand in the ledger. */
    Operation<P, Void> operation();

    /** Part of every message's identity: a channel that is renamed forgets its messages. */
    default String name() {
        return definition().operation().name();
    }

    /**
     * A message whose key is found by the declared {@linkplain Atomic#withKey key strategy}.
     *
     * @throws SemelException.Invalid when no strategy is declared, or it finds no key
     */
    default Message<P> message(Tenant tenant, @Nullable P payload) {
        return message(tenant, payload, Call.Origin.UNSTATED, Map.of());
    }

    /**
     * As {@link #message(Tenant, Object)}, for strategies that also look at who asked and at headers.
     *
     * @param metadata headers of the message or request; names are compared without regard to case
     */
    default Message<P> message(Tenant tenant, @Nullable P payload, Call.Origin origin, Map<String, String> metadata) {
        Key key = definition().operation().keyOf(new Key.CallFacts<>(name(), tenant, payload, origin, metadata));
        return Message.of(tenant, key, payload).withOrigin(origin);
    }

    /** For handlers that write to the ledger's own database and touch nothing else. */
    static <P> Atomic<P> atomic(String name, Class<P> payload) {
        return atomic(name, Operation.TypeRef.of(payload));
    }

    /** As {@link #atomic(String, Class)}, for a type with arguments: {@code new TypeRef<List<Order>>() {}}. */
    static <P> Atomic<P> atomic(String name, Operation.TypeRef<P> payload) {
        return new Atomic<>(Definition.of(name, payload));
    }

    /**
     * For handlers that call out. A delivery that is interrupted is repeated under the same key, unless the channel is declared
     * {@linkplain Leased#asUnrepeatable unrepeatable}.
     */
    static <P> Leased<P> leased(String name, Class<P> payload) {
        return leased(name, Operation.TypeRef.of(payload));
    }

    /** As {@link #leased(String, Class)}, for a type with arguments: {@code new TypeRef<List<Order>>() {}}. */
    static <P> Leased<P> leased(String name, Operation.TypeRef<P> payload) {
        return new Leased<>(Definition.of(name, payload), true);
    }

    /** @see Channel#atomic */
    record Atomic<P>(Definition<P> definition) implements Channel<P> {
        /** @see Operation.Atomic#withPolicy(String) */
        public Atomic<P> withPolicy(String policy) {
            return new Atomic<>(definition.withPolicy(Policy.Choice.named(policy)));
        }

        /** @see Operation.Atomic#withPolicy(Policy) */
        public Atomic<P> withPolicy(Policy policy) {
            return new Atomic<>(definition.withPolicy(Policy.Choice.of(policy)));
        }

        /** How the key of a message is found that is made by {@link Channel#message}. */
        public Atomic<P> withKey(Key.Strategy<? super P> strategy) {
            return new Atomic<>(definition.with(definition.operation.guards().withKey(strategy)));
        }

        /** Checks each payload before it is stored. See {@link Call.Validation}. */
        public Atomic<P> withValidation(Call.Validation<? super P> validation) {
            return new Atomic<>(definition.with(definition.operation.guards().withValidation(validation)));
        }

        /** See {@link Operation.Meaning#schemaVersion}. */
        public Atomic<P> withSchemaVersion(int version) {
            return new Atomic<>(definition.with(definition.operation.withSchemaVersion(version)));
        }

        /** @see Operation.Atomic#withSchemaVersion(int, Operation.Migration[]) */
        public Atomic<P> withSchemaVersion(int version, Operation.Migration<?, ?>... migrations) {
            return new Atomic<>(definition.with(definition.operation.withSchemaVersion(version, List.of(migrations))));
        }

        /** See {@link Operation.Meaning#transportFields}. */
        public Atomic<P> withTransportFields(String... names) {
            return new Atomic<>(definition.with(definition.operation.withTransportFields(Set.of(names))));
        }

        /** See {@link Operation.Meaning#nullsAreAbsent}. */
        public Atomic<P> withNullsAsAbsent() {
            Operation.Meaning meaning = definition.operation.meaning().withNullsAsAbsent();
            return new Atomic<>(definition.with(definition.operation.with(meaning)));
        }

        /** See {@link Operation.Meaning#defaults}. */
        public Atomic<P> withDefault(String field, Object value) {
            Operation.Meaning meaning = definition.operation.meaning().withDefault(field, value);
            return new Atomic<>(definition.with(definition.operation.with(meaning)));
        }

        /** @see Operation.Atomic#withLabel(String) */
        public Atomic<P> withLabel(String label) {
            return new Atomic<>(definition.with(definition.operation.guards().withLabel(label)));
        }

        /** Messages of the same lane are handled one at a time, in the order in which they were sent. */
        public Atomic<P> withLane(Function<? super P, @Nullable String> lane) {
            return new Atomic<>(new Definition<>(definition.operation, lane));
        }

        @Override
        public Operation.Atomic<P, Void> operation() {
            return new Operation.Atomic<>(definition.operation);
        }
    }

    /**
     * @see Channel#leased
     * @param repeatable whether a delivery that was interrupted may be repeated automatically; true unless declared otherwise, because
     *     nobody waits for a message and a channel delivers at least once. (Calls of an operation are not repeatable unless declared.)
     *     If it is not, its record becomes UNKNOWN and waits for its reconciler or a person
     */
    record Leased<P>(Definition<P> definition, boolean repeatable) implements Channel<P> {
        /** @see Operation.Atomic#withPolicy(String) */
        public Leased<P> withPolicy(String policy) {
            return new Leased<>(definition.withPolicy(Policy.Choice.named(policy)), repeatable);
        }

        /** @see Operation.Atomic#withPolicy(Policy) */
        public Leased<P> withPolicy(Policy policy) {
            return new Leased<>(definition.withPolicy(Policy.Choice.of(policy)), repeatable);
        }

        /** How the key of a message is found that is made by {@link Channel#message}. */
        public Leased<P> withKey(Key.Strategy<? super P> strategy) {
            return new Leased<>(definition.with(definition.operation.guards().withKey(strategy)), repeatable);
        }

        /** Checks each payload before it is stored. See {@link Call.Validation}. */
        public Leased<P> withValidation(Call.Validation<? super P> validation) {
            return new Leased<>(definition.with(definition.operation.guards().withValidation(validation)), repeatable);
        }

        /** See {@link Operation.Meaning#schemaVersion}. */
        public Leased<P> withSchemaVersion(int version) {
            return new Leased<>(definition.with(definition.operation.withSchemaVersion(version)), repeatable);
        }

        /** @see Operation.Atomic#withSchemaVersion(int, Operation.Migration[]) */
        public Leased<P> withSchemaVersion(int version, Operation.Migration<?, ?>... migrations) {
            return new Leased<>(
                    definition.with(definition.operation.withSchemaVersion(version, List.of(migrations))), repeatable);
        }

        /** See {@link Operation.Meaning#transportFields}. */
        public Leased<P> withTransportFields(String... names) {
            return new Leased<>(definition.with(definition.operation.withTransportFields(Set.of(names))), repeatable);
        }

        /** See {@link Operation.Meaning#nullsAreAbsent}. */
        public Leased<P> withNullsAsAbsent() {
            Operation.Meaning meaning = definition.operation.meaning().withNullsAsAbsent();
            return new Leased<>(definition.with(definition.operation.with(meaning)), repeatable);
        }

        /** See {@link Operation.Meaning#defaults}. */
        public Leased<P> withDefault(String field, Object value) {
            Operation.Meaning meaning = definition.operation.meaning().withDefault(field, value);
            return new Leased<>(definition.with(definition.operation.with(meaning)), repeatable);
        }

        /** @see Operation.Atomic#withLabel(String) */
        public Leased<P> withLabel(String label) {
            return new Leased<>(definition.with(definition.operation.guards().withLabel(label)), repeatable);
        }

        /** Messages of the same lane are handled one at a time, in the order in which they were sent. */
        public Leased<P> withLane(Function<? super P, @Nullable String> lane) {
            return new Leased<>(new Definition<>(definition.operation, lane), repeatable);
        }

        /**
         * Declares that an interrupted delivery is never repeated automatically: its receiver cannot tell a second one. This holds under
         * a policy that is repeatable, too.
         */
        public Leased<P> asUnrepeatable() {
            return new Leased<>(definition, false);
        }

        /** Declares that an interrupted delivery may be repeated, which holds unless declared otherwise. */
        public Leased<P> asRepeatable() {
            return new Leased<>(definition, true);
        }

        @Override
        public Operation.Leased<P, Void> operation() {
            return new Operation.Leased<>(
                    definition.operation, repeatable ? Operation.Repeatable.YES : Operation.Repeatable.NO);
        }
    }

    /**
     * @param operation name, payload, policy
     * @param lane the ordering key of a payload: 1 to 255 characters without NUL, or nothing for a message that follows nobody
     */
    record Definition<P>(Operation.Definition<P, Void> operation, Function<? super P, @Nullable String> lane) {
        static <P> Definition<P> of(String name, Operation.TypeRef<P> payload) {
            return new Definition<>(
                    new Operation.Definition<>(
                            name,
                            payload,
                            Operation.TypeRef.of(Void.class),
                            Policy.Choice.named("default"),
                            Operation.Meaning.FIRST),
                    any -> null);
        }

        /**
         * The lane of a payload, if it has one.
         *
         * @throws SemelException.Invalid when it cannot be a lane's key
         */
        public @Nullable String laneOf(@Nullable P value) {
            String key = value == null ? null : lane.apply(value);
            if (key != null) {
                Text.checkStored("lane of a message of " + operation.name(), key, 255);
            }
            return key;
        }

        Definition<P> withPolicy(Policy.Choice policy) {
            return with(operation.withPolicy(policy));
        }

        Definition<P> with(Call.Guards<P> guards) {
            return with(operation.with(guards));
        }

        Definition<P> with(Operation.Definition<P, Void> changed) {
            return new Definition<>(changed, lane);
        }
    }

    /** Handles a message of an atomic channel. Throwing rolls everything back. */
    @FunctionalInterface
    interface AtomicDelivery<P> {
        /** @throws Exception that rolls everything back: the policy decides when the message is delivered again */
        void handle(P payload, AtomicContext tx) throws Exception;
    }

    /** Handles a message of a leased channel. */
    @FunctionalInterface
    interface LeasedDelivery<P> {
        /** @throws Exception that fails the attempt: the policy decides when the message is delivered again */
        void handle(P payload, LeasedContext run) throws Exception;
    }

    /**
     * How much of a channel a node handles.
     *
     * @param concurrency handlers at once on this node
     * @param perTenant of these, at most so many for one tenant
     * @param perSecond messages begun in a second on this node; 0 for no limit
     * @param breaker when to stop calling for a while
     * @param rateLimit messages begun on all nodes together, or for one tenant
     */
    record Capacity(int concurrency, int perTenant, int perSecond, Breaker breaker, RateLimit rateLimit) {
        /** Sixteen handlers, all of them for one tenant if nobody else has work. */
        public static final Capacity DEFAULT = new Capacity(16, 16, 0, Breaker.NONE);

        /** Without a limit for all nodes together. */
        public Capacity(int concurrency, int perTenant, int perSecond, Breaker breaker) {
            this(concurrency, perTenant, perSecond, breaker, RateLimit.NONE);
        }

        public Capacity {
            if (concurrency < 1 || concurrency > 10_000 || perTenant < 1 || perTenant > concurrency || perSecond < 0) {
                throw new SemelException.Invalid("A capacity of " + concurrency + " handlers, " + perTenant
                        + " for a tenant and " + perSecond + " messages a second cannot be: use 1 to 10000 handlers,"
                        + " no more of them for one tenant, and 0 or more a second.");
            }
            if (perSecond > 0 && !rateLimit.equals(RateLimit.NONE)) {
                throw new SemelException.Invalid("A capacity has both " + perSecond
                        + " messages a second on this node and a rate limit: choose one.");
            }
        }

        /** So many handlers at once, all of them for one tenant if nobody else has work. */
        public static Capacity of(int concurrency) {
            return new Capacity(concurrency, concurrency, 0, Breaker.NONE);
        }

        /** At most so many handlers at once for one tenant. */
        public Capacity withPerTenant(int handlers) {
            return new Capacity(concurrency, handlers, perSecond, breaker, rateLimit);
        }

        /** Begins at most so many messages a second on this node, evenly; 0 for no limit. */
        public Capacity withPerSecond(int messages) {
            return new Capacity(concurrency, perTenant, messages, breaker, rateLimit);
        }

        /** Begins no more messages than this, on all nodes together or for one tenant. */
        public Capacity withRateLimit(RateLimit value) {
            return new Capacity(concurrency, perTenant, perSecond, breaker, value);
        }

        /** Stops calling for a while when calls keep failing. */
        public Capacity withBreaker(Breaker value) {
            return new Capacity(concurrency, perTenant, perSecond, value, rateLimit);
        }
    }

    /**
     * How often a handler may begin, on all nodes together unless said otherwise, and for one tenant. Permits come evenly, one after
     * each part of the period, and as many as the burst are kept while nobody uses them. So in any time <i>t</i> at most <i>permits ×
     * t / per + burst</i> begin. On all nodes together it can be a tenth of a second's permits more, because nodes take them from the
     * store in chunks; of messages one claim more for each node, at most a burst, which is waited for afterwards.
     *
     * <p><b>Calls:</b> each call costs one permit before anything is looked up, replays and duplicates included; its retries cost
     * none. Without a permit it is answered RetryLater with the time when one is likely, and nothing is stored. Inside a transaction
     * of the caller, where no second connection may be taken, each node counts for itself. <b>Messages</b> wait in their channel.
     *
     * @param permits in a period, for all tenants together; 0 for no such limit
     * @param perTenant in a period, for each tenant; 0 for no such limit
     * @param per the period: a millisecond to a day
     * @param burst how many may begin at once; at most as many as permits
     * @param eachNode whether each node counts for itself; otherwise all nodes on the store count together
     */
    record RateLimit(int permits, int perTenant, Duration per, int burst, boolean eachNode) {
        /** No limit. */
        public static final RateLimit NONE = new RateLimit(0, 0, Duration.ofSeconds(1), 1, false);

        private static final int MOST = 1_000_000;

        public RateLimit {
            if (permits < 0
                    || permits > MOST
                    || perTenant < 0
                    || perTenant > MOST
                    || permits > 0 && perTenant > permits
                    || per.compareTo(Duration.ofMillis(1)) < 0
                    || per.compareTo(Duration.ofDays(1)) > 0
                    || burst < 1
                    || burst > Math.max(1, Math.max(permits, perTenant))) {
                throw new SemelException.Invalid("A rate limit of " + permits + " permits and " + perTenant
                        + " for a tenant in " + per + " with a burst of " + burst + " cannot be: use 0 to " + MOST
                        + " permits, no more of them for one tenant, a period of a millisecond to a day, and a burst of 1"
                        + " up to the permits.");
            }
        }

        /** So many in a period, for all tenants together. All of them may begin at once. */
        public static RateLimit of(int permits, Duration per) {
            return new RateLimit(permits, 0, per, permits, false);
        }

        /** So many in a second, for all tenants together. All of them may begin at once. */
        public static RateLimit perSecond(int permits) {
            return of(permits, Duration.ofSeconds(1));
        }

        /** So many in a period for each tenant, however many tenants there are. All of them may begin at once. */
        public static RateLimit ofTenant(int permits, Duration per) {
            return new RateLimit(0, permits, per, permits, false);
        }

        /** Of the permits at most so many for one tenant in the same period. */
        public RateLimit withPerTenant(int value) {
            return new RateLimit(permits, value, per, burst, eachNode);
        }

        /** At most so many at once; the others are spread over the period. */
        public RateLimit withBurst(int value) {
            return new RateLimit(permits, perTenant, per, value, eachNode);
        }

        /** Each node counts for itself and does not ask the store: for a receiver that each node has for its own. */
        public RateLimit onEachNode() {
            return new RateLimit(permits, perTenant, per, burst, true);
        }
    }

    /**
     * When a node stops calling a receiver that keeps failing. Time-outs, network errors, errors and rate limits of the receiver, and
     * exceptions that the policy does not know count as failures; failures of the message or the call itself do not.
     *
     * <p>While it is open, nothing is claimed from a channel, and a call that needs its handler is answered RetryLater; stored results
     * are still replayed. No attempt is spent and no record is changed. After the pause a few calls are let through, and decide.
     *
     * @param failurePercent of the last calls, from which on it opens; 0 for never
     * @param calls how many calls are looked at
     * @param pause how long it stays open before a few calls are let through
     */
    record Breaker(int failurePercent, int calls, Duration pause) {
        public static final Breaker NONE = new Breaker(0, 1, Duration.ofSeconds(1));

        public Breaker {
            if (failurePercent < 0 || failurePercent > 100 || calls < 1 || pause.isNegative() || pause.isZero()) {
                throw new SemelException.Invalid("A breaker that opens at " + failurePercent + " % of " + calls
                        + " calls for " + pause + " cannot be: use 0 to 100 %, 1 or more calls and a positive pause.");
            }
        }

        /** Opens when half of the last hundred calls failed, for half a minute. */
        public static Breaker usual() {
            return new Breaker(50, 100, Duration.ofSeconds(30));
        }
    }
}
