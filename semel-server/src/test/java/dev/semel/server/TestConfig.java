package dev.semel.server;

import dev.semel.Channel;
import dev.semel.Tenant;
import dev.semel.http.ingress.EventField;
import dev.semel.http.ingress.Webhook;
import dev.semel.http.ingress.WebhookSecrets;
import dev.semel.http.ingress.WebhookSource;
import dev.semel.server.access.Scope;
import dev.semel.server.access.Token;
import dev.semel.server.config.DestinationConfig;
import dev.semel.server.config.DestinationConfig.EgressRules;
import dev.semel.server.config.RouteConfig;
import dev.semel.server.config.ServerConfig;
import dev.semel.server.config.SourceConfig;
import dev.semel.server.config.TopicConfig;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Configurations of test servers: a source of Stripe's, and destinations on this machine. */
final class TestConfig {
    static final String SECRET = "whsec_test_0123456789abcdef";
    static final String TOKEN = "token-0123456789abcdef";
    static final String PATH = "/in/stripe-3f9c1b2a7d5e4f60";
    static final ServerConfig.RequestLimits LIMITS =
            new ServerConfig.RequestLimits(1_000, 8_192, Duration.ofSeconds(30));

    private TestConfig() {}

    static ServerConfig.Listen listen(int port) {
        return new ServerConfig.Listen("127.0.0.1", port, null, LIMITS, Duration.ofSeconds(20));
    }

    static SourceConfig source() {
        return new SourceConfig(
                PATH,
                WebhookSource.stripe("stripe", WebhookSecrets.of(SECRET)).withLane(EventField.json("/lane")),
                "webhook.inbox");
    }

    static DestinationConfig destination(String name, URI url) {
        return new DestinationConfig(
                name,
                new DestinationConfig.Target(
                        url,
                        Map.of(),
                        List.of(),
                        Duration.ofSeconds(15),
                        new EgressRules(true, List.of("127.0.0.1/32"))),
                "worker.job",
                true,
                Channel.Capacity.of(8),
                null);
    }

    /** All webhooks of the source go to each of the destinations. */
    static ServerConfig of(String store, int port, DestinationConfig... destinations) {
        List<String> names =
                List.of(destinations).stream().map(DestinationConfig::name).toList();
        return routed(store, port, List.of(new RouteConfig("stripe", names, List.of())), destinations);
    }

    /** Clients may send to {@code orders}, from which these routes start. */
    static ServerConfig withTopic(String store, List<RouteConfig> routes, DestinationConfig... destinations) {
        ServerConfig config = routed(store, 0, routes, destinations);
        return new ServerConfig(
                config.store(),
                config.listen(),
                config.policies(),
                List.of(new Token("shop", TOKEN, Tenant.of("acme"), List.of(Scope.of("send")))),
                new ServerConfig.Routing(
                        config.sources(),
                        config.destinations(),
                        routes,
                        List.of(),
                        List.of(new TopicConfig("orders", "webhook.inbox")),
                        List.of()));
    }

    static ServerConfig routed(String store, int port, List<RouteConfig> routes, DestinationConfig... destinations) {
        return new ServerConfig(
                store,
                listen(port),
                List.of(Webhook.INBOX),
                List.of(new Token("shop", TOKEN, Tenant.of("acme"), List.of(Scope.of("run")))),
                new ServerConfig.Routing(List.of(source()), List.of(destinations), routes));
    }
}
