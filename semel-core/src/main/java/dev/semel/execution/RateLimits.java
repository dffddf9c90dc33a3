package dev.semel.execution;

import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.SemelException;
import dev.semel.execution.PermitBucket.BucketKey;
import dev.semel.store.Permits;
import dev.semel.store.Store;
import dev.semel.time.TimeSource;
import dev.semel.watch.Watch;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The rate limits of operations and channels, as this node knows them. Thread-safe. */
public final class RateLimits {
    private static final int FEW = 1_000;

    private final Store store;
    private final TimeSource time;
    private final Watch watch;
    private final Map<BucketKey, PermitBucket> buckets = new ConcurrentHashMap<>();
    private volatile int many = FEW;

    /** @param watch is told of calls that got no permit */
    RateLimits(Store store, TimeSource time, Watch watch) {
        this.store = store;
        this.time = time;
        this.watch = watch;
    }

    /**
     * Why a call may not go on.
     *
     * @param in when a permit is likely
     */
    record NoPermit(Duration in, Failure failure) {}

    /** Takes a permit for a call that may ask the store. Nothing when it was taken, or none is needed. */
    @Nullable
    NoPermit take(PreparedCall<?, ?> prepared) {
        return take(prepared, false);
    }

    /** As {@link #take}, on a thread that holds a connection and must not take another: this node counts for itself. */
    @Nullable
    NoPermit takeInTransaction(PreparedCall<?, ?> prepared) {
        return take(prepared, true);
    }

    private @Nullable NoPermit take(PreparedCall<?, ?> prepared, boolean inTransaction) {
        Channel.RateLimit limit = prepared.operation().definition().guards().rateLimit();
        boolean eachNode = inTransaction || limit.eachNode();
        String operation = prepared.header().operation();
        PermitBucket ofTenant = null;
        if (limit.perTenant() > 0) {
            ofTenant = bucket(BucketKey.of(limit, operation, prepared.header().tenant(), eachNode));
            long wait = ofTenant.tryTake();
            if (wait > 0) {
                return noPermit(prepared, wait, Failures.TENANT_RATE_LIMITED);
            }
        }
        if (limit.permits() > 0) {
            long wait = takeOr(bucket(BucketKey.of(limit, operation, "", eachNode)), ofTenant);
            if (wait > 0) {
                return noPermit(prepared, wait, Failures.RATE_LIMITED);
            }
        }
        return null;
    }

    private NoPermit noPermit(PreparedCall<?, ?> prepared, long waitNanos, Failure failure) {
        watch.notAdmitted(
                prepared.header().operation(),
                prepared.header().tenant(),
                failure.equals(Failures.RATE_LIMITED) ? "rate_limit" : "tenant_rate_limit");
        return new NoPermit(rounded(waitNanos), failure);
    }

    /** The permit of the tenant is not used when there is none of all together. */
    private static long takeOr(PermitBucket ofAll, @Nullable PermitBucket ofTenant) {
        boolean taken = false;
        try {
            long wait = ofAll.tryTake();
            taken = wait == 0;
            return wait;
        } finally {
            if (!taken && ofTenant != null) {
                ofTenant.giveBack();
            }
        }
    }

    /** Whole milliseconds, as callers wait, and never too few. */
    private static Duration rounded(long nanos) {
        return Duration.ofMillis((nanos + 999_999) / 1_000_000);
    }

    /** The permits for all tenants of a channel together, of a limit that has some. */
    public PermitBucket ofAll(Channel.RateLimit limit, String operation) {
        return bucket(BucketKey.of(limit, operation, "", limit.eachNode()));
    }

    /** The permits for one tenant of a channel, of a limit that has some. */
    public PermitBucket ofTenant(Channel.RateLimit limit, String operation, String tenant) {
        return bucket(BucketKey.of(limit, operation, tenant, limit.eachNode()));
    }

    private PermitBucket bucket(BucketKey key) {
        PermitBucket known = buckets.get(key);
        if (known != null) {
            return known;
        }
        if (buckets.size() >= many) {
            buckets.values().removeIf(PermitBucket::isUnused);
            many = Math.max(FEW, 2 * buckets.size());
        }
        return buckets.computeIfAbsent(key, this::made);
    }

    private PermitBucket made(BucketKey key) {
        if (key.eachNode()) {
            return new NodeBucket(key, time);
        }
        Permits permits = store.permits()
                .orElseThrow(() -> new SemelException.Misconfigured(
                        "rate limit of " + key.operation(),
                        List.of("store " + store.name() + " cannot count for all nodes together: use a SQL store, or"
                                + " RateLimit.onEachNode()")));
        return new SharedBucket(key, permits, time);
    }
}
