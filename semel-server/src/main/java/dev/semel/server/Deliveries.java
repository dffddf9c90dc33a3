package dev.semel.server;

import dev.semel.Channel;
import dev.semel.engine.Engine;
import dev.semel.http.ingress.Webhook;
import dev.semel.server.config.DestinationConfig;
import dev.semel.server.delivery.AttemptRecord;
import dev.semel.server.delivery.DeliveryClient;
import dev.semel.server.delivery.DestinationHealth;
import dev.semel.server.delivery.DestinationHealth.HealthState;
import dev.semel.server.delivery.HttpDelivery;
import dev.semel.server.delivery.RecentAttempts;
import dev.semel.server.routing.ServerChannels;
import dev.semel.time.TimeSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Makes the handlers that deliver webhooks to destinations. They share one HTTP client. */
final class Deliveries implements AutoCloseable {
    /** Attempts of each destination that are kept in memory. */
    private static final int KEPT = 100;

    private final DeliveryClient client = DeliveryClient.start();
    private final RecentAttempts attempts = new RecentAttempts(KEPT);

    private final Map<String, DestinationHealth> healths = new ConcurrentHashMap<>();

    Channel.LeasedDelivery<Webhook> to(DestinationConfig destination, Engine engine) {
        String channel = ServerChannels.of(destination).name();
        TimeSource time = TimeSource.system();
        DestinationHealth health = new DestinationHealth(destination, channel, engine.operator(), time);
        healths.put(destination.name(), health);
        return new HttpDelivery(destination, client, attempts, health, time);
    }

    /** How deliveries to it go on this node. */
    HealthState health(String destination) {
        DestinationHealth health = healths.get(destination);
        return health == null ? new HealthState(0, null, null, null) : health.state();
    }

    /** The newest of this node first. */
    List<AttemptRecord> attempts(String destination) {
        return attempts.of(destination);
    }

    /** Closes the connections to destinations. */
    @Override
    public void close() {
        client.close();
    }
}
