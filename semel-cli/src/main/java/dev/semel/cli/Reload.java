package dev.semel.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
        name = "reload",
        header = "Asks a server to take its changed configuration file into use.",
        description = {
            "Audited. The file is taken into use as a whole; if it has faults, all of them are printed and nothing changes.",
            "Needs --url: a store has no configuration. Each node reads its own file: ask every one of them.",
            "Exits with 1 when the file was rejected."
        },
        mixinStandardHelpOptions = true)
final class Reload implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private LedgerOption ledger = new LedgerOption();

    @Mixin
    private WarrantOption warrant = new WarrantOption();

    @Override
    public Integer call() {
        if (!ledger.isServer()) {
            throw new ParameterException(
                    spec.commandLine(), "A store has no configuration to reload: give the server with --url.");
        }
        Facts reloaded;
        try (OperatedLedger opened = ledger.open(warrant)) {
            reloaded = opened.post("/admin/reload", CommandInput.of("reason", warrant.reason()));
        }
        ledger.tell(reloaded::members, screen -> screen.line(Screen.plain(reloaded.text("sentence"))));
        return Exit.OK.code();
    }
}
