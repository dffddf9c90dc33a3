package dev.semel;

import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One request to perform an operation.
 *
 * @param <P> the operation's payload
 * @param tenant whose work it is
 * @param key what makes a second call a duplicate of this one
 * @param payload what to do; part of the fingerprint, so the same key with another payload is a conflict
 * @param origin who asked, and under which correlation id
 * @param patience how long to wait for another run of the same record before answering "in progress"; zero by default
 * @param deadline no attempt starts after it, by the ledger's clock; none by default
 */
public record Call<P>(
        Tenant tenant,
        Key key,
        @Nullable P payload,
        Origin origin,
        Duration patience,
        @Nullable Instant deadline) {

    public Call {
        if (patience.isNegative()) {
            throw new SemelException.Invalid(
                    "The patience of a call is negative (" + patience + "). Use zero not to wait.");
        }
    }

    /**
     * A call without origin, patience and deadline:
     *
     * <pre>{@code
     * Call.of(Tenant.of("acme"), Key.of(order.id()), order).withPatience(Duration.ofSeconds(2))
     * }</pre>
     *
     * @param payload null for none
     */
    public static <P> Call<P> of(Tenant tenant, Key key, @Nullable P payload) {
        return new Call<>(tenant, key, payload, Origin.UNSTATED, Duration.ZERO, null);
    }

    /** Says who asked, in place of what was said before. */
    public Call<P> withOrigin(Origin origin) {
        return new Call<>(tenant, key, payload, origin, patience, deadline);
    }

    /** Carried through answers, audit and logs; one is made for a call that has none. */
    public Call<P> withCorrelationId(String correlationId) {
        return withOrigin(origin.withCorrelationId(correlationId));
    }

    /** Waits up to {@code patience} when the same record is being run, instead of answering at once. */
    public Call<P> withPatience(Duration patience) {
        return new Call<>(tenant, key, payload, origin, patience, deadline);
    }

    /** No attempt starts after it. */
    public Call<P> withDeadline(Instant deadline) {
        return new Call<>(tenant, key, payload, origin, patience, deadline);
    }

    /**
     * Who asked, and how that can be followed through the logs. Everything may be absent; a missing correlation id is made. It is
     * stored with the record, and every audit event of the record carries it, also when a worker or another node writes the event.
     *
     * @param ids under which the request is known
     * @param actor who is behind the call, such as a user id
     * @param actorType what the actor is, such as "user" or "service"
     * @param source where it came in, such as "http" or "slack"
     * @param aggregateVersion of the aggregate the call acts on, for the audit
     */
    public record Origin(
            Ids ids,
            @Nullable String actor,
            @Nullable String actorType,
            @Nullable String source,
            @Nullable Long aggregateVersion) {

        public static final Origin UNSTATED = new Origin(Ids.NONE, null, null, null, null);

        public Origin {
            bounded("actor", actor);
            bounded("actor type", actorType);
            bounded("source", source);
        }

        /**
         * The ids of a request.
         *
         * @param correlation carried through answers, audit and logs
         * @param trace of the distributed trace, for the audit
         * @param request of this very request, for the audit
         */
        public record Ids(
                @Nullable String correlation,
                @Nullable String trace,
                @Nullable String request) {

            public static final Ids NONE = new Ids(null, null, null);

            public Ids {
                bounded("correlation id", correlation);
                bounded("trace id", trace);
                bounded("request id", request);
            }
        }

        /** Absent when none was given. */
        public @Nullable String correlationId() {
            return ids.correlation;
        }

        /** Absent when none was given. */
        public @Nullable String traceId() {
            return ids.trace;
        }

        /** Absent when none was given. */
        public @Nullable String requestId() {
            return ids.request;
        }

        /** Carried through answers, audit and logs. */
        public Origin withCorrelationId(String value) {
            return with(new Ids(value, ids.trace, ids.request));
        }

        /** Of the distributed trace. */
        public Origin withTraceId(String value) {
            return with(new Ids(ids.correlation, value, ids.request));
        }

        /** Of this very request. */
        public Origin withRequestId(String value) {
            return with(new Ids(ids.correlation, ids.trace, value));
        }

        /** The actor of the call and its kind, such as a user or a service. */
        public Origin withActor(String name, String type) {
            return new Origin(ids, name, type, source, aggregateVersion);
        }

        /** Where the call came in, such as "http". */
        public Origin withSource(String value) {
            return new Origin(ids, actor, actorType, value, aggregateVersion);
        }

        /** Of the aggregate that the call acts on. */
        public Origin withAggregateVersion(long value) {
            return new Origin(ids, actor, actorType, source, value);
        }

        private Origin with(Ids value) {
            return new Origin(value, actor, actorType, source, aggregateVersion);
        }

        private static void bounded(String what, @Nullable String value) {
            if (value != null) {
                Text.checkName(what, value, 255);
            }
        }
    }

    /**
     * Work without a key, for {@link Semel#retry}.
     *
     * @param name of what is attempted, as the operation in audit, metrics and modes; 1 to 120 characters
     * @param policy which one it has
     * @param tenant whose work it is; {@link Tenant#SINGLE} unless given
     * @param origin who asked, and under which correlation id; one is made if there is none
     * @param deadline no attempt starts after it; none unless given
     * @param harmless whether it changes nothing outside, so that it runs in SHADOW, too
     */
    public record Keyless(
            String name,
            Policy.Choice policy,
            Tenant tenant,
            Origin origin,
            @Nullable Instant deadline,
            boolean harmless) {
        public Keyless {
            Text.checkName("name of work without a key", name, 120);
        }

        /** With this policy, which needs no registration. */
        public static Keyless of(String name, Policy policy) {
            return new Keyless(name, Policy.Choice.of(policy), Tenant.SINGLE, Origin.UNSTATED, null, false);
        }

        /** With the policy of this name. */
        public static Keyless of(String name, String policy) {
            return new Keyless(name, Policy.Choice.named(policy), Tenant.SINGLE, Origin.UNSTATED, null, false);
        }

        /** On behalf of this tenant. */
        public Keyless withTenant(Tenant value) {
            return new Keyless(name, policy, value, origin, deadline, harmless);
        }

        /** Says who asked. */
        public Keyless withOrigin(Origin value) {
            return new Keyless(name, policy, tenant, value, deadline, harmless);
        }

        /** No attempt starts after it, by the ledger's clock. */
        public Keyless withDeadline(Instant value) {
            return new Keyless(name, policy, tenant, origin, value, harmless);
        }

        /** Declares that it changes nothing outside: it connects, or reads. It then runs in SHADOW, too. */
        public Keyless asHarmless() {
            return new Keyless(name, policy, tenant, origin, deadline, true);
        }
    }

    /**
     * Says what is wrong with a payload, before anything of a call or message is looked up or stored:
     *
     * <pre>{@code
     * order -> order.amount() > 0 ? List.of() : List.of("the amount must be positive")
     * }</pre>
     *
     * A call with faults is answered Rejected with all of them. A {@link SemelException.Invalid} that it throws is one fault, by its
     * message. Any other exception is a bug of the check: it is logged, and the call is Rejected. A retry of a call that was
     * completed is checked, too. Payloads that are stored already are not: those of messages, takeovers and an operator's replays.
     *
     * @param <P> the payload
     */
    @FunctionalInterface
    public interface Validation<P> {
        /**
         * Must have no effects. Called by many threads.
         *
         * @param payload null when the call has none
         * @return what is wrong, for the caller to read; empty when nothing is
         */
        List<String> faults(P payload);
    }

    /**
     * What a call passes before its handler, in this order: its key is found, its payload checked, a permit taken, and the breaker
     * asked.
     *
     * @param <P> the payload
     * @param key how the key of a call is found that has none; absent if every call brings its own
     * @param validation checks the payload; absent if any payload is accepted
     * @param rateLimit how many calls may begin
     * @param breaker when to stop calling for a while
     * @param labels the groups it belongs to, each 1 to 120 characters without control characters: the mode of a group applies to it
     */
    public record Guards<P>(
            Key.@Nullable Strategy<? super P> key,
            @Nullable Validation<? super P> validation,
            Channel.RateLimit rateLimit,
            Channel.Breaker breaker,
            Set<String> labels) {
        public Guards {
            labels = Set.copyOf(labels);
            labels.forEach(label -> Text.checkName("label", label, 120));
        }

        /** Nothing stops a call that brings its key. */
        public static <P> Guards<P> none() {
            return new Guards<>(null, null, Channel.RateLimit.NONE, Channel.Breaker.NONE, Set.of());
        }

        Guards<P> withKey(Key.Strategy<? super P> value) {
            return new Guards<>(value, validation, rateLimit, breaker, labels);
        }

        Guards<P> withValidation(Validation<? super P> value) {
            return new Guards<>(key, value, rateLimit, breaker, labels);
        }

        Guards<P> withRateLimit(Channel.RateLimit value) {
            return new Guards<>(key, validation, value, breaker, labels);
        }

        Guards<P> withBreaker(Channel.Breaker value) {
            return new Guards<>(key, validation, rateLimit, value, labels);
        }

        Guards<P> withLabel(String label) {
            Set<String> more = new HashSet<>(labels);
            more.add(label);
            return new Guards<>(key, validation, rateLimit, breaker, more);
        }
    }
}
