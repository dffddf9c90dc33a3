package dev.semel;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How an operation is tried, how long it is trusted and how long it is remembered. Immutable, and never out of bounds: the
 * constructor refuses impossible values and names all of them at once. Built by {@link #named}, which also refuses double and
 * contradictory settings. The catalogue that ships is {@code dev.semel.policy.Catalogue}.
 *
 * @param name what operations refer to
 * @param retry how often, and how long between attempts
 * @param limits what bounds one attempt and one record
 * @param retention how long finished records are kept
 * @param rules how exceptions are judged, by class or by an interface they implement; the most specific match wins, and
 *     between equally specific ones "do not retry"
 * @param options the rest
 */
public record Policy(
        String name, Retry retry, Limits limits, Retention retention, Map<Class<?>, Rule> rules, Options options) {

    public Policy {
        Text.checkName("policy name", name, 120);
        rules = Map.copyOf(rules);
        PolicyBounds.refuse(name, PolicyBounds.faults(retry, limits, retention, rules));
    }

    /** Starts from {@code default}: 3 attempts, 1 s doubling to 30 s, plus or minus a tenth. */
    public static PolicyBuilder named(String name) {
        return new PolicyBuilder(name);
    }

    /** Starts from this policy, under the same name unless renamed. */
    public PolicyBuilder toBuilder() {
        return new PolicyBuilder(this);
    }

    /**
     * The stable code in audit and metrics: {@code RETRY_NATS_CONNECT} for {@code nats.connect}; names that start with
     * {@code replay.} begin with {@code REPLAY_} instead.
     */
    public String code() {
        StringBuilder code = new StringBuilder(name.startsWith("replay.") ? "REPLAY_" : "RETRY_");
        String upper = name.toUpperCase(Locale.ROOT);
        boolean gap = false;
        for (int i = 0; i < upper.length(); i++) {
            char letter = upper.charAt(i);
            boolean kept = letter >= 'A' && letter <= 'Z' || letter >= '0' && letter <= '9';
            if (kept || !gap) {
                code.append(kept ? letter : '_');
            }
            gap = !kept;
        }
        return code.toString();
    }

    /**
     * @param maxAttempts the first one included
     * @param maxRetryAfter a Retry-After beyond it ends the record as {@code rate_limited}
     * @param budget how many retries of one channel all nodes together begin in a second; 0 for no limit
     */
    public record Retry(int maxAttempts, Backoff backoff, Jitter jitter, Duration maxRetryAfter, int budget) {
        /** Without a budget. */
        public Retry(int maxAttempts, Backoff backoff, Jitter jitter, Duration maxRetryAfter) {
            this(maxAttempts, backoff, jitter, maxRetryAfter, 0);
        }
    }

    /**
     * @param attemptTimeout after which a handler is interrupted
     * @param deadline from acceptance, after which no attempt starts; none when absent
     * @param lease how long a grant is trusted without renewal
     * @param redelivery how long the transport of the work may deliver it again after it was acknowledged, such as three days for
     *     a provider's webhooks; a policy that forgets completed records earlier is refused. Absent when the transport gives no
     *     such time
     */
    public record Limits(
            Duration attemptTimeout,
            @Nullable Duration deadline,
            Duration lease,
            @Nullable Duration redelivery) {}

    /**
     * @param success of COMPLETED records
     * @param failure of stored failures, and of direct retryable ones beyond their due time
     * @param deadLetters of records whose retries ran out
     */
    public record Retention(Duration success, Duration failure, Duration deadLetters) {
        private static final Duration DEAD_LETTERS = Duration.ofDays(30);

        public static final Retention PAYMENTS = new Retention(Duration.ofDays(30), Duration.ofDays(7), DEAD_LETTERS);
        public static final Retention API = new Retention(Duration.ofHours(24), Duration.ofHours(1), DEAD_LETTERS);
        public static final Retention API_CONTRACT =
                new Retention(Duration.ofHours(24), Duration.ofHours(4), DEAD_LETTERS);
        public static final Retention EVENTS = new Retention(Duration.ofHours(1), Duration.ofMinutes(15), DEAD_LETTERS);
        public static final Retention SAGA = new Retention(Duration.ofDays(7), Duration.ofHours(24), DEAD_LETTERS);
        public static final Retention WEBHOOKS = new Retention(Duration.ofDays(30), Duration.ofDays(30), DEAD_LETTERS);

        /** The classes that ship, by name. */
        public static Map<String, Retention> classes() {
            var classes = new LinkedHashMap<String, Retention>();
            classes.put("payments", PAYMENTS);
            classes.put("api", API);
            classes.put("api.contract", API_CONTRACT);
            classes.put("events", EVENTS);
            classes.put("saga", SAGA);
            classes.put("webhooks", WEBHOOKS);
            return classes;
        }
    }

    /** The delay before an attempt, before jitter. */
    public sealed interface Backoff {
        record None() implements Backoff {}

        /** The last delay repeats. */
        record Listed(List<Duration> delays) implements Backoff {
            public Listed {
                delays = List.copyOf(delays);
            }
        }

        record Exponential(Duration base, double multiplier, Duration cap) implements Backoff {}
    }

    /** What is added to a delay so that callers who failed together do not come back together. */
    public sealed interface Jitter {
        record None() implements Jitter {}

        /** Anything from zero to the delay. */
        record Full() implements Jitter {}

        /** The delay plus or minus a fraction of it. */
        record Bounded(double fraction) implements Jitter {}

        /** Half the delay, plus anything up to the other half. */
        record Equal() implements Jitter {}

        /** From the base to three times the previous delay, capped. */
        record Decorrelated() implements Jitter {}
    }

    /** How one class of exceptions is judged. */
    public record Rule(boolean retry, Failure.Category category) {}

    /** What happens to a lane when the message at its head dies. */
    public enum DeadHead {
        CONTINUE,
        PARK_LANE
    }

    /**
     * @param repeatable whether an interrupted leased run may be run again by itself
     * @param storeFailures whether failures that would be the same again are stored and replayed
     * @param deadLetters whether a record that failed for good by a channel, or whose retries ran out, becomes a dead letter
     * @param deadHead what a dead head does to its lane
     */
    public record Options(boolean repeatable, boolean storeFailures, boolean deadLetters, DeadHead deadHead) {}
}
