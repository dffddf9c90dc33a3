package dev.semel.examples.planner.planning;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.semel.examples.planner.access.Caller;
import dev.semel.http.IdempotentExchange;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * The change history, written in the transaction of the change. A replay changes nothing and is only in Semel's audit, under the same
 * correlation id.
 */
@Component
class ChangeHistory {
    private static final String WRITE = """
            INSERT INTO audit_event (organisation, id, at, actor, action, resource, version, request_id, correlation_id)
            VALUES (:organisation, :id, :at, :actor, :action, :resource, :version, :request, :correlation)
            """;

    private static final String READ = """
            SELECT id, at, organisation, actor, action, resource, version, request_id, correlation_id FROM audit_event
            WHERE organisation = :organisation ORDER BY at DESC, id LIMIT :limit
            """;

    private final JdbcClient jdbc;
    private final Clock clock = Clock.systemUTC();

    ChangeHistory(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** One change; in JSON its parts are flat. */
    record Event(
            String id,
            String at,
            @JsonUnwrapped Who who,
            String action,
            @JsonUnwrapped Changed changed,
            @JsonUnwrapped Ids ids) {}

    /** The author. */
    record Who(String organisation, String actor) {}

    /** The resource and its new version. */
    record Changed(String resource, long version) {}

    /** The ids of the request. */
    record Ids(String requestId, String correlationId) {}

    void wrote(Caller caller, String action, String resource, long version) {
        Optional<IdempotentExchange> exchange = IdempotentExchange.current();
        jdbc.sql(WRITE)
                .param("organisation", caller.organisation())
                .param("id", UUID.randomUUID().toString())
                .param("at", clock.instant().toString())
                .param("actor", caller.person())
                .param("action", action)
                .param("resource", resource)
                .param("version", version)
                .param("request", exchange.map(IdempotentExchange::requestId).orElseGet(ChangeHistory::unnamed))
                .param(
                        "correlation",
                        exchange.map(IdempotentExchange::correlationId).orElseGet(ChangeHistory::unnamed))
                .update();
    }

    /** Used with {@code semel.http.enabled: false}, where requests have no ids. */
    private static String unnamed() {
        return UUID.randomUUID().toString();
    }

    /** Newest first. */
    List<Event> read(Caller caller, int limit) {
        return jdbc.sql(READ)
                .param("organisation", caller.organisation())
                .param("limit", limit)
                .query((row, number) -> new Event(
                        row.getString("id"),
                        row.getString("at"),
                        new Who(row.getString("organisation"), row.getString("actor")),
                        row.getString("action"),
                        new Changed(row.getString("resource"), row.getLong("version")),
                        new Ids(row.getString("request_id"), row.getString("correlation_id"))))
                .list();
    }
}
