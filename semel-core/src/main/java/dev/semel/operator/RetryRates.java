package dev.semel.operator;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Retries per minute in a window of time, from the audit.
 *
 * @param rates by operation and category, the highest first
 * @param complete false when there are too many events since then to look at: then it tells of the newest alone
 */
public record RetryRates(List<RetryRate> rates, boolean complete) {
    private static final long MINUTE = 60_000;

    /**
     * @param category of the failures that were retried
     * @param total retries in the window
     * @param highest retries in the minute that had most
     * @param minute when that began
     */
    public record RetryRate(String operation, String category, long total, long highest, Instant minute) {}

    private record RateKey(String operation, String category) {}

    /** Those with more than so many retries in one minute. */
    public List<RetryRate> above(long perMinute) {
        return rates.stream().filter(rate -> rate.highest() > perMinute).toList();
    }

    static RetryRates of(RetryWindow window, @Nullable String category) {
        Map<RateKey, Map<Long, Long>> minutes = new HashMap<>();
        window.records()
                .forEach(record -> record.failures().stream()
                        .filter(RetryWindow.FailedTry::retried)
                        .filter(failed -> category == null || category.equals(failed.category()))
                        .forEach(failed -> minutes.computeIfAbsent(
                                        new RateKey(record.operation(), failed.category()), any -> new HashMap<>())
                                .merge(Math.floorDiv(failed.at(), MINUTE), 1L, Long::sum)));
        List<RetryRate> rates = new ArrayList<>();
        minutes.forEach((key, counts) -> rates.add(rate(key, counts)));
        rates.sort(Comparator.comparingLong(RetryRate::highest)
                .reversed()
                .thenComparing(RetryRate::operation)
                .thenComparing(RetryRate::category));
        return new RetryRates(List.copyOf(rates), window.complete());
    }

    private static RetryRate rate(RateKey key, Map<Long, Long> counts) {
        Map.Entry<Long, Long> highest = counts.entrySet().stream()
                .max(Map.Entry.<Long, Long>comparingByValue().thenComparing(Map.Entry.comparingByKey()))
                .orElseThrow();
        long total = counts.values().stream().mapToLong(Long::longValue).sum();
        return new RetryRate(
                key.operation,
                key.category,
                total,
                highest.getValue(),
                Instant.ofEpochMilli(highest.getKey() * MINUTE));
    }
}
