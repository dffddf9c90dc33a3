package dev.semel.cli;

import dev.semel.Mode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi.Style;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
        name = "mode",
        header = "Shows or sets the mode of operations on all nodes.",
        description = {
            "  LIVE    operations run and take effect",
            "  SHADOW  operations are decided and recorded but do not take effect",
            "  HALTED  nothing starts; messages are still accepted, nothing is lost",
            "If several settings apply to a call, the strictest counts."
        },
        mixinStandardHelpOptions = true)
final class ModeCommand implements Runnable {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Missing subcommand: use get or set.");
    }

    @Command(
            name = "get",
            header = "Shows the modes.",
            description = "Read-only. SEMEL_MODE of a node may be stricter.",
            mixinStandardHelpOptions = true)
    int get(@Mixin LedgerOption ledger) {
        Facts modes;
        try (OperatedLedger opened = ledger.open()) {
            modes = opened.get("/admin/modes", CommandInput.none());
        }
        ledger.tell(() -> facts(modes), screen -> print(screen, modes.list("settings")));
        return Exit.OK.code();
    }

    private static Map<String, Object> facts(Facts modes) {
        Map<String, Object> facts = new LinkedHashMap<>(modes.members());
        facts.put(
                "settings",
                modes.list("settings").stream().map(ModeCommand::setting).toList());
        return facts;
    }

    private static void print(Screen screen, List<Facts> settings) {
        if (settings.isEmpty()) {
            screen.line("Everything is " + screen.paint(Style.fg_green, "LIVE") + ".");
            return;
        }
        Table table = new Table("OPERATION", "TENANT", "MODE");
        settings.forEach(setting -> table.row(
                operations(setting), setting.text("tenant"), screen.paint(Style.fg_yellow, setting.text("mode"))));
        table.print(screen);
        if (settings.stream()
                .noneMatch(all ->
                        all.text("operation").equals("*") && all.text("tenant").equals("*"))) {
            screen.line("Everything else is " + screen.paint(Style.fg_green, "LIVE") + ".");
        }
    }

    @Command(
            name = "set",
            header = "Sets the mode for all nodes; it applies within a second.",
            description = {
                "Audited. Running operations are not interrupted.",
                "LIVE removes a setting.",
                "Labels are declared in the code of applications: a label that no operation has changes nothing.",
                "Exits with 1 when the ledger has no record of the operation, or of one whose name has the prefix."
            },
            mixinStandardHelpOptions = true)
    int set(
            @Mixin LedgerOption ledger,
            @Parameters(paramLabel = "MODE", description = "${COMPLETION-CANDIDATES}") Mode mode,
            @Mixin ModeTarget target,
            @Option(names = "--wait", description = "Return when the mode applies on every node.") boolean wait,
            @Mixin KnownOption known,
            @Mixin WarrantOption warrant) {
        Facts setting;
        try (OperatedLedger opened = ledger.open(warrant)) {
            setting = opened.post(
                    "/admin/modes",
                    target.input()
                            .with("reason", warrant.reason())
                            .with("mode", mode.name())
                            .with("wait", wait)
                            .with("even_if_unknown", known.evenIfUnknown()));
        }
        String when = wait ? " on every node." : "; applied on every node within a second.";
        ledger.tell(() -> setting(setting), screen -> screen.line(told(setting) + " is " + mode + when));
        return Exit.OK.code();
    }

    /** Which of the three it is for is told by the two that are null. */
    private static Map<String, Object> setting(Facts setting) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("operation", setting.find("operation"));
        facts.put("prefix", setting.find("prefix"));
        facts.put("label", setting.find("label"));
        facts.putAll(setting.members());
        return facts;
    }

    private static String operations(Facts setting) {
        return setting.has("operation")
                ? setting.text("operation")
                : Screen.plain(
                        setting.has("prefix") ? "prefix " + setting.text("prefix") : "label " + setting.text("label"));
    }

    private static String told(Facts setting) {
        String operations = operations(setting).equals("*") ? "Everything" : operations(setting);
        String tenant = setting.text("tenant");
        return (setting.has("operation") ? operations : "Everything with the " + operations)
                + (tenant.equals("*") ? "" : " of tenant " + tenant);
    }
}
