package dev.semel.server.delivery;

import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.engine.Engine;
import dev.semel.http.ingress.Webhook;
import dev.semel.server.config.DestinationConfig;
import dev.semel.server.config.DestinationConfig.EgressRules;
import dev.semel.server.config.DestinationConfig.Target;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.TimeSource;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.jspecify.annotations.Nullable;

/** Destinations, webhooks and a client for tests. */
final class Destinations implements AutoCloseable {
    /** What tests allow: plain HTTP to loopback addresses. */
    static final EgressRules LOOPBACK = new EgressRules(true, List.of("127.0.0.0/8", "::1/128"));

    /** Long enough that it never passes in a test that ends otherwise. */
    static final Duration LONG = Duration.ofMinutes(2);

    static final Webhook WEBHOOK = webhook("{\"id\":1}", "application/json", Map.of());

    final DeliveryClient client;
    private TestRun lastRun = TestRun.FIRST.again();
    private final Engine engine = Engine.withoutBackground(new MemoryStore(TimeSource.system()));

    Destinations(DeliveryClient client) {
        this.client = client;
    }

    static Destinations open() {
        return open(name -> {
            throw new UnknownHostException(name);
        });
    }

    static Destinations open(NameLookup names) {
        return new Destinations(DeliveryClient.start(names, new SslContextFactory.Client()));
    }

    static Webhook webhook(String body, @Nullable String type, Map<String, String> headers) {
        return new Webhook(
                "source",
                "digest",
                body.getBytes(StandardCharsets.UTF_8),
                null,
                new Webhook.Transport(type, headers, Instant.EPOCH));
    }

    static DestinationConfig config(Target target) {
        return config(target, 16);
    }

    static DestinationConfig config(Target target, int concurrency) {
        return new DestinationConfig("crm", target, "default", false, Channel.Capacity.of(concurrency), null);
    }

    static Target target(URI url) {
        return target(url, LONG, LOOPBACK);
    }

    static Target target(URI url, Duration timeout, EgressRules rules) {
        return new Target(url, Map.of(), List.of(), timeout, rules);
    }

    HttpDelivery delivery(Target target) {
        return delivery(config(target));
    }

    HttpDelivery delivery(DestinationConfig config) {
        DestinationHealth health = new DestinationHealth(config, "crm", engine.operator(), TimeSource.system());
        return new HttpDelivery(config, client, health, TimeSource.system());
    }

    /** What was noted of the last delivery to a target. */
    Map<String, Object> notes() {
        return lastRun.notes();
    }

    /** Delivers one webhook; null when it succeeded. */
    @Nullable
    Failure failure(Target target) throws InterruptedException {
        lastRun = TestRun.FIRST.again();
        return failure(delivery(target), lastRun);
    }

    static @Nullable Failure failure(HttpDelivery delivery) throws InterruptedException {
        return failure(delivery, TestRun.FIRST.again());
    }

    private static @Nullable Failure failure(HttpDelivery delivery, TestRun run) throws InterruptedException {
        try {
            delivery.handle(WEBHOOK, run);
            return null;
        } catch (Failure.Thrown e) {
            return e.failure();
        }
    }

    static InetAddress address(String literal) {
        try {
            return InetAddress.getByName(literal);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(e);
        }
    }

    @Override
    public void close() {
        client.close();
        engine.close();
    }
}
