package dev.semel.cli;

import dev.semel.Operation;
import dev.semel.Tenant;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A channel, optionally for one tenant. */
final class ChannelOption {
    @Parameters(paramLabel = "NAME", description = "The channel.")
    private String name = "";

    @Option(names = "--tenant", paramLabel = "NAME", description = "Only this tenant's messages.")
    private @Nullable String tenant;

    String name() {
        return Operation.leased(name, Object.class, Object.class).name();
    }

    @Nullable
    String tenant() {
        return tenant == null ? null : Tenant.of(tenant).name();
    }

    /** The name for messages. */
    String told() {
        return name() + (tenant == null ? "" : " (tenant " + tenant() + ")");
    }
}
