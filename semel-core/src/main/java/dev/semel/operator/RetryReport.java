package dev.semel.operator;

import dev.semel.audit.AuditEvent;
import dev.semel.audit.EventType;
import dev.semel.key.RecordId;
import dev.semel.store.AuditEntry;
import dev.semel.store.AuditFilter;
import dev.semel.store.AuditLog;
import dev.semel.store.AuditRow;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How retries went in a window of time, from the audit.
 *
 * @param policies by the policy's code
 * @param complete false when there are too many events since then to look at: then it tells of the newest alone
 */
public record RetryReport(List<PolicyRetries> policies, boolean complete) {

    /**
     * @param category of the failures, or {@code *} for all of a policy
     * @param attempts that failed
     * @param succeeded records that failed at least once in the window and were completed in it
     * @param gaveUp records that were not tried again
     * @param averageAttempts of those that succeeded, the last included
     */
    public record PolicyRetries(
            String policy, String category, long attempts, long succeeded, long gaveUp, double averageAttempts) {
        /** Of those that came to an end. */
        public double successRate() {
            long ended = succeeded + gaveUp;
            return ended == 0 ? 1 : (double) succeeded / ended;
        }
    }

    /** The failures of one record. */
    private static final class RecordRetries {
        private final String policy;
        private final Set<String> categories = new HashSet<>();
        private final Map<String, Integer> failures = new HashMap<>();
        private @Nullable AuditEntry death;
        private boolean done;
        private boolean gaveUp;
        private int attempts;

        RecordRetries(String policy) {
            this.policy = policy;
        }

        /** A dead letter whose attempts ran out tells of its last attempt twice; the later event is read first. */
        boolean isToldAlready(EventType type, AuditEntry event) {
            AuditEntry later = death;
            death = type == EventType.SYSTEM_ERROR ? event : null;
            return type == EventType.RETRY_EXHAUSTED
                    && later != null
                    && later.fence() == event.fence()
                    && later.attempt() == event.attempt();
        }
    }

    static RetryReport of(AuditLog audit, AuditFilter filter, long since) {
        Map<RecordId, RecordRetries> stories = new HashMap<>();
        Map<RecordId, Integer> executed = new HashMap<>();
        boolean complete = RecentEvents.forEach(audit, filter, since, row -> read(row, stories, executed));
        return report(stories, executed, complete);
    }

    private static void read(AuditRow row, Map<RecordId, RecordRetries> stories, Map<RecordId, Integer> executed) {
        RecordId id = row.entry().subject().record();
        EventType type = EventType.of(row.entry().type()).orElse(null);
        if (id == null || type == null) {
            return;
        }
        switch (type) {
            case OPERATION_EXECUTED -> executed.putIfAbsent(id, row.entry().attempt());
            case RETRY_ATTEMPT, RETRY_EXHAUSTED, SYSTEM_ERROR -> {
                String policy = row.entry().policy() == null ? "" : row.entry().policy();
                RecordRetries story = stories.computeIfAbsent(id, any -> new RecordRetries(policy));
                String category = String.valueOf(new AuditEvent(row).details().getOrDefault("category", "unknown"));
                story.categories.add(category);
                if (!story.isToldAlready(type, row.entry())) {
                    story.failures.merge(category, 1, Integer::sum);
                }
                story.gaveUp |= type != EventType.RETRY_ATTEMPT && !executed.containsKey(id);
                if (executed.containsKey(id)) {
                    story.done = true;
                    story.attempts = executed.get(id);
                }
            }
            default -> {}
        }
    }

    private static RetryReport report(
            Map<RecordId, RecordRetries> stories, Map<RecordId, Integer> executed, boolean complete) {
        Map<String, Map<String, List<RecordRetries>>> sorted = new TreeMap<>();
        for (RecordRetries story : stories.values()) {
            Map<String, List<RecordRetries>> byCategory = sorted.computeIfAbsent(story.policy, any -> new TreeMap<>());
            byCategory.computeIfAbsent("*", any -> new ArrayList<>()).add(story);
            story.categories.forEach(category -> byCategory
                    .computeIfAbsent(category, any -> new ArrayList<>())
                    .add(story));
        }
        List<PolicyRetries> lines = new ArrayList<>();
        sorted.forEach((policy, byCategory) ->
                byCategory.forEach((category, members) -> lines.add(line(policy, category, members))));
        return new RetryReport(List.copyOf(lines), complete);
    }

    private static PolicyRetries line(String policy, String category, List<RecordRetries> stories) {
        long attempts = stories.stream()
                .flatMap(story -> story.failures.entrySet().stream())
                .filter(each -> category.equals("*") || each.getKey().equals(category))
                .mapToLong(Map.Entry::getValue)
                .sum();
        long succeeded = stories.stream().filter(story -> story.done).count();
        long gaveUp =
                stories.stream().filter(story -> story.gaveUp && !story.done).count();
        double average = stories.stream()
                .filter(story -> story.done)
                .mapToInt(story -> story.attempts)
                .average()
                .orElse(0);
        return new PolicyRetries(policy, category, attempts, succeeded, gaveUp, average);
    }
}
