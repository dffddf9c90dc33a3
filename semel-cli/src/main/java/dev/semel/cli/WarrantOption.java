package dev.semel.cli;

import dev.semel.operator.Operator.Warrant;
import picocli.CommandLine.Option;

/** The author and the reason of a change, for the audit. */
final class WarrantOption {
    @Option(names = "--reason", required = true, paramLabel = "TEXT", description = "The reason, for the audit.")
    private String reason = "";

    @Option(
            names = "--actor",
            paramLabel = "NAME",
            defaultValue = "${sys:user.name}",
            description = "The author, for the audit. By default the system user: ${DEFAULT-VALUE}.")
    private String actor = "";

    Warrant given() {
        return new Warrant(actor, reason);
    }
}
