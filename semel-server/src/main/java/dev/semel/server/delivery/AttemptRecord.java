package dev.semel.server.delivery;

import dev.semel.Failure;
import dev.semel.LeasedContext;
import dev.semel.audit.AuditEvent;
import dev.semel.audit.EventType;
import dev.semel.audit.Events;
import dev.semel.console.admin.DeliveryAttempt;
import dev.semel.key.RecordId;
import dev.semel.store.AuditRow;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One attempt of a delivery, for people: as the node that made it noted it in the audit, and as every node reads it there.
 *
 * @param record its record, by which its whole story is found
 * @param attempt its number, from 1
 * @param ended by the clock of the store
 * @param duration null when it was not noted, because an older version made the attempt
 */
public record AttemptRecord(
        RecordId record,
        int attempt,
        Instant ended,
        @Nullable Duration duration,
        AttemptResult result) {
    private static final String STATUS = "http_status";
    private static final String TOOK = "took_ms";
    private static final String ANSWER = DeliveryAttempt.ANSWER_NOTE;

    /**
     * How it ended.
     *
     * @param status of the answer; null when there was none
     * @param failure null when it succeeded
     * @param answer the first kilobyte of the answer as text, without credentials; empty when there was none
     */
    public record AttemptResult(@Nullable Integer status, Failure.@Nullable Category failure, String answer) {}

    /** Notes what came of an attempt. */
    static void note(LeasedContext run, @Nullable HttpAnswer answer, Duration took) {
        run.note(TOOK, took.toMillis());
        if (answer != null) {
            run.note(STATUS, answer.status());
            String excerpt = answer.excerpt();
            if (!excerpt.isEmpty()) {
                run.note(ANSWER, excerpt);
            }
        }
    }

    /** The attempt that an event tells of; nothing when it tells of none. Of a death in two events, the first one tells it. */
    static Optional<AttemptRecord> of(AuditRow row) {
        RecordId id = row.entry().subject().record();
        EventType type = EventType.of(row.entry().type()).orElse(null);
        if (id == null || type == null) {
            return Optional.empty();
        }
        Map<String, Object> details = new AuditEvent(row).details();
        boolean ends = switch (type) {
            case OPERATION_EXECUTED, RETRY_ATTEMPT, RETRY_EXHAUSTED -> true;
            // After retry.exhausted it follows with nothing that was noted or decided.
            case SYSTEM_ERROR -> details.containsKey(Events.NOTE + TOOK) || details.containsKey("judged_by");
            default -> false;
        };
        if (!ends) {
            return Optional.empty();
        }
        Long took = number(details, TOOK);
        Long status = number(details, STATUS);
        Failure.Category failure = type == EventType.OPERATION_EXECUTED
                ? null
                : Failure.Category.ofCode(String.valueOf(details.get("category")))
                        .orElse(Failure.Category.UNKNOWN);
        return Optional.of(new AttemptRecord(
                id,
                Math.max(1, row.entry().attempt()),
                Instant.ofEpochMilli(row.at()),
                took == null ? null : Duration.ofMillis(took),
                new AttemptResult(
                        status == null ? null : Math.toIntExact(status),
                        failure,
                        String.valueOf(details.getOrDefault(Events.NOTE + ANSWER, "")))));
    }

    private static @Nullable Long number(Map<String, Object> details, String name) {
        return details.get(Events.NOTE + name) instanceof Long number ? number : null;
    }
}
