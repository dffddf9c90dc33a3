package dev.semel.cli;

import dev.semel.Operation;
import dev.semel.SemelException;
import dev.semel.Tenant;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What a mode is set for: one operation or channel, a group of them, or everything; of one tenant or of all. */
final class ModeTarget {
    @Option(names = "--tenant", paramLabel = "NAME", description = "Only this tenant.")
    private @Nullable String tenant;

    @Option(names = "--operation", paramLabel = "NAME", description = "Only this operation or channel.")
    private @Nullable String operation;

    @Option(
            names = "--prefix",
            paramLabel = "TEXT",
            description = "All operations and channels whose names begin with this.")
    private @Nullable String prefix;

    @Option(
            names = "--label",
            paramLabel = "LABEL",
            description = "All operations and channels that are declared with this label.")
    private @Nullable String label;

    /** @throws SemelException.Invalid when it is contradictory, or a name cannot be */
    CommandInput input() {
        if (Stream.of(operation, prefix, label).filter(Objects::nonNull).count() > 1) {
            throw new SemelException.Invalid("--operation, --prefix and --label exclude each other: give one of them.");
        }
        return CommandInput.of(
                        "tenant", tenant == null ? null : Tenant.of(tenant).name())
                .with(
                        "operation",
                        operation == null
                                ? null
                                : Operation.leased(operation, Object.class, Object.class)
                                        .name())
                .with("prefix", prefix)
                .with("label", label);
    }
}
