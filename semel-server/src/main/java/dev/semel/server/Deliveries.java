package dev.semel.server;

import dev.semel.Channel;
import dev.semel.engine.Engine;
import dev.semel.http.ingress.Webhook;
import dev.semel.server.config.DestinationConfig;

/** Makes the handlers that deliver webhooks to destinations. */
interface Deliveries extends AutoCloseable {
    Channel.LeasedDelivery<Webhook> to(DestinationConfig destination, Engine engine);

    /** Closes the connections to destinations. */
    @Override
    default void close() {}
}
