package dev.semel.cli;

import dev.semel.Failure;
import dev.semel.audit.AuditEvent;
import dev.semel.audit.Redactor;
import dev.semel.operator.Operator;
import dev.semel.operator.UnresolvedMessages;
import dev.semel.store.Line;
import dev.semel.store.Row;
import dev.semel.store.Status;
import dev.semel.store.Store;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
        name = "show",
        header = "Shows a record with its failure, its place in the queue and its history.",
        description = {
            "Read-only. Likely secrets in payloads and results are masked; the key is never shown.",
            "Exits with 1 when there is no such record."
        },
        mixinStandardHelpOptions = true)
final class OpsShow implements Callable<Integer> {
    private static final int LONGEST_STORY = 200;

    @Mixin
    private LedgerOption ledger = new LedgerOption();

    @Mixin
    private RecordOption record = new RecordOption();

    @Override
    public Integer call() {
        Row row;
        List<AuditEvent> story;
        try (Store opened = ledger.open()) {
            Operator operator = Operator.on(opened);
            row = record.find(operator);
            story = operator.story(row.id(), LONGEST_STORY);
        }
        ledger.tell(() -> facts(row, story), screen -> print(screen, row, story));
        return Exit.OK.code();
    }

    private static Map<String, Object> facts(Row row, List<AuditEvent> story) {
        Map<String, Object> facts = RecordFacts.full(row);
        facts.put("story", story.stream().map(AuditEvent::fields).toList());
        return facts;
    }

    private static void print(Screen screen, Row row, List<AuditEvent> story) {
        screen.fact("record", row.id().hex());
        screen.fact(
                "operation",
                row.header().operation() + " (tenant " + row.header().tenant() + ")");
        screen.fact("state", state(screen, row));
        screen.fact("correlation", Screen.plain(row.header().correlationId()));
        if (row.header().parent() != null) {
            screen.fact(
                    row.isStep() ? "step of" : "sent by", row.header().parent().hex());
        }
        if (row.line() != null) {
            screen.fact("line", line(row.line()));
        }
        Failure failure = UnresolvedMessages.failure(row);
        if (failure != null) {
            String exception = failure.exception() == null ? "" : " (" + failure.exception() + ")";
            screen.fact("failure", RecordFacts.why(row) + Screen.plain(exception));
        }
        if (row.payload() != null) {
            screen.fact("payload", Screen.plain(Redactor.shown(row.payload())));
        }
        if (row.result() != null) {
            screen.fact("result", Screen.plain(Redactor.shown(row.result())));
        }
        screen.fact("history", story.isEmpty() ? "none: the audit of outcomes is off, or it was purged" : "");
        story.forEach(event -> screen.line("  " + EventLine.brief(screen, event)));
    }

    private static String state(Screen screen, Row row) {
        String attention = Screen.attention(row.status(), System.currentTimeMillis());
        return screen.state(row.state()) + ", attempt " + row.status().attempts() + ", fence "
                + row.status().fence() + (attention.isEmpty() ? "" : ", " + attention);
    }

    private static String line(Line line) {
        String lane = line.lane() == null
                ? ""
                : ", lane \"" + Screen.plain(line.lane().key()) + "\"";
        String deadline = line.deadline() == Status.NEVER ? "" : ", deadline " + Screen.moment(line.deadline());
        return line.turn() + lane + deadline;
    }
}
