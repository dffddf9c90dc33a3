package dev.semel.cli;

import dev.semel.SemelException;
import dev.semel.operator.Operator;
import dev.semel.store.RecordFilter;
import dev.semel.store.RecordFilter.Cursor;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
        name = "list",
        header = "Lists records, those first that a person may have to look at.",
        description = "Only reads. Within a state, those come first that need attention last.",
        mixinStandardHelpOptions = true)
final class OpsList implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private StoreOption store = new StoreOption();

    @Mixin
    private JsonOption json = new JsonOption();

    @Mixin
    private FilterOption filter = new FilterOption();

    @Option(
            names = "--state",
            split = ",",
            paramLabel = "STATE",
            defaultValue = "UNKNOWN,FAILED_TERMINAL,IN_PROGRESS,FAILED_RETRYABLE,QUEUED,SHADOWED,DISCARDED,COMPLETED",
            description = "Only those in these states: ${COMPLETION-CANDIDATES}.")
    private List<State> states = List.of();

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "50",
            description = "At most so many; by default ${DEFAULT-VALUE}.")
    private int limit;

    @Override
    public Integer call() {
        if (limit < 1) {
            throw new SemelException.Invalid("A list of " + limit + " records cannot be. Use --limit 1 or more.");
        }
        List<Row> rows = new ArrayList<>();
        try (Store opened = store.open()) {
            Operator operator = Operator.on(opened);
            RecordFilter wanted = filter.records(false);
            // One more than is shown tells whether there is more.
            for (State state : states) {
                if (rows.size() <= limit) {
                    rows.addAll(operator.list(state, wanted, Cursor.START, limit + 1 - rows.size()));
                }
            }
        }
        boolean more = rows.size() > limit;
        List<Row> shown = more ? rows.subList(0, limit) : rows;
        if (json.chosen()) {
            json.print(
                    spec.commandLine().getOut(),
                    shown.stream().map(RecordFacts::brief).toList());
        } else {
            print(Screen.of(spec), shown, more);
        }
        return Exit.OK.code();
    }

    private void print(Screen screen, List<Row> rows, boolean more) {
        if (rows.isEmpty()) {
            screen.line("No record matches.");
            return;
        }
        RecordTable.print(screen, rows, System.currentTimeMillis());
        if (more) {
            screen.line("... and more: raise --limit, or narrow it down by --state, --tenant, --operation.");
        }
    }
}
