package dev.semel.cli;

import dev.semel.Mode;
import dev.semel.operator.ChannelState;
import dev.semel.operator.Explanation;
import dev.semel.operator.Operator;
import dev.semel.operator.Operator.Warrant;
import dev.semel.store.Queue;
import dev.semel.store.Status;
import dev.semel.store.Store;
import dev.semel.store.Switchboard.Pause;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi.Style;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(name = "channels", description = "Lists, pauses and resumes channels.", mixinStandardHelpOptions = true)
final class Channels implements Runnable {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Missing subcommand: use list, pause or resume.");
    }

    @Command(
            name = "list",
            header = "Lists the channels with waiting, running, parked or UNKNOWN messages, and paused channels.",
            description = "Read-only.",
            mixinStandardHelpOptions = true)
    int list(@Mixin LedgerOption ledger) {
        List<ChannelState> channels;
        try (Store opened = ledger.open()) {
            channels = Operator.on(opened).channels();
        }
        ledger.tell(() -> channels.stream().map(Channels::facts).toList(), screen -> {
            if (channels.isEmpty()) {
                screen.line("No messages are waiting, and no channel is paused.");
            } else {
                print(screen, channels, System.currentTimeMillis());
            }
        });
        return Exit.OK.code();
    }

    private static void print(Screen screen, List<ChannelState> channels, long now) {
        Table table = new Table("CHANNEL", "WAITING", "OLDEST DUE", "PARKED LANES", "UNKNOWN", "MODE", "PAUSE");
        for (ChannelState channel : channels) {
            Queue.Backlog backlog = channel.backlog();
            String parked = String.format(Locale.ROOT, "%,d", backlog.parkedLanes());
            String unknown = String.format(Locale.ROOT, "%,d", channel.unknown());
            table.row(
                    channel.operation(),
                    String.format(Locale.ROOT, "%,d", backlog.waiting())
                            + (backlog.waiting() < Queue.Backlog.MOST ? "" : " or more"),
                    backlog.oldestDue() == Status.NEVER ? "" : Explanation.shown(now - backlog.oldestDue()),
                    backlog.parkedLanes() == 0 ? parked : screen.paint(Style.fg_red, parked),
                    channel.unknown() == 0 ? unknown : screen.paint(Style.fg_red, unknown),
                    channel.mode() == Mode.LIVE
                            ? channel.mode().name()
                            : screen.paint(Style.fg_yellow, channel.mode().name()),
                    screen.paint(
                            Style.fg_yellow,
                            channel.pauses().stream().map(Channels::told).collect(Collectors.joining("; "))));
        }
        table.print(screen);
    }

    private static String told(Pause pause) {
        String whose = pause.tenant() == null ? "" : "tenant " + pause.tenant() + ": ";
        return Screen.plain(whose + pause.reason()) + " (since " + Screen.moment(pause.since())
                + (pause.probeMillis() == 0 ? "" : ", retried every " + Explanation.shown(pause.probeMillis())) + ")";
    }

    private static Map<String, Object> facts(ChannelState channel) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("channel", channel.operation());
        facts.put("waiting", channel.backlog().waiting());
        if (channel.backlog().oldestDue() != Status.NEVER) {
            facts.put(
                    "oldest_due",
                    Instant.ofEpochMilli(channel.backlog().oldestDue()).toString());
        }
        facts.put("parked_lanes", channel.backlog().parkedLanes());
        facts.put("unknown", channel.unknown());
        facts.put("mode", channel.mode().name());
        facts.put("pauses", channel.pauses().stream().map(Channels::facts).toList());
        return facts;
    }

    static Map<String, Object> facts(Pause pause) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("channel", pause.operation());
        facts.put("tenant", pause.tenant() == null ? "*" : pause.tenant());
        facts.put("reason", pause.reason());
        facts.put("since", Instant.ofEpochMilli(pause.since()).toString());
        facts.put("probe_ms", pause.probeMillis());
        return facts;
    }

    @Command(
            name = "pause",
            header = "Pauses a channel on all nodes within a second. It still accepts messages.",
            description = {
                "Audited. Running handlers are not interrupted.",
                "Exits with 1 when the ledger has no record of the channel."
            },
            mixinStandardHelpOptions = true)
    int pause(
            @Mixin LedgerOption ledger,
            @Mixin ChannelOption channel,
            @Mixin KnownOption known,
            @Mixin WarrantOption warrant) {
        Warrant why = warrant.given();
        String name = channel.name();
        String whose = channel.tenant();
        long version;
        try (Store opened = ledger.open()) {
            Operator operator = Operator.on(opened);
            known.demand(operator, name);
            version = operator.pause(name, whose, why);
        }
        Map<String, Object> facts = facts(channel);
        facts.put("version", version);
        String again = "semel channels resume " + name + (whose == null ? "" : " --tenant " + whose);
        ledger.tell(() -> facts, screen -> screen.line(channel.told() + " is paused; '" + again + "' resumes it."));
        return Exit.OK.code();
    }

    @Command(
            name = "resume",
            header = "Resumes a paused channel.",
            description = {
                "Audited. The pause of one tenant is independent of the pause of the whole channel.",
                "Exits with 1 when the channel was not paused."
            },
            mixinStandardHelpOptions = true)
    int resume(@Mixin LedgerOption ledger, @Mixin ChannelOption channel, @Mixin WarrantOption warrant) {
        Warrant why = warrant.given();
        try (Store opened = ledger.open()) {
            if (!Operator.on(opened).resume(channel.name(), channel.tenant(), why)) {
                throw new CheckFailed(channel.told() + " was not paused: nothing was changed.");
            }
        }
        ledger.tell(() -> facts(channel), screen -> screen.line(channel.told() + " is resumed."));
        return Exit.OK.code();
    }

    private static Map<String, Object> facts(ChannelOption channel) {
        Map<String, Object> facts = new LinkedHashMap<>();
        String tenant = channel.tenant();
        facts.put("channel", channel.name());
        facts.put("tenant", tenant == null ? "*" : tenant);
        return facts;
    }
}
