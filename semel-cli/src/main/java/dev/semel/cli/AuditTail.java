package dev.semel.cli;

import dev.semel.SemelException;
import dev.semel.audit.AuditEvent;
import dev.semel.store.AuditFilter;
import dev.semel.store.AuditLog;
import dev.semel.store.AuditRow;
import dev.semel.store.AuditRow.Position;
import dev.semel.store.Store;
import dev.semel.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
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
    private static final int PAGE = 500;

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
        AuditFilter filter = which.events();
        Screen screen = ledger.screen();
        try (Store opened = ledger.open()) {
            AuditLog audit = opened.audit();
            List<AuditRow> newest = audit.newest(filter, Math.max(1, lines));
            if (follow) {
                follow(screen, audit, filter, start(newest));
            } else {
                for (int i = Math.min(lines, newest.size()) - 1; i >= 0; i--) {
                    show(screen, newest.get(i));
                }
            }
        }
        return Exit.OK.code();
    }

    /** The position before the oldest event that is shown, or behind the newest when none is shown. */
    private Position start(List<AuditRow> newest) {
        if (newest.isEmpty()) {
            return Position.START;
        }
        if (lines == 0) {
            return newest.get(0).position();
        }
        Position oldest = newest.get(newest.size() - 1).position();
        return new Position(oldest.tx(), oldest.seq() - 1);
    }

    private void follow(Screen screen, AuditLog audit, AuditFilter filter, Position start) throws InterruptedException {
        Position at = start;
        while (!screen.out().checkError()) {
            List<AuditRow> page = audit.behindHorizon(at, PAGE);
            for (AuditRow row : page) {
                at = row.position();
                if (filter.matches(row.entry())) {
                    show(screen, row);
                }
            }
            if (page.isEmpty()) {
                TimeSource.system().sleep(PACE);
            }
        }
    }

    private void show(Screen screen, AuditRow row) {
        AuditEvent event = new AuditEvent(row);
        screen.line(
                ledger.forPrograms()
                        ? JsonMapper.shared().writeValueAsString(event.fields())
                        : EventLine.whole(screen, event));
    }
}
