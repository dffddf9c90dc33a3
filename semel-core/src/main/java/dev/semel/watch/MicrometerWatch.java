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
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/**
 * Counts and times with Micrometer, and observes calls for those who trace. The names are public and stable; each is in
 * {@code docs/metrics.md}. Tenants are tags only after {@link #withTenants}, because there may be many. One may serve several
 * engines.
 */
@SuppressWarnings("exports") // who names a registry requires its module
public final class MicrometerWatch implements Watch {
    private static final double[] LATENCY_BUCKETS = {1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000};

    /** An acknowledgement within three seconds is what senders of webhooks wait for. */
    private static final Duration[] ACK_BUCKETS = Arrays.stream(
                    new long[] {1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 3_000, 10_000})
            .mapToObj(Duration::ofMillis)
            .toArray(Duration[]::new);

    private final MeterRegistry meters;
    private final ObservationRegistry observations;
    private final boolean tenants;
    private final Map<String, ChannelGauges> lines = new ConcurrentHashMap<>();
    private final Map<StepMeterKey, StepMeters> steps = new ConcurrentHashMap<>();
    private final Map<CallMeterKey, CallMeters> calls = new ConcurrentHashMap<>();

    /** The last known values of a channel. Gauges read them here, never from the store. */
    private static final class ChannelGauges {
        private volatile long depth;
        private volatile long oldestMillis;
    }

    /** The last known values of the whole ledger. */
    private volatile LedgerGauges ledger = new LedgerGauges(0, 0, Duration.ZERO, Duration.ZERO, -1);

    private final AtomicBoolean gauged = new AtomicBoolean();

    private record StepMeterKey(String store, String step) {}

    private record StepMeters(Timer duration, DistributionSummary latency) {}

    /** @param tenant empty where tenants are no tags */
    private record CallMeterKey(String operation, String tenant, Outcome outcome) {}

    private record CallMeters(Timer duration, Counter calls) {}

    private MicrometerWatch(MeterRegistry meters, ObservationRegistry observations, boolean tenants) {
        this.meters = meters;
        this.observations = observations;
        this.tenants = tenants;
        // To find a meter takes longer than to count with it, so those of every call are remembered while they are
        // there.
        meters.config().onMeterRemoved(removed -> {
            steps.clear();
            calls.clear();
        });
    }

    /** Counts and times go to these meters. */
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

    /** Tags metrics with their tenant. Only for few tenants. */
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
        CallMeters met = known(
                calls, new CallMeterKey(span.operation(), tenants ? span.tenant() : "", outcome), this::callMeters);
        met.duration.record(span.nanos(), TimeUnit.NANOSECONDS);
        met.calls.increment();
        Tags work = work(span.operation(), span.tenant());
        deduped(work, outcome);
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

    /** Not computed inside the map: the registry has a lock of its own, under which it tells of what is removed. */
    private static <K, V> V known(Map<K, V> remembered, K key, Function<K, V> finding) {
        V there = remembered.get(key);
        if (there == null) {
            there = finding.apply(key);
            remembered.put(key, there);
        }
        return there;
    }

    private CallMeters callMeters(CallMeterKey call) {
        Tags tags = work(call.operation, call.tenant).and("answer", call.outcome.code());
        return new CallMeters(
                Timer.builder("semel.call.duration").tags(tags).register(meters), counter("semel.calls", tags));
    }

    private void told(Tags work, Outcome outcome) {
        counter("semel.calls", work.and("answer", outcome.code())).increment();
        deduped(work, outcome);
    }

    @Override
    public void accepted(String operation, String tenant, long nanos) {
        Timer.builder("semel.ingress.ack")
                .tags(work(operation, tenant))
                .serviceLevelObjectives(ACK_BUCKETS)
                .register(meters)
                .record(nanos, TimeUnit.NANOSECONDS);
    }

    private void deduped(Tags work, Outcome outcome) {
        if (outcome == Outcome.REPLAYED || outcome == Outcome.DUPLICATE) {
            counter("semel.dedupe.hits", work).increment();
        } else if (outcome == Outcome.CONFLICT) {
            counter("semel.conflicts", work).increment();
            counter("idempotency_key_collision_total", work).increment();
        }
    }

    @Override
    public void notAdmitted(String operation, String tenant, String cause) {
        counter("semel.not_admitted", work(operation, tenant).and("cause", cause))
                .increment();
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
    public void logOnly(String route, String answer) {
        counter("semel.http.log_only", Tags.of("route", route, "answer", answer))
                .increment();
    }

    @Override
    public void ingress(String source, String answer) {
        counter("semel.ingress.requests", Tags.of("source", source, "answer", answer))
                .increment();
    }

    @Override
    public void purged(String tenant, int records) {
        counter("semel.purged", tenants ? Tags.of("tenant", tenant) : Tags.empty())
                .increment(records);
    }

    @Override
    public void took(String store, String step, long nanos) {
        StepMeters met = known(steps, new StepMeterKey(store, step), this::stepMeters);
        met.duration.record(nanos, TimeUnit.NANOSECONDS);
        met.latency.record(nanos / 1e6);
    }

    private StepMeters stepMeters(StepMeterKey of) {
        Tags tags = Tags.of("store", of.store, "step", of.step);
        return new StepMeters(
                Timer.builder("semel.store.duration").tags(tags).register(meters),
                DistributionSummary.builder("idempotency_store_latency_ms")
                        .tags(tags)
                        .serviceLevelObjectives(LATENCY_BUCKETS)
                        .register(meters));
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
        ChannelGauges line = lines.computeIfAbsent(channel, this::gauged);
        line.depth = depth;
        line.oldestMillis = oldest.toMillis();
    }

    @Override
    public void stands(LedgerGauges standing) {
        ledger = standing;
        if (gauged.compareAndSet(false, true)) {
            number("semel.ledger.dead_letters", LedgerGauges::deadLetters).register(meters);
            number("semel.ledger.unknown", LedgerGauges::unknown).register(meters);
            age("semel.ledger.unknown.age", LedgerGauges::unknownAge);
            age("semel.ledger.lease.overdue", LedgerGauges::leaseOverdue);
            age("semel.ledger.purge.lag", each -> each.purge().records());
            age("semel.audit.purge.lag", each -> each.purge().audit());
            bytes("semel.ledger.size", LedgerGauges::bytes);
            bytes("semel.audit.size", each -> each.purge().auditBytes());
        }
    }

    private Gauge.Builder<MicrometerWatch> number(String name, ToDoubleFunction<LedgerGauges> value) {
        return Gauge.builder(name, this, watch -> value.applyAsDouble(watch.ledger))
                .strongReference(true);
    }

    private void bytes(String name, ToLongFunction<LedgerGauges> value) {
        number(name, each -> value.applyAsLong(each) < 0 ? Double.NaN : value.applyAsLong(each))
                .baseUnit("bytes")
                .register(meters);
    }

    private void age(String name, Function<LedgerGauges, Duration> value) {
        TimeGauge.builder(
                        name,
                        this,
                        TimeUnit.MILLISECONDS,
                        watch -> value.apply(watch.ledger).toMillis())
                .strongReference(true)
                .register(meters);
    }

    private ChannelGauges gauged(String channel) {
        ChannelGauges line = new ChannelGauges();
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
