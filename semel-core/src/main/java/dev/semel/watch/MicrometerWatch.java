package dev.semel.watch;

import dev.semel.Failure;
import dev.semel.Policy;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Metrics;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.Timer;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Counts and times with Micrometer, and observes calls for those who trace. The names are public and stable; each is in
 * {@code docs/metrics.md}. Tenants are tags only after {@link #withTenants}, because there may be many. One may serve several
 * engines.
 */
public final class MicrometerWatch implements Watch {
    private static final double[] LATENCY_BUCKETS = {1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000};

    private final MeterRegistry meters;
    private final ObservationRegistry observations;
    private final boolean tenants;
    private final Map<String, Line> lines = new ConcurrentHashMap<>();

    /** What was last seen of a channel: gauges are read from here, never from the store. */
    private static final class Line {
        private volatile long depth;
        private volatile long oldestMillis;
    }

    private MicrometerWatch(MeterRegistry meters, ObservationRegistry observations, boolean tenants) {
        this.meters = meters;
        this.observations = observations;
        this.tenants = tenants;
    }

    public static MicrometerWatch of(MeterRegistry meters) {
        return new MicrometerWatch(meters, ObservationRegistry.NOOP, false);
    }

    /** With Micrometer's global registry. Its type needs nothing of Micrometer, so it can be named where that is missing. */
    public static Watch global() {
        return of(Metrics.globalRegistry);
    }

    /** Calls are observed as {@code semel.operation}; what a handler observes is inside. */
    public MicrometerWatch withObservations(ObservationRegistry registry) {
        return new MicrometerWatch(meters, registry, tenants);
    }

    /** Whatever belongs to a tenant is tagged with it: only for few tenants. */
    public MicrometerWatch withTenants() {
        return new MicrometerWatch(meters, observations, true);
    }

    @Override
    public Trace begins(Span span) {
        return observations.isNoop() ? Trace.NONE : new ObservedCall(observations, span, tenants);
    }

    @Override
    public void ended(Span span) {
        Outcome outcome = Objects.requireNonNull(span.outcome());
        Tags work = work(span.operation(), span.tenant());
        Timer.builder("semel.call.duration")
                .tags(work.and("answer", outcome.code()))
                .register(meters)
                .record(span.nanos(), TimeUnit.NANOSECONDS);
        told(work, outcome);
        if (span.hit()) {
            counter("idempotency_cache_hit_total", work).increment();
        } else if (span.missed()) {
            counter("idempotency_cache_miss_total", work).increment();
        }
    }

    @Override
    public void sent(String operation, String tenant, Outcome outcome) {
        told(work(operation, tenant), outcome);
    }

    private void told(Tags work, Outcome outcome) {
        counter("semel.calls", work.and("answer", outcome.code())).increment();
        if (outcome == Outcome.REPLAYED || outcome == Outcome.DUPLICATE) {
            counter("semel.dedupe.hits", work).increment();
        } else if (outcome == Outcome.CONFLICT) {
            counter("semel.conflicts", work).increment();
            counter("idempotency_key_collision_total", work).increment();
        }
    }

    @Override
    public void retries(String operation, String tenant, Policy policy, Failure.Category category) {
        Tags tags = work(operation, tenant).and("policy", policy.code(), "category", category.code());
        counter("semel.retry.attempts", tags).increment();
    }

    @Override
    public void died(String operation, String tenant, Failure.Category category) {
        counter("semel.dead_letters", work(operation, tenant).and("category", category.code()))
                .increment();
    }

    @Override
    public void unknown(String operation, String tenant) {
        counter("semel.unknown", work(operation, tenant)).increment();
    }

    @Override
    public void takenOver(String operation, String tenant) {
        counter("semel.takeovers", work(operation, tenant)).increment();
    }

    @Override
    public void purged(String tenant, int records) {
        counter("semel.purged", tenants ? Tags.of("tenant", tenant) : Tags.empty())
                .increment(records);
    }

    @Override
    public void took(String store, String step, long nanos) {
        Tags tags = Tags.of("store", store, "step", step);
        Timer.builder("semel.store.duration").tags(tags).register(meters).record(nanos, TimeUnit.NANOSECONDS);
        DistributionSummary.builder("idempotency_store_latency_ms")
                .tags(tags)
                .serviceLevelObjectives(LATENCY_BUCKETS)
                .register(meters)
                .record(nanos / 1e6);
    }

    @Override
    public void shared(String step, int size) {
        DistributionSummary.builder("semel.batch.size")
                .tag("step", step)
                .register(meters)
                .record(size);
    }

    @Override
    public void waits(String channel, long depth, Duration oldest) {
        Line line = lines.computeIfAbsent(channel, this::gauged);
        line.depth = depth;
        line.oldestMillis = oldest.toMillis();
    }

    private Line gauged(String channel) {
        Line line = new Line();
        Gauge.builder("semel.queue.depth", line, each -> each.depth)
                .tag("channel", channel)
                .strongReference(true)
                .register(meters);
        TimeGauge.builder("semel.queue.oldest.age", line, TimeUnit.MILLISECONDS, each -> each.oldestMillis)
                .tag("channel", channel)
                .strongReference(true)
                .register(meters);
        return line;
    }

    private Tags work(String operation, String tenant) {
        return tenants ? Tags.of("operation", operation, "tenant", tenant) : Tags.of("operation", operation);
    }

    private Counter counter(String name, Tags tags) {
        return Counter.builder(name).tags(tags).register(meters);
    }
}
