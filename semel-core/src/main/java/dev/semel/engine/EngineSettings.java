package dev.semel.engine;

import dev.semel.Mode;
import dev.semel.Policy;
import dev.semel.Semel;
import dev.semel.SemelException;
import dev.semel.key.JacksonCodec;
import dev.semel.key.ValueCodec;
import dev.semel.operator.DeliveryRounds;
import dev.semel.policy.Catalogue;
import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import dev.semel.store.Stores;
import dev.semel.time.TimeSource;
import dev.semel.watch.Guarded;
import dev.semel.watch.MicrometerWatch;
import dev.semel.watch.Watch;
import dev.semel.worker.ReconcilerCalls;
import dev.semel.worker.Worker;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Settings of an engine; checked together by {@link #open}. Besides what the front door offers, a test or a store's author may
 * hand in the store itself, the clock, chance, and whether anything runs in the background.
 */
public final class EngineSettings implements Semel.Settings {
    private static final String MICROMETER_MISSING = """
            metrics are asked for, but Micrometer is not on the class path: add
              <dependency>
                <groupId>io.micrometer</groupId>
                <artifactId>micrometer-core</artifactId>
                <version>1.17.2</version>
              </dependency>""";

    private final Function<StoreProvider.Options, Store> store;
    private final List<Policy> policies = new ArrayList<>();
    private final List<String> faults = new ArrayList<>();
    private final Set<String> set = new HashSet<>(); // subjects of settings
    private TimeSource time = TimeSource.system();
    private @Nullable TimeSource storeTime;
    private RandomGenerator random = new SeededRandom();
    private boolean background = true;
    private boolean virtualThreads = true;
    private int cached = EngineSetting.LOCAL_CACHE.preset();
    private boolean auditEach;
    private boolean audit = true;
    private Duration auditRetention = EngineSetting.AUDIT_RETENTION.preset();
    private Duration reconcilerTimeout = EngineSetting.RECONCILER_TIMEOUT.preset();
    private boolean reconcilerThreads;
    private Duration windowsMadeUpFor = DeliveryRounds.MADE_UP_FOR;
    private int largest = EngineSetting.LARGEST_VALUE.preset();
    private Semel.Codec codec = JacksonCodec.usual();
    private Mode mode = Mode.LIVE;
    private Watch watch = Watch.NONE;
    private boolean activity = true;
    private boolean activityByHand;

    private EngineSettings(Function<StoreProvider.Options, Store> store) {
        this.store = store;
        String fromEnvironment = System.getenv("SEMEL_MODE");
        if (fromEnvironment != null && !fromEnvironment.isBlank()) {
            try {
                mode = Mode.valueOf(fromEnvironment.trim().toUpperCase(Locale.ROOT));
            } catch (IllegalArgumentException e) {
                faults.add("SEMEL_MODE is \"" + fromEnvironment + "\": use LIVE, SHADOW or HALTED");
            }
        }
    }

    /** For a store that is open already and has a clock of its own. The engine closes it. */
    public static EngineSettings on(Store store) {
        return new EngineSettings(options -> store);
    }

    /** For a store that is opened by its URL. */
    public static EngineSettings at(String url) {
        return new EngineSettings(options -> Stores.open(url, options));
    }

    /** For a store in the database that the application's data source leads to. */
    public static EngineSettings at(DataSource source) {
        return new EngineSettings(options -> Stores.open(source, options));
    }

    @Override
    public EngineSettings withPolicy(Policy policy) {
        if (policies.stream().anyMatch(other -> other.name().equals(policy.name()))) {
            faults.add("policy " + policy.name() + " is given twice: keep one of the two");
        }
        policies.add(policy);
        return this;
    }

    @Override
    public EngineSettings withLocalCache(int results) {
        check(EngineSetting.LOCAL_CACHE, results);
        cached = results;
        return this;
    }

    @Override
    public EngineSettings withAuditOfEachReplay() {
        auditEach = true;
        return this;
    }

    @Override
    public EngineSettings withoutAudit() {
        audit = false;
        return this;
    }

    @Override
    public EngineSettings withAuditRetention(Duration value) {
        check(EngineSetting.AUDIT_RETENTION, value);
        auditRetention = value;
        return this;
    }

    @Override
    public EngineSettings withoutActivityHistory() {
        activity = false;
        return this;
    }

    /** Counts activity also where nothing runs in the background: the caller writes it. */
    public EngineSettings withActivityByHand() {
        activityByHand = true;
        return this;
    }

    @Override
    public EngineSettings withReconcilerTimeout(Duration value) {
        check(EngineSetting.RECONCILER_TIMEOUT, value);
        reconcilerTimeout = value;
        return this;
    }

    @Override
    public EngineSettings withLargestValue(int bytes) {
        check(EngineSetting.LARGEST_VALUE, bytes);
        largest = bytes;
        return this;
    }

    @Override
    public EngineSettings withCodec(Semel.Codec value) {
        once(EngineSetting.CODEC);
        codec = value;
        return this;
    }

    @Override
    public EngineSettings withMode(Mode value) {
        once(EngineSetting.MODE);
        mode = value;
        return this;
    }

    @Override
    public EngineSettings withWatch(Semel.Observer value) {
        once(EngineSetting.WATCH);
        if (value instanceof Watch given) {
            watch = Guarded.of(given);
        } else {
            faults.add("the watch " + value.getClass().getName() + " would get no events: let it implement "
                    + Watch.class.getName());
        }
        return this;
    }

    @Override
    public EngineSettings withMetrics() {
        try {
            return withWatch(MicrometerWatch.global());
        } catch (NoClassDefFoundError e) {
            faults.add(MICROMETER_MISSING);
            return this;
        }
    }

    @Override
    public EngineSettings withClock(InstantSource clock) {
        once(EngineSetting.CLOCK);
        storeTime = TimeSource.of(clock);
        return withTime(storeTime);
    }

    /** Of the engine alone: a store that is opened by URL or data source keeps its own. */
    public EngineSettings withTime(TimeSource value) {
        time = value;
        return this;
    }

    /** Jitter, owners of grants and correlation ids come from here. */
    public EngineSettings withRandom(RandomGenerator value) {
        random = value;
        return this;
    }

    /** Nothing runs in the background: the caller runs the {@link Engine#duties}. */
    public EngineSettings withoutBackground() {
        background = false;
        return this;
    }

    /** Reconcilers run on threads of their own, as they do in the background, also where nothing else runs by itself. */
    public EngineSettings withReconcilerThreads() {
        reconcilerThreads = true;
        return this;
    }

    /** How long ago a window of deliveries may have ended that is still checked. */
    public EngineSettings withWindowsMadeUpFor(Duration value) {
        windowsMadeUpFor = value;
        return this;
    }

    @Override
    public EngineSettings withPlatformThreads() {
        virtualThreads = false;
        return this;
    }

    private <T> void check(EngineSetting<T> setting, T value) {
        once(setting);
        if (!setting.allows(value)) {
            faults.add(setting.subject() + " is " + value + ": use "
                    + setting.allowed().values());
        }
    }

    private void once(EngineSetting<?> setting) {
        if (!set.add(setting.subject())) {
            faults.add(setting.subject() + " is set twice: keep one of the two");
        }
    }

    @Override
    public Engine open() {
        if (auditEach && !audit) {
            faults.add("each replay is to be audited, but the audit is off: choose one");
        }
        if (!faults.isEmpty()) {
            throw new SemelException.Misconfigured("Semel's settings", faults);
        }
        return new Engine(this, store.apply(new StoreProvider.Options(storeTime, false)));
    }

    TimeSource time() {
        return time;
    }

    Duration windowsMadeUpFor() {
        return windowsMadeUpFor;
    }

    RandomGenerator random() {
        return random;
    }

    boolean background() {
        return background;
    }

    Worker.ThreadKind staff() {
        if (!background) {
            return Worker.ThreadKind.NONE;
        }
        return virtualThreads ? Worker.ThreadKind.VIRTUAL : Worker.ThreadKind.PLATFORM;
    }

    int cached() {
        return cached;
    }

    boolean auditEach() {
        return auditEach;
    }

    Duration auditRetention() {
        return auditRetention;
    }

    ReconcilerCalls reconcilerCalls() {
        return new ReconcilerCalls(time, reconcilerTimeout, background || reconcilerThreads);
    }

    boolean audit() {
        return audit;
    }

    ValueCodec codec() {
        return new ValueCodec(largest, codec);
    }

    Mode mode() {
        return mode;
    }

    Watch watch() {
        return watch;
    }

    /** Whether the history of activity is recorded, if the store keeps one. */
    boolean activity() {
        return activity && (background || activityByHand);
    }

    Catalogue catalogue() {
        return Catalogue.shipped().with(policies);
    }
}
