package dev.semel.store;

import dev.semel.key.RecordId;
import org.jspecify.annotations.Nullable;

/** Which events to read; what is absent does not limit. */
public record AuditFilter(
        @Nullable String tenant,
        @Nullable String operation,
        @Nullable RecordId record,
        @Nullable Integer type) {
    public static final AuditFilter ALL = new AuditFilter(null, null, null, null);

    /** The events of one record, whatever their type. */
    public static AuditFilter of(RecordId record) {
        return new AuditFilter(null, null, record, null);
    }

    /**
     * The events of one type, whatever they are about.
     *
     * @param type its stored code
     */
    public static AuditFilter ofType(int type) {
        return new AuditFilter(null, null, null, type);
    }

    /** Whether an event passes, for stores that filter in memory. A limit on the record lets no event pass that has none. */
    public boolean matches(AuditEntry entry) {
        return (tenant == null || tenant.equals(entry.subject().tenant()))
                && (operation == null || operation.equals(entry.subject().operation()))
                && (record == null || record.equals(entry.subject().record()))
                && (type == null || type == entry.type());
    }
}
