package dev.semel.server;

import dev.semel.SemelException;
import dev.semel.server.config.ServerConfig;
import java.util.List;
import java.util.function.Supplier;

/**
 * What a server needs beside its configuration.
 *
 * @param reader reads the configuration again; throws {@link SemelException.Misconfigured} with all its faults
 * @param access who operates the server
 */
public record ServerHooks(Supplier<ServerConfig> reader, OperatorAccess access) {
    /** A configuration that cannot be read again, and no operators. */
    public static final ServerHooks NONE = new ServerHooks(
            () -> {
                throw new SemelException.Misconfigured(
                        "reload", List.of("this server was started without a file; it cannot be reloaded"));
            },
            OperatorAccess.NONE);
}
