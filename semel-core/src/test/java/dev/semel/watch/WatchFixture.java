package dev.semel.watch;

import dev.semel.Call;
import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Operation;
import dev.semel.Policy;
import dev.semel.Tenant;
import dev.semel.engine.Engine;
import dev.semel.engine.EngineSettings;
import dev.semel.store.Store;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.ManualTime;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;

/** Engines in memory that are watched, on a clock moved by hand, and what their meters say. */
abstract class WatchFixture {
    static final Tenant ACME = Tenant.of("acme");
    static final Duration LEASE = Duration.ofSeconds(30);

    /** Three attempts, 1 s and 2 s apart, without jitter. */
    static final Policy STEADY = Policy.named("steady")
            .withJitter(new Policy.Jitter.None())
            .withLease(LEASE)
            .withAttemptTimeout(Duration.ofMinutes(10))
            .build();

    static final Operation.Atomic<String, String> CHARGE =
            Operation.atomic("charge", String.class, String.class).withPolicy("steady");
    static final Operation.Leased<String, String> REFUND =
            Operation.leased("refund", String.class, String.class).withPolicy("steady");
    static final Operation.Leased<String, String> NOTIFY = Operation.leased("notify", String.class, String.class)
            .withPolicy("steady")
            .asRepeatable();
    static final Operation.Leased<String, String> LIMITED = Operation.leased("limited", String.class, String.class)
            .withRateLimit(Channel.RateLimit.of(1, Duration.ofDays(1)));
    static final Channel.Leased<String> MAIL =
            Channel.leased("mail", String.class).withPolicy("steady");
    static final Channel.Atomic<String> POST =
            Channel.atomic("post", String.class).withPolicy("steady");

    final ManualTime time = new ManualTime(1_800_000_000_000L);
    final MemoryStore store = new MemoryStore(time);
    final MeterRegistry meters = new SimpleMeterRegistry();
    private final List<Engine> opened = new ArrayList<>();

    @AfterEach
    void closeEngines() {
        opened.forEach(Engine::close);
    }

    Engine start(Watch watch) {
        return start(watch, store);
    }

    Engine start(Watch watch, Store on) {
        Engine engine = EngineSettings.on(on)
                .withTime(time)
                .withRandom(new Random(opened.size()))
                .withPolicy(STEADY)
                .withWatch(watch)
                .withoutBackground()
                .open();
        opened.add(engine);
        return engine;
    }

    static Call<String> call(String key) {
        return Call.of(ACME, Key.of(key), "payload");
    }

    static Call<String> otherPayload(String key) {
        return Call.of(ACME, Key.of(key), "other payload");
    }

    static Message<String> message(String key) {
        return Message.of(ACME, Key.of(key), "payload");
    }

    static Failure.Thrown failing(Failure.Category category) {
        return Failure.of(category, "simulated " + category.code()).asException();
    }

    static void work(Engine node) {
        while (node.duties().worker().turn()) {
            // until a round finds nothing
        }
    }

    /** The counts of the meters of a name, by their tags, each as {@code tag=value} in the order of the tags. */
    Map<String, Long> counts(String name) {
        return read(name, meter -> {
            if (meter instanceof Counter counter) {
                return counter.count();
            }
            return meter instanceof Timer timer ? timer.count() : ((DistributionSummary) meter).count();
        });
    }

    /** The values of the gauges of a name, by their tags. */
    Map<String, Long> gauges(String name) {
        return read(name, meter -> ((Gauge) meter).value());
    }

    private Map<String, Long> read(String name, ToDoubleFunction<Meter> value) {
        return meters.find(name).meters().stream()
                .collect(Collectors.toMap(
                        WatchFixture::tags, meter -> Math.round(value.applyAsDouble(meter)), Long::sum, TreeMap::new));
    }

    static String tags(Meter meter) {
        return meter.getId().getTags().stream()
                .map(tag -> tag.getKey() + "=" + tag.getValue())
                .collect(Collectors.joining(" "));
    }
}
