package dev.semel.cli;

import dev.semel.Failure;
import dev.semel.audit.Redactor;
import dev.semel.operator.UnresolvedMessages;
import dev.semel.store.Line;
import dev.semel.store.Row;
import dev.semel.store.Status;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** The JSON fields of a record. They do not contain the key: the id is its hash. */
final class RecordFacts {
    private RecordFacts() {}

    /** The fields in a list. */
    static Map<String, Object> brief(Row row) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("id", row.id().hex());
        facts.put("operation", row.header().operation());
        facts.put("tenant", row.header().tenant());
        facts.put("state", row.state().name());
        facts.put("attempt", row.status().attempts());
        facts.put("fence", row.status().fence());
        if (row.status().at() != Status.NEVER) {
            facts.put("at", Instant.ofEpochMilli(row.status().at()).toString());
        }
        facts.put("correlation_id", row.header().correlationId());
        if (row.header().parent() != null) {
            facts.put(
                    row.isStep() ? "step_of" : "sent_by", row.header().parent().hex());
        }
        Failure failure = UnresolvedMessages.failure(row);
        if (failure != null) {
            facts.put("failure", failure(failure));
        }
        Line line = row.line();
        if (line != null) {
            facts.put("line", line(line));
        }
        return facts;
    }

    /** All fields; payload and result with secrets masked. */
    static Map<String, Object> full(Row row) {
        Map<String, Object> facts = brief(row);
        facts.put("payload", seen(row.payload()));
        facts.put("result", seen(row.result()));
        return facts;
    }

    /** The failure in one line; empty without a failure. */
    static String why(Row row) {
        Failure failure = UnresolvedMessages.failure(row);
        return failure == null ? "" : Screen.plain(failure.category().code() + ": " + failure.reason());
    }

    private static Map<String, Object> failure(Failure failure) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("category", failure.category().code());
        facts.put("reason", failure.reason());
        if (failure.exception() != null) {
            facts.put("exception", failure.exception());
        }
        if (failure.retryAfter() != null) {
            facts.put("retry_after_ms", failure.retryAfter().toMillis());
        }
        return facts;
    }

    private static Map<String, Object> line(Line line) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("turn", line.turn().name());
        if (line.lane() != null) {
            facts.put("lane", line.lane().key());
        }
        if (line.deadline() != Status.NEVER) {
            facts.put("deadline", Instant.ofEpochMilli(line.deadline()).toString());
        }
        return facts;
    }

    private static Object seen(byte @Nullable [] stored) {
        String shown = Redactor.shown(stored);
        try {
            return JsonMapper.shared().readTree(shown);
        } catch (JacksonException e) {
            return shown;
        }
    }
}
