package dev.semel.store;

import dev.semel.key.RecordId;
import org.jspecify.annotations.Nullable;

/**
 * An audit event on its way into the store. Written with a {@link Move}, {@link Reservation} or {@link RecordWrite}, its fence
 * and attempt are those of the row after the write; written alone, the ones given here.
 *
 * @param type stable code of the event's type
 * @param subject what it is about
 * @param policy code of the policy, if one decided
 * @param fence used when the event is written alone
 * @param attempt used when the event is written alone
 * @param body everything else, as a JSON object; absent when there is nothing else
 */
public record AuditEntry(
        int type,
        Subject subject,
        @Nullable String policy,
        long fence,
        int attempt,
        @Nullable String body) {

    /** The subject of an event; every part but the tenant may be absent. */
    public record Subject(
            String tenant,
            @Nullable String operation,
            @Nullable RecordId record,
            byte @Nullable [] fingerprint,
            @Nullable String correlationId) {}
}
