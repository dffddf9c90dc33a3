package dev.semel.cli;

import dev.semel.operator.Operator;
import java.util.Set;
import picocli.CommandLine.Option;

/** For commands that name an operation or a channel: a name that the ledger has never seen is probably mistyped. */
final class KnownOption {
    @Option(
            names = "--even-if-unknown",
            description = "Also for a name that the ledger has no record of, such as one that is to be used soon.")
    private boolean evenIfUnknown;

    /** @throws Refusal when the ledger knows nothing of the name, and nobody said that this is all right */
    void demand(Operator operator, String name) {
        if (evenIfUnknown || operator.knows(name)) {
            return;
        }
        Set<String> channels = operator.channelNames();
        throw new Refusal("The ledger has no record of " + name + ": nothing was changed. "
                + (channels.isEmpty() ? "" : "Channels with messages: " + String.join(", ", channels) + ". ")
                + "Correct the name, or add --even-if-unknown if it is right.");
    }
}
