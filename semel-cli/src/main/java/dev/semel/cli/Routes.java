package dev.semel.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
        name = "routes",
        description = "Fills new routes of a server with what came in before.",
        subcommands = RoutesFill.class,
        mixinStandardHelpOptions = true)
final class Routes implements Runnable {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Missing subcommand: use fill.");
    }
}
