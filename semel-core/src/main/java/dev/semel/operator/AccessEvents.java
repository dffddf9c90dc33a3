package dev.semel.operator;

import dev.semel.Call.Origin;
import dev.semel.audit.EventType;
import dev.semel.audit.Events;
import dev.semel.store.AuditEntry;
import dev.semel.store.AuditLog;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes to the audit who was let in as an operator, and who was not. Each call is a commit of its own. */
public final class AccessEvents {
    private final AuditLog log;
    private final Events events;

    AccessEvents(AuditLog log, Events events) {
        this.log = log;
        this.events = events;
    }

    /**
     * A login. Whoever lets somebody in calls this first: a login that cannot be audited is refused.
     *
     * @param tenant whose records the operator may see; null for those of all tenants
     * @param origin with the operator's name
     * @param details without credentials
     * @throws dev.semel.SemelException.StoreUnavailable when it cannot be written
     */
    public void login(@Nullable String tenant, Origin origin, Map<String, ?> details) {
        log.append(List.of(events.event(
                EventType.OPERATOR_LOGIN, Events.About.tenant(tenant == null ? "*" : tenant, origin), details)));
    }

    /**
     * Requests that were denied for one reason.
     *
     * @param origin with the operator's name, if it is known
     * @param reason without credentials
     * @param address where they came from
     * @param count how many of them
     */
    public record Denial(Origin origin, String reason, String address, long count) {}

    /**
     * Denied requests, in one commit.
     *
     * @throws dev.semel.SemelException.StoreUnavailable when they cannot be written; then none is
     */
    public void denied(List<Denial> denials) {
        log.append(denials.stream().map(this::event).toList());
    }

    private AuditEntry event(Denial denial) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("reason", denial.reason);
        details.put("address", denial.address);
        details.put("count", denial.count);
        return events.event(EventType.OPERATOR_DENIED, Events.About.tenant("*", denial.origin), details);
    }
}
