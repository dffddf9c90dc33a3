package dev.semel.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(name = "store", description = "Manages a store.", mixinStandardHelpOptions = true)
final class StoreCommand implements Runnable {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Missing subcommand: use adopt.");
    }

    @Command(
            name = "adopt",
            header = "Adopts a store that was restored from a backup.",
            description = {
                "Starts a new epoch of fences, which invalidates all earlier grants. Every interrupted run becomes"
                        + " UNKNOWN: it may or may not have taken effect.",
                "Records written after the backup are lost: the calls of that time will run again."
            },
            mixinStandardHelpOptions = true)
    void adopt(@Mixin LedgerOption ledger, @Mixin WarrantOption warrant) {
        Facts adoption;
        try (OperatedLedger opened = ledger.openRestored(warrant)) {
            adoption = opened.post("/admin/adopt", CommandInput.of("reason", warrant.reason()));
        }
        ledger.tell(
                adoption::members,
                screen -> screen.line(adoption.text("store") + " adopted: epoch " + adoption.number("epoch")
                        + "; runs that became UNKNOWN: " + adoption.number("unknown") + "."));
    }
}
