package dev.semel.cli;

import dev.semel.SemelException;
import picocli.CommandLine.Option;

/** Limits the length of a list. */
final class LimitOption {
    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "50",
            description = "Maximum number of lines; by default ${DEFAULT-VALUE}.")
    private int most;

    int most() {
        if (most < 1) {
            throw new SemelException.Invalid("--limit " + most + " is invalid. Use 1 or more.");
        }
        return most;
    }
}
