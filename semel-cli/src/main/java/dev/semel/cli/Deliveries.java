package dev.semel.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
        name = "deliveries",
        description = "Compares the deliveries of another system with the ledger.",
        subcommands = DeliveriesCheck.class,
        mixinStandardHelpOptions = true)
final class Deliveries implements Runnable {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Missing subcommand: use check.");
    }
}
