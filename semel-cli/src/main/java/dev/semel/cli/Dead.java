package dev.semel.cli;

import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
        name = "dead",
        description = "Lists, replays and discards dead letters and messages with an unknown outcome.",
        subcommands = DeadReplay.class,
        mixinStandardHelpOptions = true)
final class Dead implements Runnable {
    private static final String NONE = "No dead letter and no UNKNOWN message matches.";

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Missing subcommand: use list, groups, replay or discard.");
    }

    @Command(
            name = "list",
            header = "Lists messages with an unknown outcome (UNKNOWN), then dead letters, newest first.",
            description = "Read-only.",
            mixinStandardHelpOptions = true)
    int list(@Mixin LedgerOption ledger, @Mixin DeadOption which, @Mixin LimitOption limit) {
        int most = limit.most();
        List<Facts> records;
        try (OperatedLedger opened = ledger.open()) {
            records = RecordPages.read(opened, "/admin/dead", which.input(), most);
        }
        ledger.tell(() -> records.stream().map(RecordFacts::brief).toList(), screen -> {
            if (records.isEmpty()) {
                screen.line(NONE);
            } else {
                RecordTable.print(screen, records, System.currentTimeMillis());
            }
        });
        return Exit.OK.code();
    }

    @Command(
            name = "groups",
            header = "Counts dead letters and UNKNOWN messages by failure, the most frequent first.",
            description = "Read-only.",
            mixinStandardHelpOptions = true)
    int groups(@Mixin LedgerOption ledger, @Mixin DeadOption which) {
        List<Facts> groups;
        try (OperatedLedger opened = ledger.open()) {
            groups = opened.get("/admin/dead/groups", which.input()).list("groups");
        }
        ledger.tell(() -> groups.stream().map(Facts::members).toList(), screen -> {
            if (groups.isEmpty()) {
                screen.line(NONE);
            } else {
                print(screen, groups);
            }
        });
        return Exit.OK.code();
    }

    static void print(Screen screen, List<Facts> groups) {
        Table table = new Table("COUNT", "STATE", "OPERATION", "CATEGORY", "SAMPLE", "WHY");
        for (Facts group : groups) {
            String exception = group.text("exception").replaceFirst(".*\\.", "");
            table.row(
                    group.number("count"),
                    screen.state(RecordFacts.state(group)),
                    group.text("operation"),
                    group.text("category"),
                    RecordFacts.prefix(group.text("sample")),
                    Screen.plain((exception.isEmpty() ? "" : exception + ": ") + group.text("reason")));
        }
        table.print(screen);
    }

    @Command(
            name = "discard",
            header = "Discards a dead letter: it is not retried, and its lane continues.",
            description = {
                "Audited. Discarding it again changes nothing. A discarded message can still be replayed.",
                "Exits with 1 when there is no such record, or its state does not allow it."
            },
            mixinStandardHelpOptions = true)
    int discard(
            @Mixin LedgerOption ledger,
            @Parameters(paramLabel = "ID", description = "The id of the record, or its first digits.") String digits,
            @Mixin WarrantOption warrant) {
        Facts done;
        try (OperatedLedger opened = ledger.open(warrant)) {
            done = opened.post(RecordOption.path(digits) + "/discard", CommandInput.of("reason", warrant.reason()));
        }
        told(ledger, done);
        return Exit.OK.code();
    }

    static void told(LedgerOption ledger, Facts done) {
        ledger.tell(
                () -> Map.of("id", done.text("id"), "outcome", done.text("outcome")),
                screen -> screen.line(Screen.plain(done.text("sentence"))));
    }
}
