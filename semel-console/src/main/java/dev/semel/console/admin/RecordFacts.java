package dev.semel.console.admin;

import dev.semel.Failure;
import dev.semel.audit.Redactor;
import dev.semel.operator.Explanation;
import dev.semel.operator.Tree;
import dev.semel.operator.UnresolvedMessages;
import dev.semel.store.Line;
import dev.semel.store.Row;
import dev.semel.store.Status;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Records as JSON objects. They do not contain the key: the id is its hash. Texts go through the redactor. */
final class RecordFacts {
    private RecordFacts() {}

    /** As in a list. */
    static Map<String, Object> brief(Row row) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("id", row.id().hex());
        facts.put("operation", row.header().operation());
        facts.put("tenant", row.header().tenant());
        facts.put("state", row.state().name());
        facts.put("attempt", row.status().attempts());
        // A string: JavaScript and others lose digits of large numbers.
        facts.put("fence", Long.toString(row.status().fence()));
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

    /** With payload and result, where the person may see them. */
    static Map<String, Object> full(Row row, TenantSight sight) {
        Map<String, Object> facts = brief(row);
        if (sight.seesContents()) {
            if (row.payload() != null) {
                facts.put("payload", Redactor.shown(row.payload()));
            }
            if (row.result() != null) {
                facts.put("result", Redactor.shown(row.result()));
            }
        }
        return facts;
    }

    private static Map<String, Object> failure(Failure failure) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("category", failure.category().code());
        facts.put("reason", Redactor.text(failure.reason()));
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

    static Map<String, Object> explained(Row row, Explanation explanation) {
        Map<String, Object> told = new LinkedHashMap<>();
        explanation.facts().forEach((name, value) -> told.put(name, text(name, value)));
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("id", row.id().hex());
        facts.put("sentence", Redactor.text(explanation.sentence()));
        facts.put("facts", told);
        facts.put("next", explanation.next());
        return facts;
    }

    private static Object text(String name, Object value) {
        if (name.equals("fence")) {
            return String.valueOf(value);
        }
        return value instanceof String text && !name.equals("head") ? Redactor.text(text) : value;
    }

    /** What was sent to another tenant is left out. */
    static Map<String, Object> tree(Tree tree, TenantSight sight) {
        Map<String, Object> facts = brief(tree.record());
        facts.put("steps", tree.steps().stream().map(RecordFacts::step).toList());
        List<Map<String, Object>> sent = tree.sent().stream()
                .filter(each -> sight.sees(each.record()))
                .map(each -> tree(each, sight))
                .toList();
        facts.put("sent", sent);
        facts.put("cut", tree.cut());
        return facts;
    }

    private static Map<String, Object> step(Row row) {
        Map<String, Object> facts = brief(row);
        facts.put("step", row.header().key());
        return facts;
    }

    /** For messages: {@code charge/3f9c1b2a7d5e (tenant acme)}. */
    static String name(Row row) {
        return row.header().operation() + "/" + row.id().prefix() + " (tenant "
                + row.header().tenant() + ")";
    }
}
