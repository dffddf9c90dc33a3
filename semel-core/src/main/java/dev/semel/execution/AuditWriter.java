package dev.semel.execution;

import dev.semel.audit.EventType;
import dev.semel.audit.Events;
import dev.semel.audit.FirstRun;
import dev.semel.audit.ReplayBuffer;
import dev.semel.store.AuditEntry;
import dev.semel.store.AuditLog;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes audit events, and writes those that no record is written with.
 *
 * @param events makes the events that are written together with a record
 * @param buffer counts replays and conflicts, which are written from time to time
 * @param each whether replays and conflicts are written before they are answered instead
 */
public record AuditWriter(Events events, ReplayBuffer buffer, AuditLog log, boolean each) {
    /** Writes an event by itself, where the audit wants one. */
    void append(@Nullable AuditEntry entry) {
        if (entry != null) {
            log.append(List.of(entry));
        }
    }

    /** Writes a replay or conflict by itself. Not inside a transaction: it needs a connection. */
    void append(EventType type, Events.About about, @Nullable FirstRun first) {
        append(events.repeated(type, about, first, 1));
    }
}
