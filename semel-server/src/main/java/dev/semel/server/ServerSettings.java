package dev.semel.server;

import dev.semel.Semel;
import dev.semel.server.config.ServerConfig;

/** What every engine on a server's ledger needs, be it of a node or of a tool. */
public final class ServerSettings {
    /** A body of 16 MiB, which is the largest that can be configured, as base64 with its headers. */
    private static final int LARGEST_VALUE = (16 << 20) / 3 * 4 + (32 << 10);

    private ServerSettings() {}

    /** The policies of the configuration, and room for the largest webhook. */
    public static void apply(ServerConfig config, Semel.Settings settings) {
        settings.withLargestValue(LARGEST_VALUE);
        config.policies().forEach(settings::withPolicy);
    }
}
