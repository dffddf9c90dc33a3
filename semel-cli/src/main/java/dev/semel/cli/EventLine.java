package dev.semel.cli;

import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import picocli.CommandLine.Help.Ansi.Style;

/** Formats an audit event as one line. */
final class EventLine {
    private static final int TYPE = 20;
    private static final Set<String> TOLD_BEFORE = Set.of(
            "attempt",
            "of",
            "id",
            "time",
            "type",
            "tenant",
            "operation",
            "record",
            "key_hash",
            "fingerprint",
            "correlation_id",
            "fence",
            "policy");

    /** Events to which others refer: the reference is their own. */
    private static final Set<String> REFERRED_TO =
            Set.of("operation.queued", "operation.executed", "operation.reconciled");

    /** For recomputing a decision, not for reading; the export and JSON have them. */
    private static final Set<String> FOR_PROGRAMS =
            Set.of("judged_by", "backoff", "jitter", "max_retry_after", "remaining_ms", "previous_ms", "draw");

    private EventLine() {}

    /** With the record of the event. */
    static String whole(Screen screen, Facts event) {
        Map<String, Object> fields = event.members();
        String record = String.valueOf(fields.getOrDefault("record", ""));
        String subject = fields.getOrDefault("operation", "*")
                + (record.isEmpty() ? "" : "/" + record.substring(0, 12))
                + " (tenant " + fields.get("tenant") + ")";
        return line(screen, event, Screen.plain(subject) + "  ");
    }

    /** Without the record. */
    static String brief(Screen screen, Facts event) {
        return line(screen, event, "");
    }

    private static String line(Screen screen, Facts event, String subject) {
        Map<String, Object> fields = event.members();
        long at = Instant.parse(String.valueOf(fields.get("time"))).toEpochMilli();
        String padding = " ".repeat(Math.max(1, TYPE - event.text("type").length() + 1));
        String attempt = event.has("of") ? "attempt " + event.text("attempt") + " of " + event.text("of") + "  " : "";
        String text = Screen.moment(at) + "  " + type(screen, event) + padding + subject + attempt + details(event);
        return text.stripTrailing();
    }

    private static String type(Screen screen, Facts event) {
        return switch (event.text("type")) {
            case "system.error", "retry.exhausted", "operation.unknown" ->
                screen.paint(Style.fg_red, event.text("type"));
            case "retry.attempt", "operation.conflict", "operation.taken_over" ->
                screen.paint(Style.fg_yellow, event.text("type"));
            case "operation.executed" -> screen.paint(Style.fg_green, event.text("type"));
            default -> event.text("type");
        };
    }

    private static String details(Facts event) {
        boolean ownRef = REFERRED_TO.contains(event.text("type"));
        return event.members().entrySet().stream()
                .filter(each -> !TOLD_BEFORE.contains(each.getKey()) && !FOR_PROGRAMS.contains(each.getKey()))
                .filter(each -> !ownRef || !each.getKey().equals("ref"))
                .map(each -> each.getKey() + "=" + quoted(String.valueOf(each.getValue())))
                .collect(Collectors.joining(" "));
    }

    private static String quoted(String value) {
        String plain = Screen.plain(value);
        return plain.indexOf(' ') < 0 ? plain : '"' + plain.replace("\"", "'") + '"';
    }
}
