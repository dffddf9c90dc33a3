package dev.semel.examples.planner.planning;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.semel.examples.planner.access.Caller;
import dev.semel.http.IdempotentExchange;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Clock;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * The change history: one event for each change, written in its transaction, and one for each rejection of a disabled feature. A
 * replay changes nothing and has no row: {@link RequestReplays} reads it from Semel's audit.
 */
@Component
class ChangeHistory {
    private static final String WRITE = """
            INSERT INTO audit_event (organisation, id, at, actor, action, resource, version, endpoint, payload_hash,
                record, request_id, correlation_id, category)
            VALUES (:organisation, :id, :at, :actor, :action, :resource, :version, :endpoint, :hash,
                :record, :request, :correlation, :category)
            """;

    private static final String READ = """
            SELECT * FROM audit_event WHERE organisation = :organisation ORDER BY at DESC, id LIMIT :limit
            """;

    private static final String FIND = "SELECT * FROM audit_event WHERE organisation = :organisation AND id = :id";

    /** Of one width, so that the order of texts is the order of times. */
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern(
                    "uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    private final JdbcClient jdbc;
    private final Clock clock = Clock.systemUTC();

    ChangeHistory(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** One event; in JSON its parts are flat. */
    record Event(
            String id,
            String at,
            @JsonUnwrapped Who who,
            @JsonUnwrapped What what,
            @JsonUnwrapped Origin origin,
            @JsonUnwrapped Mark mark) {}

    /** The person. */
    record Who(String organisation, String actor) {}

    /** The resource and its new version. */
    record What(String action, String resource, long version) {}

    /**
     * The request.
     *
     * @param endpoint its method and route, as Semel's audit names it
     * @param payloadHash the hash of its content, as Semel compares it
     * @param record the id of its record, which leads to Semel's audit
     */
    record Origin(
            @Nullable String endpoint,
            @Nullable String payloadHash,
            @JsonIgnore @Nullable String record,
            String requestId,
            String correlationId) {}

    /**
     * What is said of some events only.
     *
     * @param category of a rejection
     * @param firstEvent of a replay: the id of the event of the change that it repeats
     * @param firstRequestId of a replay: the request that made the change
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Mark(
            @Nullable String category,
            @Nullable String firstEvent,
            @Nullable String firstRequestId) {
        static final Mark NONE = new Mark(null, null, null);
    }

    // region event
    void wrote(Caller caller, String action, String resource, long version) {
        Origin origin = IdempotentExchange.current()
                .map(exchange -> new Origin(
                        exchange.operation(),
                        exchange.payloadHash(),
                        exchange.recordId(),
                        exchange.requestId(),
                        exchange.correlationId()))
                .orElseGet(() -> new Origin(null, null, null, unnamed(), unnamed()));
        write(caller, new What(action, resource, version), origin, Mark.NONE);
    }
    // endregion

    /** Not in a transaction: a rejection changes nothing else. */
    void rejected(Caller caller, String resource, Origin origin, String category) {
        write(caller, new What("request.rejected", resource, 0), origin, new Mark(category, null, null));
    }

    private void write(Caller caller, What what, Origin origin, Mark mark) {
        jdbc.sql(WRITE)
                .param("organisation", caller.organisation())
                .param("id", UUID.randomUUID().toString())
                .param("at", TIME.format(clock.instant()))
                .param("actor", caller.person())
                .param("action", what.action())
                .param("resource", what.resource())
                .param("version", what.version())
                .param("endpoint", origin.endpoint())
                .param("hash", origin.payloadHash())
                .param("record", origin.record())
                .param("request", origin.requestId())
                .param("correlation", origin.correlationId())
                .param("category", mark.category())
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
                .query((row, number) -> event(row))
                .list();
    }

    Event get(Caller caller, String id) {
        Optional<Event> found = jdbc.sql(FIND)
                .param("organisation", caller.organisation())
                .param("id", id)
                .query((row, number) -> event(row))
                .optional();
        return found.orElseThrow(() -> Refusal.notFound("event"));
    }

    private static Event event(ResultSet row) throws SQLException {
        return new Event(
                row.getString("id"),
                row.getString("at"),
                new Who(row.getString("organisation"), row.getString("actor")),
                new What(row.getString("action"), row.getString("resource"), row.getLong("version")),
                new Origin(
                        row.getString("endpoint"),
                        row.getString("payload_hash"),
                        row.getString("record"),
                        row.getString("request_id"),
                        row.getString("correlation_id")),
                new Mark(row.getString("category"), null, null));
    }
}
