package dev.semel.console.admin;

import dev.semel.operator.Operator;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

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

    /**
     * How deliveries to one destination went on all nodes.
     *
     * @param operator of the ledger that tells of them
     * @param shown at most so many attempts
     */
    default DestinationState deliveries(Operator operator, String destination, int shown) {
        return DestinationState.NONE;
    }

    /** What the program in which the server runs adds to the overview: nothing, unless it says so. */
    default List<ProgramFigure> figures() {
        return List.of();
    }

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

    /**
     * How deliveries to a destination went.
     *
     * @param lastSuccess null when the newest events tell of none
     * @param failingSince null when the last attempt succeeded, or the newest events tell of none
     * @param attempts the newest ones, newest first
     */
    record DestinationState(
            @Nullable Instant lastSuccess, @Nullable Instant failingSince, List<DeliveryAttempt> attempts) {
        /** No attempt is known. */
        public static final DestinationState NONE = new DestinationState(null, null, List.of());

        public DestinationState {
            attempts = List.copyOf(attempts);
        }
    }

    /** An API behind the gateway. */
    record GatewayPart(String name, String path, String origin) {}
}
