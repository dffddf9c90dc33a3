package dev.semel.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** Audit events as CSV (RFC 4180). Fields without a column are JSON in the last column. */
final class EventCsv {
    private static final List<String> COLUMNS = List.of(
            "id",
            "time",
            "type",
            "tenant",
            "operation",
            "record",
            "fingerprint",
            "correlation_id",
            "trace_id",
            "fence",
            "attempt",
            "policy",
            "aggregate_version",
            "actor",
            "actor_type",
            "source",
            "category",
            "recovery_action");
    private static final String LINE_END = "\r\n";
    private static final String STARTS_A_FORMULA = "=+-@\t\r";

    static final String HEADING = String.join(",", COLUMNS) + ",details" + LINE_END;

    private EventCsv() {}

    static String line(Map<String, Object> event) {
        Map<String, Object> fields = new LinkedHashMap<>(event);
        fields.remove("key_hash"); // the record's id
        String known =
                COLUMNS.stream().map(column -> cell(fields.remove(column))).collect(Collectors.joining(","));
        String rest = fields.isEmpty() ? "" : JsonMapper.shared().writeValueAsString(fields);
        return known + "," + cell(rest) + LINE_END;
    }

    private static String cell(@Nullable Object value) {
        if (value == null) {
            return "";
        }
        String text = String.valueOf(value);
        if (value instanceof Number || text.isEmpty()) {
            return text;
        }
        if (STARTS_A_FORMULA.indexOf(text.charAt(0)) >= 0) {
            text = "'" + text;
        }
        return text.matches("(?s).*[\",\r\n].*") ? '"' + text.replace("\"", "\"\"") + '"' : text;
    }
}
