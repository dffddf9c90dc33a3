package dev.semel;

import dev.semel.Policy.Jitter;
import dev.semel.Policy.Retention;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * The policies that ship. Attempts, backoff and jitter are the contract's. The rest, and why:
 *
 * <pre>
 * entry                      time-out  lease  retention     why
 * default                    30 s      60 s   api
 * ingress.ack                2 s       10 s   webhooks      senders give up after 3 s and redeliver for days; the sender retries,
 *                                                           so a failure is neither stored nor a dead letter
 * slack.message              10 s      30 s   api           a slow post is worth one more try, a day covers re-clicked buttons
 * crm.writeback              30 s      60 s   saga          CRMs are slow; corrections arrive days later
 * pdf.render                 60 s      2 min  api           large documents; the checksum is asked for within a day
 * llm.extract                60 s      2 min  api           long generations
 * http.client                15 s      30 s   api           the bound of every outgoing call
 * worker.job                 5 min     60 s   saga          long jobs renew their lease; a dead worker is noticed in a minute
 * nats.connect               10 s      30 s   events        handshake and TLS
 * nats.publish, .subscribe   5 s       15 s   events        one round trip
 * kv.*                       5 s       15 s   events        one round trip
 * nats.stream-create         10 s      30 s   events        replicated metadata
 * execution.*, approval.*    30 s      60 s   saga          decisions of people: asked about again for days
 * replay.*                   30 s      60 s   api           an operator is watching
 * api.request                30 s      60 s   api.contract  the HTTP contract keeps errors for 4 h
 * api.validation             5 s       15 s   api.contract  touches nothing outside
 * </pre>
 *
 * A time-out ends an attempt and a lease notices a dead owner, so a lease need not outlast the time-out: it is renewed before
 * half of it has passed. No entry is repeatable: whether a run may be repeated is declared by its operation. Used by {@link Policy} alone, while it is
 * initialised: two classes that wait for each other would deadlock.
 */
final class ShippedPolicies {
    private static final Jitter TENTH = new Jitter.Bounded(0.1);
    private static final Jitter HALF = new Jitter.Bounded(0.5);
    private static final Jitter FULL = new Jitter.Full();

    private final Map<String, Policy> byName = new LinkedHashMap<>();

    ShippedPolicies() {
        Stream.of(adapters(), messaging(), decisions(), api())
                .flatMap(List::stream)
                .map(PolicyBuilder::build)
                .forEach(policy -> byName.put(policy.name(), policy));
    }

    /** In the order of the catalogue. */
    List<Policy> all() {
        return List.copyOf(byName.values());
    }

    Policy get(String name) {
        return Objects.requireNonNull(byName.get(name), name);
    }

    private static List<PolicyBuilder> adapters() {
        return List.of(
                limits(exponential("default", 3, 1000, 30, TENTH), 30, 60, Retention.API),
                limits(Policy.named("ingress.ack").withMaxAttempts(1).withoutBackoff(), 2, 10, Retention.WEBHOOKS)
                        .withStoredFailures(false)
                        .withDeadLetters(false),
                limits(exponential("slack.message", 6, 250, 30, FULL), 10, 30, Retention.API),
                limits(exponential("crm.writeback", 7, 500, 60, FULL), 30, 60, Retention.SAGA),
                limits(
                        Policy.named("pdf.render")
                                .withMaxAttempts(3)
                                .withDelays(Duration.ofSeconds(1), Duration.ofSeconds(3))
                                .withJitter(new Jitter.None()),
                        60,
                        120,
                        Retention.API),
                limits(exponential("llm.extract", 4, 300, 10, HALF), 60, 120, Retention.API),
                limits(exponential("http.client", 5, 300, 5, FULL), 15, 30, Retention.API),
                limits(exponential("worker.job", 5, 1000, 60, HALF), 300, 60, Retention.SAGA));
    }

    private static List<PolicyBuilder> messaging() {
        return List.of(
                limits(exponential("nats.connect", 5, 1000, 30, TENTH), 10, 30, Retention.EVENTS),
                limits(exponential("nats.publish", 3, 500, 10, TENTH), 5, 15, Retention.EVENTS),
                limits(exponential("nats.subscribe", 3, 500, 10, TENTH), 5, 15, Retention.EVENTS),
                limits(exponential("nats.stream-create", 2, 2000, 60, TENTH), 10, 30, Retention.EVENTS),
                limits(exponential("kv.get", 3, 500, 10, TENTH), 5, 15, Retention.EVENTS),
                limits(exponential("kv.put", 3, 500, 10, TENTH), 5, 15, Retention.EVENTS),
                limits(exponential("kv.create", 2, 1000, 30, TENTH), 5, 15, Retention.EVENTS),
                limits(exponential("kv.delete", 2, 1000, 30, TENTH), 5, 15, Retention.EVENTS));
    }

    private static List<PolicyBuilder> decisions() {
        return List.of(
                limits(exponential("execution.intent", 2, 2000, 60, TENTH), 30, 60, Retention.SAGA),
                limits(exponential("execution.containment", 2, 2000, 60, TENTH), 30, 60, Retention.SAGA),
                limits(exponential("execution.expiration", 1, 1000, 30, TENTH), 30, 60, Retention.SAGA),
                limits(exponential("approval.grant", 2, 2000, 60, TENTH), 30, 60, Retention.SAGA),
                limits(exponential("approval.check", 3, 1000, 30, TENTH), 30, 60, Retention.SAGA),
                limits(exponential("replay.processing", 1, 1000, 30, TENTH), 30, 60, Retention.API),
                limits(exponential("replay.validation", 2, 1000, 30, TENTH), 30, 60, Retention.API));
    }

    private static List<PolicyBuilder> api() {
        return List.of(
                limits(exponential("api.request", 3, 1000, 30, TENTH), 30, 60, Retention.API_CONTRACT),
                limits(exponential("api.validation", 2, 500, 10, TENTH), 5, 15, Retention.API_CONTRACT));
    }

    private static PolicyBuilder exponential(String name, int attempts, int baseMillis, int capSeconds, Jitter jitter) {
        return Policy.named(name)
                .withMaxAttempts(attempts)
                .withExponentialBackoff(Duration.ofMillis(baseMillis), 2, Duration.ofSeconds(capSeconds))
                .withJitter(jitter);
    }

    private static PolicyBuilder limits(
            PolicyBuilder policy, int timeoutSeconds, int leaseSeconds, Retention retention) {
        return policy.withAttemptTimeout(Duration.ofSeconds(timeoutSeconds))
                .withLease(Duration.ofSeconds(leaseSeconds))
                .withRetention(retention);
    }
}
