package dev.semel.cli;

import dev.semel.SemelException;
import dev.semel.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.json.JsonMapper;

@Command(
        name = "tail",
        header = "Shows the newest events, and with -f new ones as they are written.",
        description = {
            "Read-only. With -f an event is shown when its order is final, so that the order is that of the seals and"
                    + " no event is missed.",
            "With --json each event is one line."
        },
        mixinStandardHelpOptions = true)
final class AuditTail implements Callable<Integer> {
    private static final Duration PACE = Duration.ofMillis(300);
    private static final int PAGE = 200;
    private static final int MOST_AT_START = 1_000;

    @Mixin
    private LedgerOption ledger = new LedgerOption();

    @Option(
            names = {"-f", "--follow"},
            description = "Keep showing new events until interrupted.")
    private boolean follow;

    @Option(
            names = {"-n", "--lines"},
            paramLabel = "N",
            defaultValue = "20",
            description = "Number of newest events to start with; by default ${DEFAULT-VALUE}.")
    private int lines;

    @Mixin
    private EventOption which = new EventOption();

    @Override
    public Integer call() throws InterruptedException {
        if (lines < 0) {
            throw new SemelException.Invalid("--lines " + lines + " is invalid. Use 0 or more.");
        }
        Screen screen = ledger.screen();
        try (OperatedLedger opened = ledger.open()) {
            if (follow) {
                follow(screen, opened);
            } else {
                List<Facts> newest = newest(opened);
                Collections.reverse(newest);
                newest.forEach(event -> show(screen, event));
            }
        }
        return Exit.OK.code();
    }

    private List<Facts> newest(OperatedLedger opened) {
        List<Facts> events = new ArrayList<>();
        @Nullable String cursor = null;
        while (events.size() < lines) {
            CommandInput input = which.input().with("limit", Math.min(PAGE, lines - events.size()));
            Facts page = opened.get("/admin/audit/events", input.with("cursor", cursor));
            events.addAll(page.list("events"));
            cursor = page.find("next");
            if (cursor == null) {
                break;
            }
        }
        return events;
    }

    private void follow(Screen screen, OperatedLedger opened) throws InterruptedException {
        @Nullable String cursor = null;
        while (!screen.out().checkError()) {
            CommandInput input = cursor == null
                    ? which.input().with("last", Math.min(MOST_AT_START, lines))
                    : which.input().with("cursor", cursor);
            Facts page = opened.get("/admin/audit/follow", input);
            page.list("events").forEach(event -> show(screen, event));
            boolean nothingNew = page.text("next").equals(cursor);
            cursor = page.text("next");
            if (nothingNew) {
                TimeSource.system().sleep(PACE);
            }
        }
    }

    private void show(Screen screen, Facts event) {
        screen.line(
                ledger.forPrograms()
                        ? JsonMapper.shared().writeValueAsString(event.members())
                        : EventLine.whole(screen, event));
    }
}
