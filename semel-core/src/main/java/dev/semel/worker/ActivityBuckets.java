package dev.semel.worker;

import dev.semel.store.ActivityCounts;
import dev.semel.store.ActivityLog;
import dev.semel.store.ActivityLog.ActivityStep;
import dev.semel.store.ActivityRow;
import dev.semel.worker.ActivityCells.CellKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * What this node has counted and not written yet, or may still add to, by step and time. Each holds the whole count of its time, so to
 * write it again is harmless. Bounded: while the store cannot be written, the oldest short times are forgotten first; the hours that
 * contain them keep their counts. Used by one thread at a time.
 */
final class ActivityBuckets {
    /** Of each step. */
    private static final int MOST = 12;

    /** Of a bucket: so many tenants, each with its operations apart, are counted; later ones only among all together. */
    private static final int MOST_TENANT_COUNTS = 2_000;

    /** Of a bucket: the tenants with the highest counts. */
    private static final int MOST_TENANT_ROWS = 300;

    /** Longer times that are not over are written so often. */
    private static final Duration REWRITE = Duration.ofMinutes(1);

    private final Map<ActivityStep, TreeMap<Long, Bucket>> buckets = new EnumMap<>(ActivityStep.class);
    private final Map<ActivityStep, Long> forgotten = new EnumMap<>(ActivityStep.class);
    private final LongSupplier nodes;
    private long node;

    /** @param nodes numbers that nobody else has */
    ActivityBuckets(LongSupplier nodes) {
        this.nodes = nodes;
        this.node = nodes.getAsLong();
        for (ActivityStep step : ActivityStep.values()) {
            buckets.put(step, new TreeMap<>());
            forgotten.put(step, Long.MIN_VALUE);
        }
    }

    private static final class Bucket {
        private final ActivityStep step;
        private final long began;
        private final long node;
        private final Map<CellKey, ActivityCounts> counts = new HashMap<>();
        private int tenants;
        private boolean changed;
        private long writtenAt;

        Bucket(ActivityStep step, long began, long node) {
            this.step = step;
            this.began = began;
            this.node = node;
        }

        void add(CellKey key, ActivityCounts more) {
            counts.merge(new CellKey(key.operation(), ActivityLog.ALL_TENANTS), more, ActivityCounts::plus);
            if (key.tenant().equals(ActivityLog.ALL_TENANTS)) {
                return;
            }
            if (counts.containsKey(key)) {
                counts.merge(key, more, ActivityCounts::plus);
            } else if (tenants < MOST_TENANT_COUNTS) {
                tenants++;
                counts.put(key, more);
            }
        }

        boolean isOver(long now) {
            return began + step.millis() <= now;
        }

        boolean isDue(long now) {
            return changed
                    && (step == ActivityStep.SECONDS || isOver(now) || Math.abs(now - writtenAt) >= REWRITE.toMillis());
        }

        /** One for each operation, and those of the largest tenants. */
        Stream<ActivityRow> rows() {
            Stream<Map.Entry<CellKey, ActivityCounts>> all = counts.entrySet().stream()
                    .filter(each -> each.getKey().tenant().equals(ActivityLog.ALL_TENANTS));
            Stream<Map.Entry<CellKey, ActivityCounts>> largest = counts.entrySet().stream()
                    .filter(each -> !each.getKey().tenant().equals(ActivityLog.ALL_TENANTS))
                    .sorted(Comparator.comparingLong(each -> -size(each.getValue())))
                    .limit(MOST_TENANT_ROWS);
            return Stream.concat(all, largest)
                    .map(each -> new ActivityRow(
                            step, began, each.getKey().tenant(), each.getKey().operation(), node, each.getValue()));
        }

        private static long size(ActivityCounts counts) {
            return counts.counts().values().stream().mapToLong(Long::longValue).sum();
        }
    }

    /** Adds what was counted around a moment. */
    void add(long moment, Map<CellKey, ActivityCounts> counted) {
        if (counted.isEmpty()) {
            return;
        }
        for (ActivityStep step : ActivityStep.values()) {
            Bucket bucket = bucket(step, step.began(moment));
            counted.forEach(bucket::add);
            bucket.changed = true;
        }
    }

    /** If the clock went back, earlier counts of the same time are in the store already: they must not be replaced. */
    private Bucket bucket(ActivityStep step, long began) {
        TreeMap<Long, Bucket> all = buckets.get(step);
        Bucket found = all.get(began);
        if (found == null) {
            if (began <= forgotten.get(step)) {
                node = nodes.getAsLong();
            }
            found = new Bucket(step, began, node);
            all.put(began, found);
            if (all.size() > MOST) {
                forget(step, all.firstKey());
            }
        }
        return found;
    }

    private void forget(ActivityStep step, long began) {
        buckets.get(step).remove(began);
        forgotten.merge(step, began, Math::max);
    }

    /**
     * What is to be written.
     *
     * @param all also what need not be written yet
     */
    List<ActivityRow> due(long now, boolean all) {
        return stream()
                .filter(bucket -> bucket.isDue(now) || all && bucket.changed)
                .flatMap(Bucket::rows)
                .toList();
    }

    /** The rows of {@link #due} for the same arguments were written. */
    void written(long now, boolean all) {
        List<Bucket> over = new ArrayList<>();
        stream().forEach(bucket -> {
            if (bucket.isDue(now) || all && bucket.changed) {
                bucket.changed = false;
                bucket.writtenAt = now;
            }
            if (!bucket.changed && bucket.isOver(now)) {
                over.add(bucket);
            }
        });
        over.forEach(bucket -> forget(bucket.step, bucket.began));
    }

    /** How many counts the fullest bucket holds. */
    int largest() {
        return stream().mapToInt(bucket -> bucket.counts.size()).max().orElse(0);
    }

    private Stream<Bucket> stream() {
        return buckets.values().stream().flatMap(each -> each.values().stream());
    }
}
