package dev.semel.server.delivery;

import dev.semel.Channel;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Policy;
import dev.semel.Tenant;
import dev.semel.engine.Engine;
import dev.semel.engine.EngineSettings;
import dev.semel.http.ingress.Webhook;
import dev.semel.operator.Operator;
import dev.semel.server.config.DestinationConfig;
import dev.semel.server.config.DestinationConfig.EgressRules;
import dev.semel.store.Row;
import dev.semel.store.Store;
import dev.semel.store.Switchboard;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.ManualTime;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.jspecify.annotations.Nullable;

/** A node with one destination, on a clock that a test moves. It works only when it is told to. */
final class DeliveryNode implements AutoCloseable {
    static final Duration DELAY = Duration.ofMinutes(10);
    private static final Tenant ACME = Tenant.of("acme");

    static final Policy POLICY = Policy.named("deliveries")
            .withMaxAttempts(1_000)
            .withDelays(DELAY)
            .withJitter(new Policy.Jitter.None())
            .withoutDeadline()
            .withAttemptTimeout(Duration.ofMinutes(5))
            .build();

    private static final Channel.Leased<Webhook> CHANNEL =
            Webhook.leased("deliver.crm").withPolicy("deliveries");

    private final Store store;
    private final ManualTime time;
    private final DestinationConfig config;
    private final Engine engine;
    private final DeliveryClient client;
    private final DestinationHealth health;

    private DeliveryNode(Store store, ManualTime time, DestinationConfig config, Policy policy) {
        this.store = store;
        this.time = time;
        this.config = config;
        this.engine = EngineSettings.on(store)
                .withTime(time)
                .withPolicy(policy)
                .withoutBackground()
                .open();
        this.client = DeliveryClient.start(
                name -> {
                    throw new UnknownHostException(name);
                },
                new SslContextFactory.Client());
        this.health = new DestinationHealth(config, CHANNEL.name(), engine.operator(), time);
        HttpDelivery delivery = new HttpDelivery(config, client, health, time);
        engine.handle(CHANNEL, config.capacity(), delivery);
    }

    static DeliveryNode start(URI url) {
        return start(url, Destinations.LOOPBACK, null);
    }

    static DeliveryNode start(URI url, EgressRules rules, @Nullable Duration disableAfter) {
        return start(url, rules, disableAfter, POLICY);
    }

    static DeliveryNode start(URI url, EgressRules rules, @Nullable Duration disableAfter, Policy policy) {
        ManualTime time = new ManualTime(1_700_000_000_000L);
        DestinationConfig config = new DestinationConfig(
                "crm",
                Destinations.target(url, Destinations.LONG, rules),
                "deliveries",
                false,
                Channel.Capacity.of(4),
                disableAfter);
        return new DeliveryNode(new MemoryStore(time), time, config, policy);
    }

    /** Another node on the same ledger and clock, or the same one after a restart. */
    DeliveryNode another() {
        return new DeliveryNode(store, time, config, POLICY);
    }

    void send(String key) {
        engine.send(CHANNEL, Message.of(ACME, Key.of(key), Destinations.WEBHOOK));
    }

    /** Delivers what is due. */
    void work() {
        while (engine.duties().worker().turn()) {
            // until a round finds nothing
        }
    }

    /** Lets the time pass, then delivers what is due. */
    void pass(Duration duration) {
        time.advance(duration);
        work();
    }

    /** Delivers what is due every so often for a while. */
    void workFor(Duration duration) {
        for (Duration passed = Duration.ZERO; passed.compareTo(duration) < 0; passed = passed.plus(DELAY)) {
            pass(DELAY);
        }
    }

    Row row(String key) {
        return engine.operator().find(ACME, CHANNEL.name(), Key.of(key)).orElseThrow();
    }

    Operator operator() {
        return engine.operator();
    }

    String channel() {
        return CHANNEL.name();
    }

    List<Switchboard.Pause> pauses() {
        return engine.operator().modes().pauses();
    }

    DestinationHealth.HealthState health() {
        return health.state();
    }

    Instant now() {
        return Instant.ofEpochMilli(time.millis());
    }

    @Override
    public void close() {
        client.close();
        engine.close();
    }
}
