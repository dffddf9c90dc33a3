package dev.semel.audit;

import dev.semel.store.AuditEntry;
import dev.semel.store.AuditRow;
import java.time.Instant;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.json.JsonMapper;

/** An audit event for reading: every field by its public name, in a fixed order. */
public final class AuditEvent {
    /** The event types that a replay may name as its first event. */
    private static final Set<String> REFERRED_TO = Set.of(
            EventType.OPERATION_QUEUED.publicName(),
            EventType.OPERATION_EXECUTED.publicName(),
            EventType.OPERATION_RECONCILED.publicName());

    private final AuditRow row;

    public AuditEvent(AuditRow row) {
        this.row = row;
    }

    public long id() {
        return row.position().seq();
    }

    public String type() {
        return EventType.of(row.entry().type())
                .map(EventType::publicName)
                .orElse("type-" + row.entry().type());
    }

    /** All fields that are there; the key's hash is the record's id. */
    public Map<String, Object> fields() {
        Map<String, Object> fields = new LinkedHashMap<>();
        AuditEntry entry = row.entry();
        AuditEntry.Subject subject = entry.subject();
        fields.put("id", id());
        fields.put("time", Instant.ofEpochMilli(row.at()).toString());
        fields.put("type", type());
        fields.put("tenant", subject.tenant());
        if (subject.operation() != null) {
            fields.put("operation", subject.operation());
        }
        if (subject.record() != null) {
            fields.put("record", subject.record().hex());
            fields.put("key_hash", subject.record().hex());
        }
        if (subject.fingerprint() != null) {
            fields.put("fingerprint", HexFormat.of().formatHex(subject.fingerprint()));
        }
        if (subject.correlationId() != null) {
            fields.put("correlation_id", subject.correlationId());
        }
        if (subject.record() != null && REFERRED_TO.contains(type())) {
            fields.put("ref", FirstRun.ref(subject.record(), entry.fence()));
        }
        fields.put("fence", entry.fence());
        fields.put("attempt", entry.attempt());
        if (entry.policy() != null) {
            fields.put("policy", entry.policy());
        }
        fields.putAll(details());
        return fields;
    }

    /** The details of this type. */
    public Map<String, Object> details() {
        String body = row.entry().body();
        if (body == null) {
            return Map.of();
        }
        Map<String, Object> details = new LinkedHashMap<>();
        JsonMapper.shared()
                .readTree(body)
                .properties()
                .forEach(property -> details.put(
                        property.getKey(),
                        property.getValue().isIntegralNumber()
                                ? (Object) property.getValue().longValue()
                                : property.getValue().isString()
                                        ? property.getValue().stringValue()
                                        : property.getValue().toString()));
        return details;
    }
}
