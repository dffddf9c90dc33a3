package dev.semel.operator;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.semel.store.ActivityCounts;
import dev.semel.store.ActivityLog;
import dev.semel.store.ActivityLog.ActivityStep;
import dev.semel.store.ActivityRow;
import dev.semel.store.Store;
import dev.semel.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** How many messages of each channel are handled a minute. Read at most once in {@link Overviews#FRESH}, by one query. Thread-safe. */
public final class HandledRates {
    /** Over so many minutes. */
    public static final int MINUTES = 5;

    private static final int MOST_KEPT = 200;

    private final Store store;
    private final TimeSource time;
    private final Cache<String, Map<String, Double>> kept;

    HandledRates(Store store, TimeSource time) {
        this.store = store;
        this.time = time;
        this.kept = Caffeine.newBuilder()
                .maximumSize(MOST_KEPT)
                .expireAfterWrite(Overviews.FRESH)
                .ticker(time::nanos)
                .build();
    }

    /**
     * Messages that succeeded, became dead letters or UNKNOWN: a minute, on average over the last {@link #MINUTES}.
     *
     * @param tenant whose messages; those of all together when absent
     * @return by channel, without those of which none was; empty where no history is kept
     */
    public Map<String, Double> perMinute(@Nullable String tenant) {
        return kept.get(tenant == null ? ActivityLog.ALL_TENANTS : tenant, this::read);
    }

    private Map<String, Double> read(String tenant) {
        long until = ActivityStep.SECONDS.began(time.millis());
        long from = until - Duration.ofMinutes(MINUTES).toMillis();
        List<ActivityRow> rows = store.activity()
                .map(log -> log.read(ActivityStep.SECONDS, tenant, from, until))
                .orElse(List.of());
        Map<String, Double> rates = new TreeMap<>();
        for (ActivityRow row : rows) {
            long handled = handled(row.counts());
            if (handled > 0) {
                rates.merge(row.operation(), handled / (double) MINUTES, Double::sum);
            }
        }
        return rates;
    }

    private static long handled(ActivityCounts counts) {
        return counts.of("executed") + counts.of("shadowed") + counts.of("dead_letters") + counts.of("became_unknown");
    }
}
