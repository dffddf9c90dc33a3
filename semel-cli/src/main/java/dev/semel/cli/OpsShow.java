package dev.semel.cli;

import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
        name = "show",
        header = "Shows a record with its failure, its place in the queue and its history.",
        description = {
            "Read-only. Likely secrets in payloads and results are masked; the key is never shown.",
            "Exits with 1 when there is no such record."
        },
        mixinStandardHelpOptions = true)
final class OpsShow implements Callable<Integer> {
    @Mixin
    private LedgerOption ledger = new LedgerOption();

    @Mixin
    private RecordOption record = new RecordOption();

    @Override
    public Integer call() {
        Facts shown;
        List<Facts> story;
        try (OperatedLedger opened = ledger.open()) {
            shown = opened.get(record.path(opened), CommandInput.none());
            story = opened.get(RecordOption.path(shown.text("id")) + "/story", CommandInput.none())
                    .list("events");
        }
        ledger.tell(() -> facts(shown, story), screen -> print(screen, shown, story));
        return Exit.OK.code();
    }

    private static Map<String, Object> facts(Facts shown, List<Facts> story) {
        Map<String, Object> facts = RecordFacts.full(shown);
        facts.put("story", story.stream().map(Facts::members).toList());
        return facts;
    }

    private static void print(Screen screen, Facts shown, List<Facts> story) {
        screen.fact("record", shown.text("id"));
        screen.fact("operation", shown.text("operation") + " (tenant " + shown.text("tenant") + ")");
        screen.fact("state", state(screen, shown));
        screen.fact("correlation", Screen.plain(shown.text("correlation_id")));
        if (shown.has("step_of") || shown.has("sent_by")) {
            screen.fact(shown.has("step_of") ? "step of" : "sent by", shown.text("step_of") + shown.text("sent_by"));
        }
        if (shown.has("line")) {
            screen.fact("line", line(shown.object("line")));
        }
        if (shown.has("failure")) {
            String exception = shown.object("failure").text("exception");
            screen.fact(
                    "failure",
                    RecordFacts.why(shown) + Screen.plain(exception.isEmpty() ? "" : " (" + exception + ")"));
        }
        if (shown.has("payload")) {
            screen.fact("payload", Screen.plain(shown.text("payload")));
        }
        if (shown.has("result")) {
            screen.fact("result", Screen.plain(shown.text("result")));
        }
        screen.fact("history", story.isEmpty() ? "none: the audit of outcomes is off, or it was purged" : "");
        story.forEach(event -> screen.line("  " + EventLine.brief(screen, event)));
    }

    private static String state(Screen screen, Facts shown) {
        String attention = Screen.attention(shown, System.currentTimeMillis());
        return screen.state(RecordFacts.state(shown)) + ", attempt " + shown.number("attempt") + ", fence "
                + shown.text("fence") + (attention.isEmpty() ? "" : ", " + attention);
    }

    private static String line(Facts line) {
        String lane = line.has("lane") ? ", lane \"" + Screen.plain(line.text("lane")) + "\"" : "";
        String deadline = line.has("deadline") ? ", deadline " + Screen.moment(line.time("deadline")) : "";
        return line.text("turn") + lane + deadline;
    }
}
