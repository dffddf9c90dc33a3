package dev.semel.cli;

import dev.semel.audit.Redactor;
import dev.semel.operator.Operator;
import dev.semel.operator.ShadowMessages;
import dev.semel.operator.ShadowMessages.ComparedMessage;
import dev.semel.operator.ShadowMessages.Comparison;
import dev.semel.operator.ShadowMessages.ShadowDifference;
import dev.semel.store.Row;
import dev.semel.store.Store;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
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
        Set<ShadowDifference> only = EnumSet.allOf(ShadowDifference.class);
        if (differences) {
            only.remove(ShadowDifference.SAME);
        }
        Comparison comparison;
        try (Store opened = ledger.open()) {
            comparison = Operator.on(opened).shadows().compare(filter.records(true), only, limit.most());
        }
        ledger.tell(() -> facts(comparison), screen -> print(screen, comparison));
        return Exit.OK.code();
    }

    private static Map<String, Object> facts(Comparison comparison) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("compared", comparison.total());
        facts.put("complete", comparison.complete());
        for (ShadowDifference difference : ShadowDifference.values()) {
            facts.put(word(difference), count(comparison, difference));
        }
        facts.put("messages", comparison.shown().stream().map(OpsDiff::facts).toList());
        return facts;
    }

    private static Map<String, Object> facts(ComparedMessage message) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("difference", word(message.difference()));
        Row shadow = message.shadow();
        facts.put("would_send", shadow == null ? null : RecordFacts.full(shadow));
        Row real = message.real();
        facts.put("sent", real == null ? null : RecordFacts.full(real));
        return facts;
    }

    private void print(Screen screen, Comparison comparison) {
        if (comparison.total() == 0) {
            screen.line("Nothing that SHADOW would have sent is recorded.");
            return;
        }
        if (!comparison.shown().isEmpty()) {
            Table table = new Table("RECORD", "CHANNEL", "TENANT", "DIFFERENCE", "REAL", "REAL STATE");
            for (ComparedMessage each : comparison.shown()) {
                Row shadow = each.shadow();
                Row real = each.real();
                table.row(
                        shadow == null ? "-" : shadow.id().prefix(),
                        each.any().header().operation(),
                        each.any().header().tenant(),
                        word(each.difference()),
                        real == null ? "-" : real.id().prefix(),
                        real == null ? "-" : screen.state(real.state()));
            }
            table.print(screen);
        }
        comparison.shown().stream()
                .filter(each -> each.difference() == ShadowDifference.OTHER_PAYLOAD)
                .forEach(each -> printPayloads(screen, each));
        screen.line(comparison.total() + (comparison.complete() ? "" : " or more") + " compared: "
                + count(comparison, ShadowDifference.NOT_SENT) + " not sent, "
                + count(comparison, ShadowDifference.SAME)
                + " the same, " + count(comparison, ShadowDifference.OTHER_PAYLOAD) + " with another payload. "
                + count(comparison, ShadowDifference.ONLY_SENT) + " only sent.");
        if (!comparison.complete()) {
            screen.line("Of each state only the " + ShadowMessages.MOST
                    + " newest records were read: filter by --tenant, --operation.");
        }
    }

    private static void printPayloads(Screen screen, ComparedMessage message) {
        screen.line(message.any().id().prefix() + ":");
        screen.line("  would send " + payload(message.any()));
        Row real = message.real();
        screen.line("  was sent   " + (real == null ? "-" : payload(real)));
    }

    private static String payload(Row row) {
        byte @Nullable [] stored = row.payload();
        return stored == null ? "(not kept)" : Screen.plain(Redactor.shown(stored));
    }

    private static long count(Comparison comparison, ShadowDifference difference) {
        return comparison.counts().getOrDefault(difference, 0L);
    }

    private static String word(ShadowDifference difference) {
        return difference.name().toLowerCase(Locale.ROOT);
    }
}
