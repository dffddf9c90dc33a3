package dev.semel.cli;

import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.audit.AuditEvent;
import dev.semel.audit.EventType;
import dev.semel.store.AuditFilter;
import dev.semel.store.AuditLog;
import dev.semel.store.AuditRow;
import dev.semel.store.AuditRow.Position;
import dev.semel.store.Store;
import dev.semel.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;

@Command(
        name = "tail",
        header = "Shows the newest events, and with -f those that come.",
        description = {
            "Only reads. With -f an event is shown as soon as none can come before it any more, so that the order is that"
                    + " of the seals and none is missed.",
            "With --json an event is a line."
        },
        mixinStandardHelpOptions = true)
final class AuditTail implements Callable<Integer> {
    private static final Duration PACE = Duration.ofMillis(300);
    private static final int PAGE = 500;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private StoreOption store = new StoreOption();

    @Mixin
    private JsonOption json = new JsonOption();

    @Option(
            names = {"-f", "--follow"},
            description = "Go on with what comes, until interrupted.")
    private boolean follow;

    @Option(
            names = {"-n", "--lines"},
            paramLabel = "N",
            defaultValue = "20",
            description = "So many of the newest to begin with; by default ${DEFAULT-VALUE}.")
    private int lines;

    @Option(names = "--tenant", paramLabel = "NAME", description = "Only this tenant's.")
    private @Nullable String tenant;

    @Option(names = "--type", paramLabel = "TYPE", description = "Only events of this type, such as system.error.")
    private @Nullable String type;

    @Override
    public Integer call() throws InterruptedException {
        if (lines < 0) {
            throw new SemelException.Invalid(lines + " events cannot be shown. Use --lines 0 or more.");
        }
        AuditFilter filter =
                new AuditFilter(tenant == null ? null : Tenant.of(tenant).name(), null, code(type));
        Screen screen = Screen.of(spec);
        try (Store opened = store.open()) {
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

    static @Nullable Integer code(@Nullable String type) {
        if (type == null) {
            return null;
        }
        return EventType.named(type)
                .orElseThrow(
                        () -> new SemelException.Invalid("There are no events of type \"" + type + "\". Use one of: "
                                + Stream.of(EventType.values())
                                        .map(EventType::publicName)
                                        .collect(Collectors.joining(", "))
                                + "."))
                .code();
    }

    /** Just before the oldest that is shown; behind the newest when none is. */
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
                json.chosen()
                        ? JsonMapper.shared().writeValueAsString(event.fields())
                        : EventLine.whole(screen, event));
    }
}
