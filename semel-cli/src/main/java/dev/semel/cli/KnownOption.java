package dev.semel.cli;

import dev.semel.operator.Operator;
import java.util.Set;
import picocli.CommandLine.Option;

/** Rejects a name of an operation or a channel that the ledger does not know, because it is probably mistyped. */
final class KnownOption {
    @Option(
            names = "--even-if-unknown",
            description = "Accept a name without a record in the ledger, such as one for later use.")
    private boolean evenIfUnknown;

    /** @throws CheckFailed when the ledger does not know the name and the option is not set */
    void demand(Operator operator, String name) {
        if (evenIfUnknown || operator.knows(name)) {
            return;
        }
        Set<String> channels = operator.channelNames();
        throw new CheckFailed("The ledger has no record of " + name + ": nothing was changed. "
                + (channels.isEmpty() ? "" : "Channels with messages: " + String.join(", ", channels) + ". ")
                + "Correct the name, or add --even-if-unknown if it is correct.");
    }
}
