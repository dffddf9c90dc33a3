package dev.semel.audit;

import dev.semel.Call.Origin;
import dev.semel.store.AuditEntry;
import dev.semel.store.AuditFilter;
import dev.semel.store.AuditLog;
import dev.semel.store.AuditLog.PurgedSegment;
import dev.semel.store.AuditRow;
import java.time.Duration;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Removes audit events past their retention, by sealed segment, the oldest first. The event of each purge names the last seal
 * that is gone, so that a chain whose beginning was cut off by anybody else is still found out. Any number of nodes may do it.
 */
public final class AuditPurge {
    /** The subject of its events, in place of an operation. */
    private static final String SUBJECT = "semel.audit";

    static final AuditFilter EVENTS = new AuditFilter(null, SUBJECT, null, EventType.PURGE_COMPLETED.code());

    private final AuditLog log;
    private final Events events;
    private final Duration retention;

    public AuditPurge(AuditLog log, Events events, Duration retention) {
        this.log = log;
        this.events = events;
        this.retention = retention;
    }

    /**
     * Removes so many segments at most, each in a commit of its own.
     *
     * @return how many were removed; fewer than asked for when no more are old enough
     */
    public int purge(int mostSegments) {
        int purged = 0;
        while (purged < mostSegments) {
            Optional<PurgedSegment> segment = log.purge(retention.toMillis(), this::event);
            if (segment.isEmpty()) {
                return purged;
            }
            purged++;
        }
        return purged;
    }

    /**
     * How long the oldest segment has been waiting for its removal, by its first event; zero when none is old enough.
     *
     * @param now the store's milliseconds
     */
    public Duration lag(long now) {
        boolean mayGo = log.seals(0, 2).size() > 1; // the newest seal stays, for the next one is chained to it
        List<AuditRow> first = mayGo ? log.behindHorizon(AuditRow.Position.START, 1) : List.of();
        long age = first.isEmpty() ? 0 : now - first.get(0).at() - retention.toMillis();
        return Duration.ofMillis(Math.max(0, age));
    }

    private AuditEntry event(PurgedSegment purged) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("count", purged.events());
        details.put("seal", purged.number());
        details.put("seal_hash", HexFormat.of().formatHex(purged.hash()));
        AuditEntry.Subject subject = new AuditEntry.Subject("*", SUBJECT, null, null, null);
        return events.event(EventType.PURGE_COMPLETED, new Events.About(subject, Origin.UNSTATED, null, 0), details);
    }

    /** Whether this event tells that the seal of this number and hash was the last one purged. */
    static boolean names(AuditRow event, long seal, byte[] hash) {
        Map<String, Object> fields = new AuditEvent(event).details();
        return String.valueOf(seal).equals(String.valueOf(fields.get("seal")))
                && HexFormat.of().formatHex(hash).equals(fields.get("seal_hash"));
    }
}
