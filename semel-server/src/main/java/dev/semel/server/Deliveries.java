package dev.semel.server;

import dev.semel.Channel;
import dev.semel.engine.Engine;
import dev.semel.http.ingress.Webhook;
import dev.semel.server.config.DestinationConfig;
import dev.semel.server.delivery.DeliveryClient;
import dev.semel.server.delivery.DestinationHealth;
import dev.semel.server.delivery.HttpDelivery;
import dev.semel.server.delivery.RecentAttempts;
import dev.semel.server.routing.ServerChannels;
import dev.semel.time.TimeSource;

/** Makes the handlers that deliver webhooks to destinations. They share one HTTP client. */
final class Deliveries implements AutoCloseable {
    /** Attempts of each destination that are kept in memory. */
    private static final int KEPT = 100;

    private final DeliveryClient client = DeliveryClient.start();
    private final RecentAttempts attempts = new RecentAttempts(KEPT);

    Channel.LeasedDelivery<Webhook> to(DestinationConfig destination, Engine engine) {
        String channel = ServerChannels.of(destination).name();
        TimeSource time = TimeSource.system();
        DestinationHealth health = new DestinationHealth(destination, channel, engine.operator(), time);
        return new HttpDelivery(destination, client, attempts, health, time);
    }

    /** Closes the connections to destinations. */
    @Override
    public void close() {
        client.close();
    }
}
