package dev.semel.watch;

import dev.semel.Failure;
import dev.semel.Policy;
import java.time.Duration;

/**
 * Tells two watches what happens to calls, sends and deliveries: one of the engine's own, which only counts, and then the application's,
 * which alone is told the rest and alone traces.
 */
public final class WatchPair implements Watch {
    private final Watch counting;
    private final Watch watch;

    private WatchPair(Watch counting, Watch watch) {
        this.counting = counting;
        this.watch = watch;
    }

    /** Both; one of them alone when there is only one. */
    public static Watch of(Watch counting, Watch watch) {
        if (counting == NONE) {
            return watch;
        }
        return watch == NONE ? counting : new WatchPair(counting, watch);
    }

    @Override
    public Trace begins(Span span) {
        return watch.begins(span);
    }

    @Override
    public void ended(Span span) {
        counting.ended(span);
        watch.ended(span);
    }

    @Override
    public void sent(String operation, String tenant, Outcome outcome) {
        counting.sent(operation, tenant, outcome);
        watch.sent(operation, tenant, outcome);
    }

    @Override
    public void accepted(String operation, String tenant, long nanos) {
        counting.accepted(operation, tenant, nanos);
        watch.accepted(operation, tenant, nanos);
    }

    @Override
    public void notAdmitted(String operation, String tenant, String cause) {
        counting.notAdmitted(operation, tenant, cause);
        watch.notAdmitted(operation, tenant, cause);
    }

    @Override
    public void retries(String operation, String tenant, Policy policy, Failure.Category category) {
        counting.retries(operation, tenant, policy, category);
        watch.retries(operation, tenant, policy, category);
    }

    @Override
    public void died(String operation, String tenant, Failure.Category category) {
        counting.died(operation, tenant, category);
        watch.died(operation, tenant, category);
    }

    @Override
    public void unknown(String operation, String tenant) {
        counting.unknown(operation, tenant);
        watch.unknown(operation, tenant);
    }

    @Override
    public void takenOver(String operation, String tenant) {
        counting.takenOver(operation, tenant);
        watch.takenOver(operation, tenant);
    }

    @Override
    public void logOnly(String route, String answer) {
        watch.logOnly(route, answer);
    }

    @Override
    public void ingress(String source, String answer) {
        watch.ingress(source, answer);
    }

    @Override
    public void purged(String tenant, int records) {
        watch.purged(tenant, records);
    }

    @Override
    public void took(String store, String step, long nanos) {
        watch.took(store, step, nanos);
    }

    @Override
    public void shared(String step, int size) {
        watch.shared(step, size);
    }

    @Override
    public void waits(String channel, long depth, Duration oldest) {
        watch.waits(channel, depth, oldest);
    }

    @Override
    public void stands(LedgerGauges standing) {
        watch.stands(standing);
    }
}
