package dev.semel.server;

import dev.semel.Channel;
import dev.semel.engine.Engine;
import dev.semel.http.ingress.Webhook;
import dev.semel.server.config.DestinationConfig;
import dev.semel.server.delivery.DeliveryClient;
import dev.semel.server.delivery.DestinationHealth;
import dev.semel.server.delivery.HttpDelivery;
import dev.semel.server.routing.ServerChannels;
import dev.semel.time.TimeSource;

/** Makes the handlers that deliver webhooks to destinations. They share one HTTP client. */
final class Deliveries implements AutoCloseable {
    private final DeliveryClient client = DeliveryClient.start();

    Channel.LeasedDelivery<Webhook> to(DestinationConfig destination, Engine engine) {
        String channel = ServerChannels.of(destination).name();
        TimeSource time = TimeSource.system();
        DestinationHealth health = new DestinationHealth(destination, channel, engine.operator(), time);
        return new HttpDelivery(destination, client, health, time);
    }

    /** Closes the connections to destinations. */
    @Override
    public void close() {
        client.close();
    }
}
