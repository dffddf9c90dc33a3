package dev.semel.operator;

import dev.semel.store.ActivityCounts;
import dev.semel.store.ActivityRow;
import dev.semel.watch.Outcome;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The counts of one operation in a window, point by point. */
public final class ActivitySeries {
    private static final int DURATIONS = 64;
    private static final String CALLS = "call_";
    private static final String ACKS = "ack_";

    private final List<ActivityCounts> points;
    private final ActivityCounts totals;

    private ActivitySeries(List<ActivityCounts> points) {
        this.points = points;
        this.totals = points.stream().reduce(ActivityCounts.NONE, ActivityCounts::plus);
    }

    static ActivitySeries none(OverviewWindow window) {
        return new ActivitySeries(Collections.nCopies(window.points(), ActivityCounts.NONE));
    }

    /** By operation; rows outside the window are left out. */
    static Map<String, ActivitySeries> of(List<ActivityRow> rows, OverviewWindow window, long from) {
        Map<String, List<ActivityCounts>> all = new TreeMap<>();
        for (ActivityRow row : rows) {
            long place = Math.floorDiv(row.began() - from, window.step().toMillis());
            if (place >= 0 && place < window.points()) {
                List<ActivityCounts> points = all.computeIfAbsent(
                        row.operation(),
                        name -> new ArrayList<>(Collections.nCopies(window.points(), ActivityCounts.NONE)));
                points.set((int) place, points.get((int) place).plus(row.counts()));
            }
        }
        return all.entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, each -> new ActivitySeries(each.getValue())));
    }

    /** All of them together, point by point: sums, and the highest of what was seen waiting. */
    static ActivitySeries together(Collection<ActivitySeries> all, OverviewWindow window) {
        List<ActivityCounts> points = new ArrayList<>(Collections.nCopies(window.points(), ActivityCounts.NONE));
        for (ActivitySeries each : all) {
            for (int i = 0; i < points.size(); i++) {
                if (each.points.get(i) != ActivityCounts.NONE) {
                    points.set(i, points.get(i).plus(each.points.get(i)));
                }
            }
        }
        return new ActivitySeries(points);
    }

    /** The counts of the whole window. */
    public ActivityCounts totals() {
        return totals;
    }

    /** The sum of counts of these names, point by point. */
    public long[] points(String... names) {
        return points.stream()
                .mapToLong(each -> Arrays.stream(names).mapToLong(each::of).sum())
                .toArray();
    }

    /** Calls, sends and deliveries that had an outcome, point by point. */
    public long[] calls() {
        return points.stream().mapToLong(ActivitySeries::calls).toArray();
    }

    /** Messages that were acknowledged as durable, point by point. */
    public long[] acknowledged() {
        return points.stream().mapToLong(ActivitySeries::acknowledged).toArray();
    }

    /** {@link #callMillis(ActivityCounts, double)}, point by point. */
    public List<OptionalDouble> callMillis(double part) {
        return points.stream().map(each -> callMillis(each, part)).toList();
    }

    /** {@link #ackMillis(ActivityCounts, double)}, point by point. */
    public List<OptionalDouble> ackMillis(double part) {
        return points.stream().map(each -> ackMillis(each, part)).toList();
    }

    /** The most messages that were seen waiting at a time, point by point; of all tenants. */
    public long[] waiting() {
        return points("waiting_most");
    }

    /** The longest in milliseconds that a waiting message was seen to have been due, point by point; of all tenants. */
    public long[] dueMillis() {
        return points("due_ms_most");
    }

    /** All outcomes together. */
    public static long calls(ActivityCounts counts) {
        return Arrays.stream(Outcome.values())
                .mapToLong(outcome -> counts.of(outcome.code()))
                .sum();
    }

    /** Messages that were acknowledged as durable. */
    public static long acknowledged(ActivityCounts counts) {
        return Arrays.stream(durations(counts, ACKS)).sum();
    }

    /** How long this part of the calls took at most, in milliseconds, within a factor of two; empty without calls. */
    public static OptionalDouble callMillis(ActivityCounts counts, double part) {
        return quantile(durations(counts, CALLS), part);
    }

    /** The same of acknowledgements. */
    public static OptionalDouble ackMillis(ActivityCounts counts, double part) {
        return quantile(durations(counts, ACKS), part);
    }

    private static long[] durations(ActivityCounts counts, String prefix) {
        long[] durations = new long[DURATIONS];
        counts.counts().forEach((name, count) -> {
            if (name.startsWith(prefix)) {
                durations[Integer.parseInt(name.substring(prefix.length()))] += count;
            }
        });
        return durations;
    }

    /** Durations of one number of digits count as spread evenly. */
    private static OptionalDouble quantile(long[] durations, double part) {
        long all = Arrays.stream(durations).sum();
        long wanted = Math.max(1, (long) Math.ceil(all * part));
        long seen = 0;
        for (int digits = 0; digits < DURATIONS; digits++) {
            if (all > 0 && seen + durations[digits] >= wanted) {
                double least = digits == 0 ? 0 : Math.scalb(1.0, digits - 1);
                double into = (wanted - seen) / (double) durations[digits];
                return OptionalDouble.of((least + into * (Math.scalb(1.0, digits) - least)) / 1_000);
            }
            seen += durations[digits];
        }
        return OptionalDouble.empty();
    }
}
