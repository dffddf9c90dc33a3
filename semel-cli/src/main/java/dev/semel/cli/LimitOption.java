package dev.semel.cli;

import dev.semel.SemelException;
import picocli.CommandLine.Option;

/** For commands that list what may be much. */
final class LimitOption {
    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "50",
            description = "At most so many; by default ${DEFAULT-VALUE}.")
    private int most;

    int most() {
        if (most < 1) {
            throw new SemelException.Invalid("A list of " + most + " records cannot be. Use --limit 1 or more.");
        }
        return most;
    }
}
