package dev.semel.operator;

import dev.semel.audit.AuditEvent;
import dev.semel.audit.EventType;
import dev.semel.key.RecordId;
import dev.semel.store.AuditFilter;
import dev.semel.store.AuditLog;
import dev.semel.store.AuditRow;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The records that failed at least once in a window of time, from the audit. */
final class RetryWindow {
    private final Map<RecordId, RecordAttempts> records = new HashMap<>();
    private final Map<RecordId, Integer> succeeded = new HashMap<>();
    private boolean complete;

    /** A failed attempt, by its event. */
    record FailedTry(long at, EventType type, Map<String, Object> details) {
        String category() {
            return String.valueOf(details.getOrDefault("category", "unknown"));
        }

        /** Whether another attempt follows. */
        boolean retried() {
            return type == EventType.RETRY_ATTEMPT;
        }

        /** Zero when the event has none. */
        long number(String field) {
            return details.get(field) instanceof Number number ? number.longValue() : 0;
        }
    }

    /** What is known of one record. */
    static final class RecordAttempts {
        private final String operation;
        private final String policy;
        private final List<FailedTry> failures = new ArrayList<>();
        private int succeededAt;

        private RecordAttempts(String operation, String policy) {
            this.operation = operation;
            this.policy = policy;
        }

        String operation() {
            return operation;
        }

        String policy() {
            return policy;
        }

        /** Newest first. */
        List<FailedTry> failures() {
            return failures;
        }

        /** The number of the attempt by which a retry succeeded; 0 when none has. */
        int succeededAt() {
            // One that ran again because an operator or its caller wanted it says nothing about retries.
            return failures.get(0).retried() ? succeededAt : 0;
        }

        /** Whether a retry succeeded or it was given up. */
        boolean ended() {
            return succeededAt() > 0 || !failures.get(0).retried();
        }

        boolean wasRetried() {
            return failures.stream().anyMatch(FailedTry::retried);
        }
    }

    private RetryWindow() {}

    static RetryWindow of(AuditLog audit, AuditFilter filter, long since) {
        RetryWindow window = new RetryWindow();
        window.complete = RecentEvents.forEach(audit, filter, since, window::read);
        return window;
    }

    /** Whether all events since then were looked at; if not, only the newest. */
    boolean complete() {
        return complete;
    }

    Collection<RecordAttempts> records() {
        return records.values();
    }

    private void read(AuditRow row) {
        RecordId id = row.entry().subject().record();
        EventType type = EventType.of(row.entry().type()).orElse(null);
        if (id == null || type == null) {
            return;
        }
        switch (type) {
            case OPERATION_EXECUTED -> succeeded.putIfAbsent(id, row.entry().attempt());
            case RETRY_ATTEMPT, RETRY_EXHAUSTED, SYSTEM_ERROR -> {
                String policy = row.entry().policy();
                String operation = row.entry().subject().operation();
                RecordAttempts record = records.computeIfAbsent(
                        id,
                        any -> new RecordAttempts(operation == null ? "" : operation, policy == null ? "" : policy));
                if (record.failures.isEmpty()) {
                    record.succeededAt = succeeded.getOrDefault(id, 0);
                }
                FailedTry failed = new FailedTry(row.at(), type, new AuditEvent(row).details());
                if (!isToldAlready(record, failed)) {
                    record.failures.add(failed);
                }
            }
            default -> {}
        }
    }

    /** A dead letter whose attempts ran out tells of its last attempt twice; the one that is read later holds more. */
    private static boolean isToldAlready(RecordAttempts record, FailedTry failed) {
        List<FailedTry> known = record.failures;
        if (failed.type() == EventType.RETRY_EXHAUSTED && !known.isEmpty()) {
            FailedTry later = known.get(known.size() - 1);
            if (later.type() == EventType.SYSTEM_ERROR && later.number("attempt") == failed.number("attempt")) {
                known.set(known.size() - 1, failed);
                return true;
            }
        }
        return false;
    }
}
