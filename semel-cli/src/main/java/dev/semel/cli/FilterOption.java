package dev.semel.cli;

import dev.semel.Operation;
import dev.semel.Tenant;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Selects records or events by tenant and operation. */
final class FilterOption {
    @Option(names = "--tenant", paramLabel = "NAME", description = "Only this tenant.")
    private @Nullable String tenant;

    @Option(names = "--operation", paramLabel = "NAME", description = "Only this operation or channel.")
    private @Nullable String operation;

    boolean isEmpty() {
        return tenant == null && operation == null;
    }

    @Nullable
    String tenant() {
        return tenant == null ? null : Tenant.of(tenant).name();
    }

    @Nullable
    String operation() {
        return operation == null
                ? null
                : Operation.leased(operation, Object.class, Object.class).name();
    }

    CommandInput input() {
        return CommandInput.of("tenant", tenant()).with("operation", operation());
    }
}
