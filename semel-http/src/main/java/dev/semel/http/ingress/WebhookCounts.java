package dev.semel.http.ingress;

import java.time.Instant;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * What one {@link WebhookServlet} answered since it was made; others, and other nodes, have their own. A snapshot: its figures may be a few
 * requests apart. Handshakes are not counted.
 *
 * @param accepted webhooks that were stored
 * @param repeated webhooks that were there already, with the same contents or with others
 * @param rejected requests that were not acknowledged, for whatever reason
 * @param lastStored when one was last acknowledged, repeated or not; null when none was
 * @param lastRejected when one was last rejected; null when none was
 */
public record WebhookCounts(
        long accepted,
        long repeated,
        long rejected,
        @Nullable Instant lastStored,
        @Nullable Instant lastRejected) {
    /** Counts as requests are answered. Thread-safe. */
    static final class Counting {
        private final LongAdder accepted = new LongAdder();
        private final LongAdder repeated = new LongAdder();
        private final LongAdder rejected = new LongAdder();
        private volatile @Nullable Instant lastStored;
        private volatile @Nullable Instant lastRejected;

        void acknowledged(boolean first, Instant now) {
            (first ? accepted : repeated).increment();
            lastStored = now;
        }

        void rejected(Instant now) {
            rejected.increment();
            lastRejected = now;
        }

        WebhookCounts snapshot() {
            return new WebhookCounts(accepted.sum(), repeated.sum(), rejected.sum(), lastStored, lastRejected);
        }
    }
}
