package dev.semel.server.delivery;

import dev.semel.server.config.DestinationConfig;

/**
 * The way of one destination through the shared client. It is the tag of each request: requests with different tags never share a
 * connection, so none uses one that was allowed by the rules of another destination.
 *
 * @param connections the most at once
 */
record EgressRoute(String destination, EgressGuard guard, int connections) {

    /** As many connections as deliveries at once on a node. */
    static EgressRoute of(DestinationConfig config) {
        return new EgressRoute(
                config.name(),
                EgressGuard.of(config.name(), config.target().egress()),
                config.capacity().concurrency());
    }
}
