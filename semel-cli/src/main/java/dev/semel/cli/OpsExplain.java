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
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

@Command(
        name = "explain",
        header = "Says why a record is not done, and what may be done about it.",
        description = {"Only reads.", "Exits with 1 when there is no such record."},
        mixinStandardHelpOptions = true)
final class OpsExplain implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private StoreOption store = new StoreOption();

    @Mixin
    private JsonOption json = new JsonOption();

    @Mixin
    private RecordOption record = new RecordOption();

    @Override
    public Integer call() {
        Row row;
        Explanation explanation;
        try (Store opened = store.open()) {
            Operator operator = Operator.on(opened);
            row = record.find(operator);
            explanation = operator.explain(row);
        }
        if (json.chosen()) {
            Map<String, Object> answer = new LinkedHashMap<>();
            answer.put("id", row.id().hex());
            answer.put("sentence", explanation.sentence());
            answer.put("facts", explanation.facts());
            answer.put("next", explanation.next());
            json.print(spec.commandLine().getOut(), answer);
        } else {
            Screen screen = Screen.of(spec);
            screen.line(screen.bold(Screen.plain(explanation.sentence())));
            explanation.facts().forEach((name, value) -> screen.fact("  " + name, Screen.plain(String.valueOf(value))));
            screen.line("What next: " + explanation.next() + ".");
        }
        return Exit.OK.code();
    }
}
