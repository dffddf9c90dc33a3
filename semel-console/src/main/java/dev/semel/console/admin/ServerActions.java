package dev.semel.console.admin;

import dev.semel.SemelException;
import dev.semel.operator.Operator;
import dev.semel.store.Switchboard;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
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

    /** Whether people with the role viewer see payloads, results and answers of destinations, redacted, as operators do. */
    default boolean viewersSeePayloads() {
        return false;
    }

    /**
     * The names of the destinations of which the ledger knows.
     *
     * @param operator of the ledger that tells of them
     */
    default Set<String> destinations(Operator operator) {
        return Set.of();
    }

    /**
     * How deliveries to one destination went on all nodes.
     *
     * @param operator of the ledger that tells of them
     * @param shown at most so many attempts
     */
    default DestinationState deliveries(Operator operator, String destination, int shown) {
        return DestinationState.NONE;
    }

    /**
     * Sends a test event to a destination of the configuration, and returns when it was answered or has failed. It is recorded nowhere.
     *
     * @throws dev.semel.SemelException.Invalid when there is no such destination, or it is not set up right
     */
    default DestinationTest test(String destination) {
        throw new SemelException.Invalid("There is no destination here. Nothing was sent.");
    }

    /** Fills of routes; nothing where there are no routes. */
    default Optional<RouteFilling> fills() {
        return Optional.empty();
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

    /**
     * A sender of webhooks. Its path is hard to guess on purpose and is not told.
     *
     * @param received null while this node does not serve it
     */
    record SourcePart(
            String name,
            String channel,
            String policy,
            @Nullable SourceCounts received) {}

    /**
     * What one node answered to a sender since it took its present configuration into use.
     *
     * @param accepted webhooks that were stored
     * @param repeated webhooks that were there already
     * @param rejected requests that were not acknowledged
     * @param lastStored null when none was acknowledged
     * @param lastRejected null when none was rejected
     */
    record SourceCounts(
            long accepted,
            long repeated,
            long rejected,
            @Nullable Instant lastStored,
            @Nullable Instant lastRejected) {}

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
     * @param pause why its channel is paused for all tenants; null when it is not
     * @param attempts the newest ones, newest first
     */
    record DestinationState(
            @Nullable Instant lastSuccess,
            @Nullable Instant failingSince,
            Switchboard.@Nullable Pause pause,
            List<DeliveryAttempt> attempts) {
        /** No attempt is known. */
        public static final DestinationState NONE = new DestinationState(null, null, null, List.of());

        public DestinationState {
            attempts = List.copyOf(attempts);
        }
    }

    /**
     * What came of a test event.
     *
     * @param delivered whether the destination answered 2xx
     * @param status of the answer; null when there was none
     * @param sentence the same for people
     * @param answer the first kilobyte of the answer as text, without credentials; empty when there was none
     */
    record DestinationTest(boolean delivered, @Nullable Integer status, String sentence, String answer) {}

    /** An API behind the gateway. */
    record GatewayPart(String name, String path, String origin) {}
}
