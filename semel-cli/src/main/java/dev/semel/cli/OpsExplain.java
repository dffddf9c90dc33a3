package dev.semel.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
        name = "explain",
        header = "Explains why a record is not done, and the next step.",
        description = {"Read-only.", "Exits with 1 when there is no such record."},
        mixinStandardHelpOptions = true)
final class OpsExplain implements Callable<Integer> {
    @Mixin
    private LedgerOption ledger = new LedgerOption();

    @Mixin
    private RecordOption record = new RecordOption();

    @Override
    public Integer call() {
        Facts explanation;
        try (OperatedLedger opened = ledger.open()) {
            explanation = opened.get(record.path(opened) + "/explanation", CommandInput.none());
        }
        ledger.tell(() -> facts(explanation), screen -> print(screen, explanation));
        return Exit.OK.code();
    }

    /** The fence is a number here. */
    private static Map<String, Object> facts(Facts explanation) {
        Map<String, Object> told =
                new LinkedHashMap<>(explanation.object("facts").members());
        told.computeIfPresent("fence", (name, fence) -> Long.parseLong(fence.toString()));
        Map<String, Object> facts = new LinkedHashMap<>(explanation.members());
        facts.put("facts", told);
        return facts;
    }

    private static void print(Screen screen, Facts explanation) {
        screen.line(screen.bold(Screen.plain(explanation.text("sentence"))));
        explanation
                .object("facts")
                .members()
                .forEach((name, value) -> screen.fact("  " + name, Screen.plain(String.valueOf(value))));
        screen.line("Next step: " + explanation.text("next") + ".");
    }
}
