package dev.semel.execution;

import dev.semel.Channel;
import dev.semel.store.Permits;
import java.time.Duration;

/** The permits of one operation, or of one tenant of it. Thread-safe. */
public interface PermitBucket {
    /**
     * Takes one permit.
     *
     * @return 0 when it was taken; otherwise after how many nanoseconds one is likely
     * @throws dev.semel.SemelException.StoreUnavailable when the store must be asked and cannot be
     */
    long tryTake();

    /** Gives back a permit of {@link #tryTake} that was not used. */
    void giveBack();

    /** How many of so many may begin, as far as this node knows. Asks nobody. */
    int free(int wanted);

    /** So many have begun, whether there were permits for them or not: what is missing is waited for. */
    void spend(int count);

    /** After how many nanoseconds the next permit is likely, as far as this node knows; 0 for now. */
    long waitNanos();

    /** Whether it is as good as a new one. */
    boolean isUnused();

    /** The settings of a bucket. */
    record BucketKey(String operation, String tenant, long stepNanos, int burst, boolean eachNode) {
        /** How long a chunk is good for, and how much is in it. */
        static final Duration CHUNK = Duration.ofMillis(100);

        /** @param tenant empty for all tenants together */
        static BucketKey of(Channel.RateLimit limit, String operation, String tenant, boolean eachNode) {
            int permits = tenant.isEmpty() ? limit.permits() : limit.perTenant();
            long step = (limit.per().toNanos() + permits - 1) / permits;
            return new BucketKey(operation, tenant, step, Math.min(limit.burst(), permits), eachNode);
        }

        /** How many permits a node takes ahead at most. */
        int chunk() {
            return (int) Math.max(1, Math.min(burst, CHUNK.toNanos() / stepNanos));
        }

        Permits.Take take(int wanted, boolean anyway) {
            return new Permits.Take(operation, tenant, stepNanos, burst, wanted, anyway);
        }
    }
}
