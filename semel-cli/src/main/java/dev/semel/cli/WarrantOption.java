package dev.semel.cli;

import dev.semel.operator.Operator.Warrant;
import picocli.CommandLine.Option;

/** For commands that change something: who, and why. Both are written into the audit. */
final class WarrantOption {
    @Option(names = "--reason", required = true, paramLabel = "TEXT", description = "Why, for the audit.")
    private String reason = "";

    @Option(
            names = "--actor",
            paramLabel = "NAME",
            defaultValue = "${sys:user.name}",
            description = "Who, for the audit. By default the user of this system: ${DEFAULT-VALUE}.")
    private String actor = "";

    Warrant given() {
        return new Warrant(actor, reason);
    }
}
