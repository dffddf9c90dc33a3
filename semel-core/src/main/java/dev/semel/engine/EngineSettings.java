package dev.semel.engine;

import dev.semel.Mode;
import dev.semel.Policy;
import dev.semel.Semel;
import dev.semel.SemelException;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import javax.sql.DataSource;

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

    private static final Duration SHORTEST_AUDIT = Duration.ofDays(1);
    private static final Duration RECONCILER_TIMEOUT = Duration.ofSeconds(30);

    private final Supplier<Store> store;
    private final List<Policy> policies = new ArrayList<>();
    private final List<String> faults = new ArrayList<>();
    private TimeSource time = TimeSource.system();
    private RandomGenerator random = new Chance();
    private boolean background = true;
    private boolean virtualThreads = true;
    private int cached;
    private boolean auditEach;
    private boolean audit = true;
    private Duration auditRetention = Duration.ofDays(365);
    private Duration reconcilerTimeout = RECONCILER_TIMEOUT;
    private boolean reconcilerThreads;
    private int largest = 1 << 20;
    private Mode mode = Mode.LIVE;
    private Watch watch = Watch.NONE;

    private EngineSettings(Supplier<Store> store) {
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

    /** For a store that is open already. The engine closes it. */
    public static EngineSettings on(Store store) {
        return new EngineSettings(() -> store);
    }

    /** For a store that is opened by its URL. */
    public static EngineSettings at(String url) {
        return new EngineSettings(() -> Stores.open(url, StoreProvider.Options.DEFAULT));
    }

    /** For a store in the database that the application's data source leads to. */
    public static EngineSettings at(DataSource source) {
        return new EngineSettings(() -> Stores.open(source, StoreProvider.Options.DEFAULT));
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
        if (results < 1) {
            faults.add("a local cache of " + results + " results: use 1 or more, or leave it out");
        }
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
        if (value.compareTo(SHORTEST_AUDIT) < 0) {
            faults.add("an audit retention of " + value + ": use " + SHORTEST_AUDIT.toHours() + " hours or more");
        }
        auditRetention = value;
        return this;
    }

    @Override
    public EngineSettings withReconcilerTimeout(Duration value) {
        if (value.isNegative() || value.isZero()) {
            faults.add("a reconciler time-out of " + value + ": use more than zero");
        }
        reconcilerTimeout = value;
        return this;
    }

    @Override
    public EngineSettings withLargestValue(int bytes) {
        if (bytes < 1) {
            faults.add("a largest value of " + bytes + " bytes: use 1 or more");
        }
        largest = bytes;
        return this;
    }

    /** This node's own mode; the stricter of it and the switchboard's applies. */
    public EngineSettings withMode(Mode value) {
        mode = value;
        return this;
    }

    /** Is told what happens: see {@code MicrometerWatch} for metrics and traces. */
    public EngineSettings withWatch(Watch value) {
        if (watch != Watch.NONE) {
            faults.add("a watch is given twice: keep one of the two");
        }
        watch = Guarded.of(value);
        return this;
    }

    /** Metrics go to Micrometer's global registry, which an application may not have: then {@link #open} says what to add. */
    public EngineSettings withMetrics() {
        try {
            return withWatch(MicrometerWatch.global());
        } catch (NoClassDefFoundError e) {
            faults.add(MICROMETER_MISSING);
            return this;
        }
    }

    public EngineSettings withTime(TimeSource value) {
        time = value;
        return this;
    }

    /** Jitter, owners of grants and correlation ids come from here. */
    public EngineSettings withRandom(RandomGenerator value) {
        random = value;
        return this;
    }

    /** Nothing runs by itself: whoever opened the engine does its {@link Engine#duties}. */
    public EngineSettings withoutBackground() {
        background = false;
        return this;
    }

    /** Reconcilers run on threads of their own, as they do in the background, also where nothing else runs by itself. */
    public EngineSettings withReconcilerThreads() {
        reconcilerThreads = true;
        return this;
    }

    /** Handlers of channels run on platform threads, also where the runtime has virtual ones. */
    public EngineSettings withPlatformThreads() {
        virtualThreads = false;
        return this;
    }

    @Override
    public Engine open() {
        if (auditEach && !audit) {
            faults.add("each replay is to be audited, but the audit is off: choose one");
        }
        if (!faults.isEmpty()) {
            throw new SemelException.Misconfigured("Semel's settings", faults);
        }
        return new Engine(this, store.get());
    }

    TimeSource time() {
        return time;
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

    int largest() {
        return largest;
    }

    Mode mode() {
        return mode;
    }

    Watch watch() {
        return watch;
    }

    Catalogue catalogue() {
        return Catalogue.shipped().with(policies);
    }
}
