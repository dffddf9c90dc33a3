package dev.semel.server.routing;

import dev.semel.AtomicContext;
import dev.semel.Channel;
import dev.semel.http.ingress.Webhook;
import dev.semel.server.config.DestinationConfig;
import dev.semel.server.config.RouteConfig;
import dev.semel.server.config.ServerConfig;
import dev.semel.server.config.SourceConfig;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/**
 * Routes the webhooks of one source: one message for each destination, in the commit that completes the webhook in the source's channel.
 * Their keys are derived from the webhook's record, so a destination gets a webhook once, however often it is routed. Thread-safe.
 */
public final class Router implements Channel.AtomicDelivery<Webhook> {
    private final List<RouteConfig> routes;
    private final Map<String, Channel.Leased<Webhook>> destinations = new HashMap<>();

    public Router(ServerConfig config, SourceConfig source) {
        this.routes = config.routes().stream()
                .filter(route -> route.from().equals(source.name()))
                .toList();
        for (DestinationConfig destination : config.destinations()) {
            destinations.put(destination.name(), ServerChannels.of(destination));
        }
    }

    @Override
    public void handle(Webhook webhook, AtomicContext tx) {
        for (String name : destinationsOf(webhook)) {
            tx.send(Objects.requireNonNull(destinations.get(name)), tx.key(name), webhook);
        }
    }

    /** Names of the destinations, each once, in the order of the routes. */
    Set<String> destinationsOf(Webhook webhook) {
        Set<String> names = new LinkedHashSet<>();
        JsonNode body =
                routes.stream().allMatch(route -> route.when().isEmpty()) ? null : JsonConditions.read(webhook.body());
        for (RouteConfig route : routes) {
            if (body == null || JsonConditions.hold(route.when(), body)) {
                names.addAll(route.to());
            }
        }
        return names;
    }
}
