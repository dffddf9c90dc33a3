package dev.semel.cli;

import dev.semel.operator.Explanation;
import dev.semel.operator.Operator;
import dev.semel.operator.Replays;
import dev.semel.operator.UnresolvedMessages;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Store;
import java.util.LinkedHashMap;
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
        List<Row> rows;
        try (Store opened = ledger.open()) {
            rows = Operator.on(opened).letters().list(which.which(UnresolvedMessages.Scope.BOTH), most);
        }
        ledger.tell(() -> rows.stream().map(RecordFacts::brief).toList(), screen -> {
            if (rows.isEmpty()) {
                screen.line(NONE);
            } else {
                RecordTable.print(screen, rows, System.currentTimeMillis());
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
        List<UnresolvedMessages.CauseGroup> groups;
        try (Store opened = ledger.open()) {
            groups = Operator.on(opened).letters().groups(which.which(UnresolvedMessages.Scope.BOTH));
        }
        ledger.tell(() -> groups.stream().map(Dead::facts).toList(), screen -> {
            if (groups.isEmpty()) {
                screen.line(NONE);
            } else {
                print(screen, groups);
            }
        });
        return Exit.OK.code();
    }

    static void print(Screen screen, List<UnresolvedMessages.CauseGroup> groups) {
        Table table = new Table("COUNT", "STATE", "OPERATION", "CATEGORY", "SAMPLE", "WHY");
        for (UnresolvedMessages.CauseGroup group : groups) {
            String exception = group.exception().replaceFirst(".*\\.", "");
            table.row(
                    group.count(),
                    screen.state(group.state()),
                    group.operation(),
                    group.category().code(),
                    group.sample().id().prefix(),
                    Screen.plain((exception.isEmpty() ? "" : exception + ": ") + group.reason()));
        }
        table.print(screen);
    }

    static Map<String, Object> facts(UnresolvedMessages.CauseGroup group) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("count", group.count());
        facts.put("state", group.state().name());
        facts.put("operation", group.operation());
        facts.put("category", group.category().code());
        facts.put("exception", group.exception());
        facts.put("reason", group.reason());
        facts.put("sample", group.sample().id().hex());
        return facts;
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
        Operator.Warrant why = warrant.given();
        Row row;
        Replays.ReplayOutcome outcome;
        try (Store opened = ledger.open()) {
            Operator operator = Operator.on(opened);
            row = RecordOption.find(operator, digits);
            outcome = operator.discard(row.id(), why);
            if (outcome == Replays.ReplayOutcome.REFUSED || outcome == Replays.ReplayOutcome.ABSENT) {
                throw refused("discarded", operator, row);
            }
        }
        told(ledger, row, outcome, "discarded; it will not be retried.", "was already discarded");
        return Exit.OK.code();
    }

    static void told(LedgerOption ledger, Row row, Replays.ReplayOutcome outcome, String done, String already) {
        String name = row.header().operation() + "/" + row.id().prefix() + " (tenant "
                + row.header().tenant() + ")";
        String end = outcome == Replays.ReplayOutcome.DONE ? ": " + done : " " + already + "; nothing was changed.";
        ledger.tell(() -> Map.of("id", row.id().hex(), "outcome", outcome.name()), screen -> screen.line(name + end));
    }

    /** Why it could not be done, with the explanation of the record. */
    static CheckFailed refused(String what, Operator operator, Row row) {
        Row now = operator.find(row.id().hex()).stream().findFirst().orElse(row);
        Explanation explanation = operator.explain(now);
        String state = now.state() == State.FAILED_TERMINAL ? "is being changed" : "is " + now.state();
        return new CheckFailed(now.header().operation() + "/" + now.id().prefix() + " (tenant "
                + now.header().tenant() + ") " + state + " and cannot be " + what + ": nothing was changed. "
                + explanation.sentence());
    }
}
