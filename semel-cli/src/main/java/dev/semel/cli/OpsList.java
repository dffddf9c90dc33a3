package dev.semel.cli;

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
import picocli.CommandLine.Option;

@Command(
        name = "list",
        header = "Lists records; those that may need a person come first.",
        description = "Read-only. Within a state, the records with the latest due time come first.",
        mixinStandardHelpOptions = true)
final class OpsList implements Callable<Integer> {
    @Mixin
    private LedgerOption ledger = new LedgerOption();

    @Mixin
    private FilterOption filter = new FilterOption();

    @Option(
            names = "--state",
            split = ",",
            paramLabel = "STATE",
            defaultValue = "UNKNOWN,FAILED_TERMINAL,IN_PROGRESS,FAILED_RETRYABLE,QUEUED,SHADOWED,DISCARDED,COMPLETED",
            description = "Only these states: ${COMPLETION-CANDIDATES}.")
    private List<State> states = List.of();

    @Mixin
    private LimitOption limit = new LimitOption();

    @Override
    public Integer call() {
        int most = limit.most();
        List<Row> rows = new ArrayList<>();
        try (Store opened = ledger.open()) {
            Operator operator = Operator.on(opened);
            RecordFilter wanted = filter.records(false);
            // Reads one more than is shown, to know whether there are more.
            for (State state : states) {
                if (rows.size() <= most) {
                    rows.addAll(operator.list(state, wanted, Cursor.START, most + 1 - rows.size()));
                }
            }
        }
        boolean more = rows.size() > most;
        List<Row> shown = more ? rows.subList(0, most) : rows;
        ledger.tell(() -> shown.stream().map(RecordFacts::brief).toList(), screen -> print(screen, shown, more));
        return Exit.OK.code();
    }

    private void print(Screen screen, List<Row> rows, boolean more) {
        if (rows.isEmpty()) {
            screen.line("No record matches.");
            return;
        }
        RecordTable.print(screen, rows, System.currentTimeMillis());
        if (more) {
            screen.line("... and more: raise --limit, or filter by --state, --tenant, --operation.");
        }
    }
}
