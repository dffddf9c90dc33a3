package dev.semel.operator;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.semel.Mode;
import dev.semel.operator.Overview.OperationActivity;
import dev.semel.store.ActivityLog;
import dev.semel.store.ActivityLog.ActivityStep;
import dev.semel.store.Store;
import dev.semel.store.Switchboard;
import dev.semel.store.Switchboard.Pause;
import dev.semel.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Reads overviews from the store. Each is read at most once in {@link #FRESH}, however many ask for it: eight queries, each of which looks
 * at a bounded number of rows through an index. Thread-safe.
 */
public final class Overviews {
    /** How long an overview is given to everybody who asks: eight queries for a tab that is open cost less than one a second. */
    public static final Duration FRESH = Duration.ofSeconds(10);

    private static final int MOST_KEPT = 200;
    private static final int MOST_OPERATIONS = 200;
    private static final Comparator<OperationActivity> BUSIEST = Comparator.comparingLong((OperationActivity each) ->
                    -ActivitySeries.calls(each.history().totals()))
            .thenComparing(OperationActivity::name);

    private final Store store;
    private final TimeSource time;
    private final ReadingNode node;
    private final HandledRates rates;
    private final Cache<OverviewKey, Overview> kept;

    public Overviews(Store store, TimeSource time, ReadingNode node) {
        this.store = store;
        this.time = time;
        this.node = node;
        this.rates = new HandledRates(store, time);
        this.kept = Caffeine.newBuilder()
                .maximumSize(MOST_KEPT)
                .expireAfterWrite(FRESH)
                .ticker(time::nanos)
                .build();
    }

    /** The node on which they are read. */
    public ReadingNode node() {
        return node;
    }

    /** How fast channels are handled. */
    public HandledRates rates() {
        return rates;
    }

    private record OverviewKey(
            OverviewWindow window, @Nullable String tenant) {}

    /**
     * What happened in the window, and how things stand.
     *
     * @param tenant whose figures; those of all together when absent
     */
    public Overview of(OverviewWindow window, @Nullable String tenant) {
        return kept.get(new OverviewKey(window, tenant), this::read);
    }

    private Overview read(OverviewKey key) {
        OverviewWindow window = key.window();
        String tenant = key.tenant();
        long now = time.millis();
        long from = window.from(now);
        String whose = tenant == null ? ActivityLog.ALL_TENANTS : tenant;
        node.writeCounts();
        Optional<ActivityLog> log = store.activity();
        Map<String, ActivitySeries> history = log.map(
                        each -> ActivitySeries.of(each.read(window.source(), whose, from, now + 1), window, from))
                .orElse(Map.of());
        PresentState present = PresentState.of(store, tenant);
        Set<String> names = new TreeSet<>(history.keySet());
        names.addAll(present.operations());
        return new Overview(
                Instant.ofEpochMilli(now),
                new Overview.OverviewScope(window, Instant.ofEpochMilli(from), tenant),
                AttentionList.of(present, names, node.breakers()),
                ActivitySeries.together(history.values(), window),
                operations(window, names, history, present),
                log.flatMap(each -> since(each, whose)));
    }

    private static Optional<Instant> since(ActivityLog log, String tenant) {
        return log.oldest(ActivityStep.HOURS, tenant).stream()
                .mapToObj(Instant::ofEpochMilli)
                .findFirst();
    }

    private static List<OperationActivity> operations(
            OverviewWindow window, Set<String> names, Map<String, ActivitySeries> history, PresentState present) {
        List<OperationActivity> operations = new ArrayList<>();
        for (String name : names) {
            ActivitySeries series = history.getOrDefault(name, ActivitySeries.none(window));
            operations.add(new OperationActivity(
                    name,
                    present.operations().contains(name) || isSent(series),
                    series,
                    present.waiting(name),
                    mode(present.modes(), present.tenant(), name),
                    pause(present.modes(), present.tenant(), name)));
        }
        return operations.stream().sorted(BUSIEST).limit(MOST_OPERATIONS).toList();
    }

    private static boolean isSent(ActivitySeries series) {
        return series.totals().of("accepted") + series.totals().of("duplicate") > 0;
    }

    private static Mode mode(Switchboard.Modes modes, @Nullable String tenant, String operation) {
        return tenant == null ? modes.ofAll(operation) : modes.of(tenant, operation);
    }

    private static @Nullable Pause pause(Switchboard.Modes modes, @Nullable String tenant, String operation) {
        return modes.pauses().stream()
                .filter(pause -> pause.operation().equals(operation))
                .filter(pause -> tenant == null || pause.appliesTo(operation, tenant))
                .findFirst()
                .orElse(null);
    }
}
