package dev.semel.server.admin;

import java.util.List;

/** What an operator can ask of the server itself, and not of its ledger. Thread-safe. */
public interface ServerActions {
    /** What came of a reload. */
    sealed interface ReloadResult {
        /** The changed configuration is in use. Requests and deliveries under way end under the one before. */
        record Reloaded() implements ReloadResult {}

        /**
         * Nothing has changed.
         *
         * @param faults each one a sentence, with its place in the file where it has one
         */
        record Rejected(List<String> faults) implements ReloadResult {
            public Rejected {
                faults = List.copyOf(faults);
            }
        }
    }

    /** Reads the configuration file again and takes it into use as a whole, or not at all. */
    ReloadResult reload();

    /** What is configured. */
    ServerParts parts();

    /** What is configured. */
    record ServerParts(List<SourcePart> sources, List<DestinationPart> destinations, List<GatewayPart> gateways) {
        /** Nothing at all. */
        public static final ServerParts NONE = new ServerParts(List.of(), List.of(), List.of());

        public ServerParts {
            sources = List.copyOf(sources);
            destinations = List.copyOf(destinations);
            gateways = List.copyOf(gateways);
        }
    }

    /** A sender of webhooks. Its path is hard to guess on purpose and is not told. */
    record SourcePart(String name, String channel, String policy) {}

    /**
     * Where webhooks are delivered.
     *
     * @param origin scheme, host and port of its URL: the rest may hold a token
     */
    record DestinationPart(String name, String origin, String channel, String policy) {}

    /** An API behind the gateway. */
    record GatewayPart(String name, String path, String origin) {}
}
