package dev.semel;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * How an operation is tried, how long it is trusted and how long it is remembered. Immutable, and never out of bounds: the
 * constructor refuses impossible values and names all of them at once. Built by {@link #named}, which also refuses double and
 * contradictory settings. 25 ship, as constants and by name:
 *
 * <pre>{@code
 * Operation.leased("refund", Refund.class, RefundId.class).withPolicy(Policy.HTTP_CLIENT)
 * }</pre>
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
        String name,
        Retry retry,
        Limits limits,
        Retention retention,
        Map<Class<?>, Rule> rules,
        FailureHandling options) {

    private static final ShippedPolicies SHIPPED = new ShippedPolicies();

    /** {@code default}, for operations without another policy: 3 attempts, 1 s doubling to 30 s. */
    public static final Policy DEFAULT = SHIPPED.get("default");

    /** {@code ingress.ack}: accepting a webhook: one attempt within 2 s, no dead letters; the sender retries. */
    public static final Policy INGRESS_ACK = SHIPPED.get("ingress.ack");

    /** {@code slack.message}: posting a message: 6 attempts. */
    public static final Policy SLACK_MESSAGE = SHIPPED.get("slack.message");

    /** {@code crm.writeback}: writing to a slow CRM: 7 attempts, kept for a week. */
    public static final Policy CRM_WRITEBACK = SHIPPED.get("crm.writeback");

    /** {@code pdf.render}: rendering a document: after 1 s and 3 s. */
    public static final Policy PDF_RENDER = SHIPPED.get("pdf.render");

    /** {@code llm.extract}: asking a language model: 4 attempts of a minute. */
    public static final Policy LLM_EXTRACT = SHIPPED.get("llm.extract");

    /** {@code http.client}: an outgoing HTTP call: 5 attempts of 15 s. */
    public static final Policy HTTP_CLIENT = SHIPPED.get("http.client");

    /** {@code worker.job}: a long job in the background: 5 attempts of 5 minutes. */
    public static final Policy WORKER_JOB = SHIPPED.get("worker.job");

    /** {@code nats.connect}: connecting to a broker. */
    public static final Policy NATS_CONNECT = SHIPPED.get("nats.connect");

    /** {@code nats.publish}: publishing to a broker. */
    public static final Policy NATS_PUBLISH = SHIPPED.get("nats.publish");

    /** {@code nats.subscribe}: subscribing at a broker. */
    public static final Policy NATS_SUBSCRIBE = SHIPPED.get("nats.subscribe");

    /** {@code nats.stream-create}: creating a broker's stream. */
    public static final Policy NATS_STREAM_CREATE = SHIPPED.get("nats.stream-create");

    /** {@code kv.get}: reading from a key-value store. */
    public static final Policy KV_GET = SHIPPED.get("kv.get");

    /** {@code kv.put}: writing to a key-value store. */
    public static final Policy KV_PUT = SHIPPED.get("kv.put");

    /** {@code kv.create}: creating in a key-value store. */
    public static final Policy KV_CREATE = SHIPPED.get("kv.create");

    /** {@code kv.delete}: deleting from a key-value store. */
    public static final Policy KV_DELETE = SHIPPED.get("kv.delete");

    /** {@code execution.intent}: deciding what to execute. */
    public static final Policy EXECUTION_INTENT = SHIPPED.get("execution.intent");

    /** {@code execution.containment}: containing an execution. */
    public static final Policy EXECUTION_CONTAINMENT = SHIPPED.get("execution.containment");

    /** {@code execution.expiration}: ending an execution that has expired: one attempt. */
    public static final Policy EXECUTION_EXPIRATION = SHIPPED.get("execution.expiration");

    /** {@code approval.grant}: granting an approval. */
    public static final Policy APPROVAL_GRANT = SHIPPED.get("approval.grant");

    /** {@code approval.check}: checking an approval. */
    public static final Policy APPROVAL_CHECK = SHIPPED.get("approval.check");

    /** {@code replay.processing}: a replay that an operator watches: one attempt. */
    public static final Policy REPLAY_PROCESSING = SHIPPED.get("replay.processing");

    /** {@code replay.validation}: checking a replay. */
    public static final Policy REPLAY_VALIDATION = SHIPPED.get("replay.validation");

    /** {@code api.request}: a request under the HTTP contract, errors kept for 4 h. */
    public static final Policy API_REQUEST = SHIPPED.get("api.request");

    /** {@code api.validation}: checking such a request, which touches nothing outside. */
    public static final Policy API_VALIDATION = SHIPPED.get("api.validation");

    public Policy {
        Text.checkName("policy name", name, 120);
        rules = Map.copyOf(rules);
        PolicyBounds.refuse(name, PolicyBounds.faults(retry, limits, retention, rules));
    }

    /** The policies that ship, in the order of the catalogue. */
    public static List<Policy> shipped() {
        return SHIPPED.all();
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

    /** A random part of a delay, so that callers who failed together do not retry together. */
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

    /**
     * Which policy an operation has.
     *
     * @param name of the policy
     * @param carried the policy itself; absent when the operation only names one of the catalogue or the configuration
     */
    public record Choice(String name, @Nullable Policy carried) {
        public Choice {
            Text.checkName("policy name", name, 120);
        }

        /** The one that the catalogue or the configuration has under this name. */
        public static Choice named(String name) {
            return new Choice(name, null);
        }

        /** This one, unless the configuration has another of its name. */
        public static Choice of(Policy policy) {
            return new Choice(policy.name(), policy);
        }
    }

    /** The fate of a lane when the message at its head dies. */
    public enum DeadHead {
        CONTINUE,
        PARK_LANE
    }

    /**
     * @param repeatable whether an interrupted leased run may be repeated automatically, where its operation declares neither
     *     {@link Operation.Leased#asRepeatable} nor {@link Operation.Leased#asUnrepeatable}; a channel always declares one of them
     * @param storeFailures whether failures that would be the same again are stored and replayed
     * @param deadLetters whether a record that failed for good by a channel, or whose retries ran out, becomes a dead letter
     * @param deadHead what a dead head does to its lane
     * @param stored decides about single exceptions, see {@link PolicyBuilder#withStoredFailures(Predicate)}; absent if the category does
     */
    public record FailureHandling(
            boolean repeatable,
            boolean storeFailures,
            boolean deadLetters,
            DeadHead deadHead,
            @Nullable Predicate<? super Throwable> stored) {
        /** The category decides which failures are stored. */
        public FailureHandling(boolean repeatable, boolean storeFailures, boolean deadLetters, DeadHead deadHead) {
            this(repeatable, storeFailures, deadLetters, deadHead, null);
        }
    }
}
