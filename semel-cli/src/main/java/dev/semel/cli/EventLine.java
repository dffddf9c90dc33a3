package dev.semel.cli;

import dev.semel.audit.AuditEvent;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import picocli.CommandLine.Help.Ansi.Style;

/** Formats an audit event as one line. */
final class EventLine {
    private static final int TYPE = 20;
    private static final Set<String> TOLD_BEFORE = Set.of("attempt", "of");

    /** For recomputing a decision, not for reading; the export and JSON have them. */
    private static final Set<String> FOR_PROGRAMS =
            Set.of("judged_by", "backoff", "jitter", "max_retry_after", "remaining_ms", "previous_ms", "draw");

    private EventLine() {}

    /** With the record of the event. */
    static String whole(Screen screen, AuditEvent event) {
        Map<String, Object> fields = event.fields();
        String record = String.valueOf(fields.getOrDefault("record", ""));
        String subject = fields.getOrDefault("operation", "*")
                + (record.isEmpty() ? "" : "/" + record.substring(0, 12))
                + " (tenant " + fields.get("tenant") + ")";
        return line(screen, event, Screen.plain(subject) + "  ");
    }

    /** Without the record. */
    static String brief(Screen screen, AuditEvent event) {
        return line(screen, event, "");
    }

    private static String line(Screen screen, AuditEvent event, String subject) {
        Map<String, Object> fields = event.fields();
        long at = Instant.parse(String.valueOf(fields.get("time"))).toEpochMilli();
        String padding = " ".repeat(Math.max(1, TYPE - event.type().length() + 1));
        String attempt = event.details().containsKey("of")
                ? "attempt " + event.details().get("attempt") + " of "
                        + event.details().get("of") + "  "
                : "";
        String text = Screen.moment(at) + "  " + type(screen, event) + padding + subject + attempt + details(event);
        return text.stripTrailing();
    }

    private static String type(Screen screen, AuditEvent event) {
        return switch (event.type()) {
            case "system.error", "retry.exhausted", "operation.unknown" -> screen.paint(Style.fg_red, event.type());
            case "retry.attempt", "operation.conflict", "operation.taken_over" ->
                screen.paint(Style.fg_yellow, event.type());
            case "operation.executed" -> screen.paint(Style.fg_green, event.type());
            default -> event.type();
        };
    }

    private static String details(AuditEvent event) {
        return event.details().entrySet().stream()
                .filter(each -> !TOLD_BEFORE.contains(each.getKey()) && !FOR_PROGRAMS.contains(each.getKey()))
                .map(each -> each.getKey() + "=" + quoted(String.valueOf(each.getValue())))
                .collect(Collectors.joining(" "));
    }

    private static String quoted(String value) {
        String plain = Screen.plain(value);
        return plain.indexOf(' ') < 0 ? plain : '"' + plain.replace("\"", "'") + '"';
    }
}
