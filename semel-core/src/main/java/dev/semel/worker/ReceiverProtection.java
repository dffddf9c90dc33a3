package dev.semel.worker;

import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.execution.DeliveryResult;
import dev.semel.execution.PermitBucket;
import dev.semel.execution.RateLimits;
import dev.semel.execution.ReceiverBreaker;
import dev.semel.store.Row;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Protects a receiver: a circuit breaker and a rate limit. Both bound claims, the breaker also calls. The breaker may be used by any
 * thread, the limit belongs to the one that claims.
 */
final class ReceiverProtection {
    /** More than a node can begin, and as many as a rate limit can have. */
    private static final int MOST_A_SECOND = 1_000_000;

    private final ReceiverBreaker breaker;
    private final Channel.RateLimit limit;
    private final RateLimits limits;
    private final String channel;

    /** Tenants that have no permit, as far as this node knows. */
    private final Map<String, PermitBucket> withoutPermit = new HashMap<>();

    ReceiverProtection(ReceiverBreaker breaker, RateLimits limits, Channel.RateLimit limit, String channel) {
        this.breaker = breaker;
        this.limit = limit;
        this.limits = limits;
        this.channel = channel;
    }

    /** As the channel's capacity says, and else as the operation declares. */
    static ReceiverProtection of(ChannelContext<?, ?> context) {
        Channel.Capacity capacity = context.capacity();
        Channel.Breaker breaker = capacity.breaker().failurePercent() > 0
                ? capacity.breaker()
                : context.operation().definition().guards().breaker();
        return new ReceiverProtection(
                context.services().breakers().of(context.name(), breaker),
                context.services().limits(),
                limit(capacity, context.operation().definition().guards().rateLimit()),
                context.name());
    }

    /** A number of messages a second on this node is begun evenly, a tenth of them at once. */
    private static Channel.RateLimit limit(Channel.Capacity capacity, Channel.RateLimit declared) {
        int perSecond = Math.min(capacity.perSecond(), MOST_A_SECOND);
        if (perSecond > 0) {
            return new Channel.RateLimit(perSecond, 0, Duration.ofSeconds(1), Math.max(1, perSecond / 10), true);
        }
        return capacity.rateLimit().equals(Channel.RateLimit.NONE) ? declared : capacity.rateLimit();
    }

    /**
     * How many of so many may be claimed now.
     *
     * @param held records that this node has claimed and not written the result of
     */
    int claimable(int wanted, int held) {
        int allowed = breaker.claimable(wanted, held);
        if (allowed > 0 && limit.perTenant() > 0) {
            // All of them may be of one tenant.
            allowed = Math.min(allowed, Math.min(limit.burst(), limit.perTenant()));
        }
        return allowed > 0 && limit.permits() > 0 ? limits.ofAll(limit, channel).free(allowed) : allowed;
    }

    /** Tenants of which nothing may begin now. */
    Set<String> tenantsWithoutPermit() {
        withoutPermit.values().removeIf(bucket -> bucket.waitNanos() == 0);
        return withoutPermit.keySet();
    }

    /** These were claimed. */
    void claimed(List<Row> rows) {
        if (rows.isEmpty()) {
            return;
        }
        if (limit.permits() > 0) {
            limits.ofAll(limit, channel).spend(rows.size());
        }
        if (limit.perTenant() > 0) {
            Map<String, Integer> counts = new HashMap<>();
            rows.forEach(row -> counts.merge(row.header().tenant(), 1, Integer::sum));
            counts.forEach((tenant, count) -> {
                PermitBucket bucket = limits.ofTenant(limit, channel, tenant);
                bucket.spend(count);
                if (bucket.waitNanos() > 0) {
                    withoutPermit.put(tenant, bucket);
                }
            });
        }
    }

    /** After how many nanoseconds more may begin, when a limit holds messages up; 0 when none does. */
    long nextPermitNanos() {
        long next = limit.permits() > 0 ? limits.ofAll(limit, channel).waitNanos() : 0;
        for (PermitBucket bucket : withoutPermit.values()) {
            long wait = bucket.waitNanos();
            next = next == 0 || wait > 0 && wait < next ? wait : next;
        }
        return next;
    }

    /**
     * Whether the handler may be called now. If so, one of {@link #count}, {@link #succeeded} and {@link #release} must follow in any
     * case: a half-open breaker waits for it.
     */
    boolean tryCall() {
        return breaker.tryCall();
    }

    /** The call succeeded. */
    void succeeded() {
        breaker.succeeded();
    }

    /**
     * Counts a call by its result.
     *
     * @param result nothing when the record was lost to another node
     */
    void count(@Nullable DeliveryResult result) {
        Failure failure = result == null ? null : result.failure();
        if (failure != null) {
            breaker.count(failure);
        } else if (result != null && result.kind() == DeliveryResult.ResultKind.DONE) {
            breaker.succeeded();
        } else {
            breaker.release(1);
        }
    }

    /** So many calls said nothing about the receiver. */
    void release(int calls) {
        breaker.release(calls);
    }
}
