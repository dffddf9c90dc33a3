package dev.semel.cli;

import dev.semel.Mode;
import dev.semel.operator.Operator;
import dev.semel.operator.Operator.Warrant;
import dev.semel.store.Store;
import dev.semel.store.Switchboard;
import dev.semel.store.Switchboard.Group;
import dev.semel.store.Switchboard.Setting;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
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
        Switchboard.Modes modes;
        try (Store opened = ledger.open()) {
            modes = Operator.on(opened).modes();
        }
        ledger.tell(() -> facts(modes), screen -> print(screen, modes));
        return Exit.OK.code();
    }

    private static Map<String, Object> facts(Switchboard.Modes modes) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("version", modes.version());
        facts.put("settings", modes.settings().stream().map(ModeCommand::facts).toList());
        facts.put("pauses", modes.pauses().stream().map(Channels::facts).toList());
        return facts;
    }

    private static void print(Screen screen, Switchboard.Modes modes) {
        if (modes.settings().isEmpty()) {
            screen.line("Everything is " + screen.paint(Style.fg_green, "LIVE") + ".");
            return;
        }
        Table table = new Table("OPERATION", "TENANT", "MODE");
        modes.settings()
                .forEach(setting -> table.row(
                        operations(setting),
                        all(setting.tenant()),
                        screen.paint(Style.fg_yellow, setting.mode().name())));
        table.print(screen);
        if (modes.settings().stream().noneMatch(all -> all.operation() == null && all.tenant() == null)) {
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
            @Mixin WarrantOption warrant)
            throws InterruptedException {
        Warrant why = warrant.given();
        Setting setting = target.setting(mode);
        long version;
        try (Store opened = ledger.open()) {
            Operator operator = Operator.on(opened);
            known.demand(operator, setting);
            version = operator.setMode(setting, why);
            if (wait) {
                operator.awaitModes();
            }
        }
        Map<String, Object> facts = facts(setting);
        facts.put("version", version);
        facts.put("waited", wait);
        String when = wait ? " on every node." : "; applied on every node within a second.";
        ledger.tell(() -> facts, screen -> screen.line(told(setting) + " is " + mode + when));
        return Exit.OK.code();
    }

    private static Map<String, Object> facts(Setting setting) {
        Map<String, Object> facts = new LinkedHashMap<>();
        Group group = setting.group();
        facts.put("operation", group == null ? all(setting.operation()) : null);
        facts.put("prefix", group != null && group.by() == Group.By.PREFIX ? group.text() : null);
        facts.put("label", group != null && group.by() == Group.By.LABEL ? group.text() : null);
        facts.put("tenant", all(setting.tenant()));
        facts.put("mode", setting.mode().name());
        return facts;
    }

    private static String all(@Nullable String name) {
        return name == null ? "*" : name;
    }

    private static String operations(Setting setting) {
        Group group = setting.group();
        return group == null ? all(setting.operation()) : Screen.plain(group.toString());
    }

    private static String told(Setting setting) {
        String operations = setting.operation() == null ? "Everything" : operations(setting);
        return (setting.group() == null ? operations : "Everything with the " + operations)
                + (setting.tenant() == null ? "" : " of tenant " + setting.tenant());
    }
}
