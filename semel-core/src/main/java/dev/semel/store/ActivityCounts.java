package dev.semel.store;

import java.util.Map;
import java.util.SortedMap;
import java.util.StringJoiner;
import java.util.TreeMap;

/**
 * Counts by name; what is absent is zero. The names are those of outcomes ({@code executed}), of other events ({@code retries}), and of
 * durations ({@code call_7}: less than 2 to the power of 7 microseconds, and not less than half of it). A name that ends in
 * {@code _most} is no count but the highest value that was seen.
 *
 * @param counts names are letters, digits and underscores
 */
public record ActivityCounts(SortedMap<String, Long> counts) {
    public static final ActivityCounts NONE = new ActivityCounts(new TreeMap<>());

    private static final String HIGHEST = "_most";

    public ActivityCounts {
        counts = java.util.Collections.unmodifiableSortedMap(new TreeMap<>(counts));
    }

    /** Counts by name. */
    public static ActivityCounts of(Map<String, Long> counts) {
        return new ActivityCounts(new TreeMap<>(counts));
    }

    /** Of this name; zero when it is absent. */
    public long of(String name) {
        return counts.getOrDefault(name, 0L);
    }

    /** Both together: sums of counts, and the higher one of highest values. */
    public ActivityCounts plus(ActivityCounts other) {
        SortedMap<String, Long> sum = new TreeMap<>(counts);
        other.counts.forEach((name, count) -> sum.merge(name, count, name.endsWith(HIGHEST) ? Math::max : Long::sum));
        return new ActivityCounts(sum);
    }

    /** As it is stored: {@code executed 12 retries 3}. */
    public String stored() {
        StringJoiner text = new StringJoiner(" ");
        counts.forEach((name, count) -> text.add(name).add(count.toString()));
        return text.toString();
    }

    /**
     * Reads what {@link #stored} wrote, also by a node of a newer version.
     *
     * @throws IllegalArgumentException when it is something else
     */
    public static ActivityCounts parse(String stored) {
        SortedMap<String, Long> counts = new TreeMap<>();
        String[] words = stored.isEmpty() ? new String[0] : stored.split(" ");
        if (words.length % 2 != 0) {
            throw new IllegalArgumentException("Counts of the activity log are damaged: \"" + stored + "\"");
        }
        for (int i = 0; i < words.length; i += 2) {
            counts.put(words[i], Long.parseLong(words[i + 1]));
        }
        return new ActivityCounts(counts);
    }
}
