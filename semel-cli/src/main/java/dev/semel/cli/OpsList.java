package dev.semel.cli;

import dev.semel.store.State;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
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
        String wanted = states.stream().map(State::name).collect(Collectors.joining(","));
        List<Facts> records;
        try (OperatedLedger opened = ledger.open()) {
            // Reads one more than is shown, to know whether there are more.
            records = RecordPages.read(opened, "/admin/records", filter.input().with("state", wanted), most + 1L);
        }
        boolean more = records.size() > most;
        List<Facts> shown = more ? records.subList(0, most) : records;
        ledger.tell(() -> shown.stream().map(RecordFacts::brief).toList(), screen -> print(screen, shown, more));
        return Exit.OK.code();
    }

    private void print(Screen screen, List<Facts> records, boolean more) {
        if (records.isEmpty()) {
            screen.line("No record matches.");
            return;
        }
        RecordTable.print(screen, records, System.currentTimeMillis());
        if (more) {
            screen.line("... and more: raise --limit, or filter by --state, --tenant, --operation.");
        }
    }
}
