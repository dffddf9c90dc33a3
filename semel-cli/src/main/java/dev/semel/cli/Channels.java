package dev.semel.cli;

import dev.semel.operator.Explanation;
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
        List<Facts> channels;
        try (OperatedLedger opened = ledger.open()) {
            channels = opened.get("/admin/channels", CommandInput.none()).list("channels");
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

    private static Map<String, Object> facts(Facts channel) {
        Map<String, Object> facts = new LinkedHashMap<>(channel.members());
        facts.remove("more_waiting");
        return facts;
    }

    private static void print(Screen screen, List<Facts> channels, long now) {
        Table table = new Table("CHANNEL", "WAITING", "OLDEST DUE", "PARKED LANES", "UNKNOWN", "MODE", "PAUSE");
        for (Facts channel : channels) {
            String parked = String.format(Locale.ROOT, "%,d", channel.number("parked_lanes"));
            String unknown = String.format(Locale.ROOT, "%,d", channel.number("unknown"));
            String mode = channel.text("mode");
            table.row(
                    channel.text("channel"),
                    String.format(Locale.ROOT, "%,d", channel.number("waiting"))
                            + (channel.flag("more_waiting") ? " or more" : ""),
                    channel.has("oldest_due") ? Explanation.shown(now - channel.time("oldest_due")) : "",
                    channel.number("parked_lanes") == 0 ? parked : screen.paint(Style.fg_red, parked),
                    channel.number("unknown") == 0 ? unknown : screen.paint(Style.fg_red, unknown),
                    mode.equals("LIVE") ? mode : screen.paint(Style.fg_yellow, mode),
                    screen.paint(
                            Style.fg_yellow,
                            channel.list("pauses").stream().map(Channels::told).collect(Collectors.joining("; "))));
        }
        table.print(screen);
    }

    private static String told(Facts pause) {
        String whose = pause.text("tenant").equals("*") ? "" : "tenant " + pause.text("tenant") + ": ";
        return Screen.plain(whose + pause.text("reason")) + " (since " + Screen.moment(pause.time("since"))
                + (pause.number("probe_ms") == 0
                        ? ""
                        : ", retried every " + Explanation.shown(pause.number("probe_ms")))
                + ")";
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
        String name = channel.name();
        String whose = channel.tenant();
        Facts paused;
        try (OperatedLedger opened = ledger.open(warrant)) {
            paused = opened.post(
                    "/admin/channels/pause",
                    CommandInput.of("reason", warrant.reason())
                            .with("channel", name)
                            .with("tenant", whose)
                            .with("even_if_unknown", known.evenIfUnknown()));
        }
        String again = "semel channels resume " + name + (whose == null ? "" : " --tenant " + whose);
        ledger.tell(paused::members, screen -> screen.line(channel.told() + " is paused; '" + again + "' resumes it."));
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
        Facts resumed;
        try (OperatedLedger opened = ledger.open(warrant)) {
            resumed = opened.post(
                    "/admin/channels/resume",
                    CommandInput.of("reason", warrant.reason())
                            .with("channel", channel.name())
                            .with("tenant", channel.tenant()));
        }
        ledger.tell(resumed::members, screen -> screen.line(channel.told() + " is resumed."));
        return Exit.OK.code();
    }
}
