package dev.semel.cli;

import dev.semel.server.delivery.AttemptRecord;
import dev.semel.server.delivery.DestinationReport;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Help.Ansi.Style;

/** Formats what is known of destinations. */
final class DestinationLines {
    private DestinationLines() {}

    static void print(Screen screen, List<DestinationReport> reports) {
        if (reports.isEmpty()) {
            screen.line("The ledger knows no destinations.");
            return;
        }
        Table table = new Table("DESTINATION", "LAST SUCCESS", "FAILING SINCE", "LAST ATTEMPT", "PAUSED");
        for (DestinationReport report : reports) {
            table.row(
                    Screen.plain(report.name()),
                    moment(report.lastSuccess()),
                    screen.paint(Style.fg_red, moment(report.failingSince())),
                    report.attempts().isEmpty() ? "" : outcome(report.attempts().get(0)),
                    screen.paint(Style.fg_yellow, paused(report)));
        }
        table.print(screen);
    }

    static void print(Screen screen, DestinationReport report) {
        screen.line("Destination " + Screen.plain(report.name()) + ": "
                + (report.failingSince() != null
                        ? screen.paint(Style.fg_red, "failing since " + moment(report.failingSince()))
                        : report.lastSuccess() == null ? "no attempt is known" : "the last attempt succeeded")
                + (report.lastSuccess() == null
                        ? "; no success is known."
                        : "; last success " + moment(report.lastSuccess()) + "."));
        if (report.pause() != null) {
            screen.line("Its channel is paused: " + paused(report));
        }
        if (!report.attempts().isEmpty()) {
            Table table = new Table("ENDED", "RECORD", "ATTEMPT", "OUTCOME", "TOOK", "ANSWER");
            for (AttemptRecord attempt : report.attempts()) {
                table.row(
                        moment(attempt.ended()),
                        attempt.record().prefix(),
                        String.valueOf(attempt.attempt()),
                        outcome(attempt),
                        attempt.duration() == null ? "" : attempt.duration().toMillis() + " ms",
                        Screen.plain(beginning(attempt.result().answer())));
            }
            table.print(screen);
        }
    }

    private static String beginning(String answer) {
        int most = 80;
        return answer.length() <= most ? answer : answer.substring(0, most) + "...";
    }

    private static String moment(@Nullable Instant at) {
        return at == null ? "" : Screen.moment(at.toEpochMilli());
    }

    private static String outcome(AttemptRecord attempt) {
        AttemptRecord.AttemptResult result = attempt.result();
        String status = result.status() == null ? "" : "HTTP " + result.status();
        return result.failure() == null
                ? status.isEmpty() ? "delivered" : status
                : result.failure().code() + (status.isEmpty() ? "" : " (" + status + ")");
    }

    private static String paused(DestinationReport report) {
        return report.pause() == null
                ? ""
                : Screen.plain(report.pause().reason()) + " (since "
                        + Screen.moment(report.pause().since()) + ")";
    }

    static Map<String, Object> facts(DestinationReport report) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("name", report.name());
        facts.put("last_success", text(report.lastSuccess()));
        facts.put("failing_since", text(report.failingSince()));
        facts.put("paused", report.pause() == null ? null : report.pause().reason());
        facts.put(
                "paused_since",
                report.pause() == null
                        ? null
                        : text(Instant.ofEpochMilli(report.pause().since())));
        facts.put(
                "attempts",
                report.attempts().stream().map(DestinationLines::facts).toList());
        return facts;
    }

    private static Map<String, Object> facts(AttemptRecord attempt) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("ended", text(attempt.ended()));
        facts.put("record", attempt.record().hex());
        facts.put("attempt", attempt.attempt());
        facts.put("status", attempt.result().status());
        facts.put(
                "failure",
                attempt.result().failure() == null
                        ? null
                        : attempt.result().failure().code());
        facts.put(
                "took_ms",
                attempt.duration() == null ? null : attempt.duration().toMillis());
        facts.put("answer", attempt.result().answer());
        return facts;
    }

    private static @Nullable String text(@Nullable Instant at) {
        return at == null ? null : at.toString();
    }
}
