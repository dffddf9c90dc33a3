package dev.semel.cli;

import picocli.CommandLine.Option;

/** Rejects a name of an operation or a channel that the ledger does not know, because it is probably mistyped. */
final class KnownOption {
    @Option(
            names = "--even-if-unknown",
            description = "Accept a name without a record in the ledger, such as one for later use.")
    private boolean evenIfUnknown;

    boolean evenIfUnknown() {
        return evenIfUnknown;
    }
}
