package dev.semel.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Help.Ansi.Style;

/** Formats what is known of destinations, as a ledger answers it. */
final class DestinationLines {
    private DestinationLines() {}

    static void print(Screen screen, List<Facts> destinations) {
        if (destinations.isEmpty()) {
            screen.line("The ledger knows no destinations.");
            return;
        }
        Table table = new Table("DESTINATION", "LAST SUCCESS", "FAILING SINCE", "LAST ATTEMPT", "PAUSED");
        for (Facts each : destinations) {
            List<Facts> attempts = each.list("attempts");
            table.row(
                    Screen.plain(each.text("name")),
                    moment(each, "last_success"),
                    screen.paint(Style.fg_red, moment(each, "failing_since")),
                    attempts.isEmpty() ? "" : outcome(attempts.get(0)),
                    screen.paint(Style.fg_yellow, paused(each)));
        }
        table.print(screen);
    }

    static void print(Screen screen, Facts destination) {
        screen.line("Destination " + Screen.plain(destination.text("name")) + ": "
                + (destination.has("failing_since")
                        ? screen.paint(Style.fg_red, "failing since " + moment(destination, "failing_since"))
                        : destination.has("last_success") ? "the last attempt succeeded" : "no attempt is known")
                + (destination.has("last_success")
                        ? "; last success " + moment(destination, "last_success") + "."
                        : "; no success is known."));
        if (destination.has("paused")) {
            screen.line("Its channel is paused: " + paused(destination));
        }
        if (!destination.list("attempts").isEmpty()) {
            Table table = new Table("ENDED", "RECORD", "ATTEMPT", "OUTCOME", "TOOK", "ANSWER");
            for (Facts attempt : destination.list("attempts")) {
                table.row(
                        moment(attempt, "ended"),
                        Screen.plain(RecordFacts.prefix(attempt.text("record"))),
                        attempt.text("attempt"),
                        outcome(attempt),
                        attempt.has("duration_ms") ? attempt.text("duration_ms") + " ms" : "",
                        Screen.plain(beginning(attempt.text("answer"))));
            }
            table.print(screen);
        }
    }

    private static String beginning(String answer) {
        int most = 80;
        return answer.length() <= most ? answer : answer.substring(0, most) + "...";
    }

    private static String moment(Facts facts, String name) {
        return facts.has(name) ? Screen.moment(facts.time(name)) : "";
    }

    private static String outcome(Facts attempt) {
        String status = attempt.has("status") ? "HTTP " + attempt.text("status") : "";
        return attempt.has("category")
                ? Screen.plain(attempt.text("category")) + (status.isEmpty() ? "" : " (" + status + ")")
                : status.isEmpty() ? "delivered" : status;
    }

    private static String paused(Facts destination) {
        return destination.has("paused")
                ? Screen.plain(destination.text("paused")) + " (since " + moment(destination, "paused_since") + ")"
                : "";
    }

    static Map<String, Object> facts(Facts destination) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("name", destination.text("name"));
        for (String name : List.of("last_success", "failing_since", "paused", "paused_since")) {
            facts.put(name, destination.find(name));
        }
        facts.put(
                "attempts",
                destination.list("attempts").stream()
                        .map(DestinationLines::attempt)
                        .toList());
        return facts;
    }

    private static Map<String, Object> attempt(Facts attempt) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("ended", attempt.text("ended"));
        facts.put("record", attempt.text("record"));
        facts.put("attempt", attempt.number("attempt"));
        facts.put("status", attempt.members().get("status"));
        facts.put("failure", attempt.find("category"));
        facts.put("took_ms", attempt.members().get("duration_ms"));
        facts.put("answer", attempt.text("answer"));
        return facts;
    }
}
