package dev.semel.cli;

import dev.semel.operator.Explanation;
import dev.semel.operator.Operator;
import dev.semel.store.Row;
import dev.semel.store.Store;
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
        Row row;
        Explanation explanation;
        try (Store opened = ledger.open()) {
            Operator operator = Operator.on(opened);
            row = record.find(operator);
            explanation = operator.explain(row);
        }
        ledger.tell(() -> facts(row, explanation), screen -> print(screen, explanation));
        return Exit.OK.code();
    }

    private static Map<String, Object> facts(Row row, Explanation explanation) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("id", row.id().hex());
        facts.put("sentence", explanation.sentence());
        facts.put("facts", explanation.facts());
        facts.put("next", explanation.next());
        return facts;
    }

    private static void print(Screen screen, Explanation explanation) {
        screen.line(screen.bold(Screen.plain(explanation.sentence())));
        explanation.facts().forEach((name, value) -> screen.fact("  " + name, Screen.plain(String.valueOf(value))));
        screen.line("Next step: " + explanation.next() + ".");
    }
}
