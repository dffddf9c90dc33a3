package dev.semel.cli;

import dev.semel.operator.ShadowMessages;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "diff",
        header = "Compares what SHADOW would have sent with what was really sent.",
        description = {
            "For each message that an atomic handler would have sent in SHADOW: the real message of the same key.",
            "  not_sent       there is none, or it is no longer remembered",
            "  same           it was sent with the same payload",
            "  other_payload  it was sent with another payload; both are shown",
            "And of the same channels, since the first of these was recorded:",
            "  only_sent      it was really sent, and SHADOW would not have sent it, or that is no longer remembered",
            "Read-only. Likely secrets in payloads are masked; keys are never shown."
        },
        mixinStandardHelpOptions = true)
final class OpsDiff implements Callable<Integer> {
    private static final int LARGEST_LIMIT = 200;

    @Mixin
    private LedgerOption ledger = new LedgerOption();

    @Mixin
    private FilterOption filter = new FilterOption();

    @Option(names = "--differences", description = "Only show those that are not the same. All are counted.")
    private boolean differences;

    @Mixin
    private LimitOption limit = new LimitOption();

    @Override
    public Integer call() {
        Facts comparison;
        try (OperatedLedger opened = ledger.open()) {
            comparison = opened.get(
                    "/admin/shadow",
                    filter.input()
                            .with("differences", differences)
                            .with("limit", Math.min(LARGEST_LIMIT, limit.most())));
        }
        ledger.tell(() -> facts(comparison), screen -> print(screen, comparison));
        return Exit.OK.code();
    }

    private static Map<String, Object> facts(Facts comparison) {
        Map<String, Object> facts = new LinkedHashMap<>(comparison.members());
        facts.put(
                "messages",
                comparison.list("messages").stream().map(OpsDiff::message).toList());
        return facts;
    }

    private static Map<String, Object> message(Facts message) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("difference", message.text("difference"));
        facts.put("would_send", message.has("would_send") ? RecordFacts.full(message.object("would_send")) : null);
        facts.put("sent", message.has("sent") ? RecordFacts.full(message.object("sent")) : null);
        return facts;
    }

    private static Facts any(Facts message) {
        return message.object(message.has("would_send") ? "would_send" : "sent");
    }

    private void print(Screen screen, Facts comparison) {
        if (comparison.number("compared") == 0) {
            screen.line("Nothing that SHADOW would have sent is recorded.");
            return;
        }
        List<Facts> shown = comparison.list("messages");
        if (!shown.isEmpty()) {
            Table table = new Table("RECORD", "CHANNEL", "TENANT", "DIFFERENCE", "REAL", "REAL STATE");
            for (Facts each : shown) {
                Facts real = each.object("sent");
                table.row(
                        each.has("would_send") ? RecordFacts.prefix(each.object("would_send")) : "-",
                        any(each).text("operation"),
                        any(each).text("tenant"),
                        each.text("difference"),
                        each.has("sent") ? RecordFacts.prefix(real) : "-",
                        each.has("sent") ? screen.state(RecordFacts.state(real)) : "-");
            }
            table.print(screen);
        }
        shown.stream()
                .filter(each -> each.text("difference").equals("other_payload"))
                .forEach(each -> printPayloads(screen, each));
        boolean complete = comparison.flag("complete");
        screen.line(comparison.number("compared") + (complete ? "" : " or more") + " compared: "
                + comparison.number("not_sent") + " not sent, "
                + comparison.number("same")
                + " the same, " + comparison.number("other_payload") + " with another payload. "
                + comparison.number("only_sent") + " only sent.");
        if (!complete) {
            screen.line("Of each state only the " + ShadowMessages.MOST
                    + " newest records were read: filter by --tenant, --operation.");
        }
    }

    private static void printPayloads(Screen screen, Facts message) {
        screen.line(RecordFacts.prefix(any(message)) + ":");
        screen.line("  would send " + payload(any(message)));
        screen.line("  was sent   " + (message.has("sent") ? payload(message.object("sent")) : "-"));
    }

    private static String payload(Facts record) {
        return record.has("payload") ? Screen.plain(record.text("payload")) : "(not kept)";
    }
}
