package dev.semel.server.routing;

import dev.semel.Failure;
import dev.semel.http.ingress.Webhook;
import dev.semel.server.config.RouteConfig;
import dev.semel.server.config.ServerConfig;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/** The routes that start from one source or topic. */
record RouteTable(List<RouteConfig> routes) {
    /** @param name of a source or topic */
    static RouteTable from(ServerConfig config, String name) {
        return new RouteTable(config.routes().stream()
                .filter(route -> route.from().equals(name))
                .toList());
    }

    /** Only those of them that lead to this destination. */
    RouteTable to(String destination) {
        return new RouteTable(routes.stream()
                .filter(route -> route.to().contains(destination))
                .toList());
    }

    /**
     * Names of the destinations, each once, in the order of the routes.
     *
     * @throws Failure.Thrown when conditions cannot be tested on its body
     */
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
