package dev.semel.server.config;

import dev.semel.Policy;
import dev.semel.server.access.Token;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A configuration that has passed all checks: names are unique, routes lead from sources that exist to destinations that exist, and
 * every policy that is named is there.
 *
 * @param store URL of the ledger, with its password if it has one; never shown
 * @param policies in addition to the shipped ones, or in place of one of the same name
 * @param tokens of the clients of the HTTP API; without any it is off
 */
public record ServerConfig(String store, Listen listen, List<Policy> policies, List<Token> tokens, Routing routing) {

    public ServerConfig {
        policies = List.copyOf(policies);
        tokens = List.copyOf(tokens);
    }

    /** Where webhooks come from and go to, and the APIs behind the gateway. */
    public record Routing(
            List<SourceConfig> sources,
            List<DestinationConfig> destinations,
            List<RouteConfig> routes,
            List<GatewayConfig> gateways) {
        /** Without gateways. */
        public Routing(List<SourceConfig> sources, List<DestinationConfig> destinations, List<RouteConfig> routes) {
            this(sources, destinations, routes, List.of());
        }

        public Routing {
            sources = List.copyOf(sources);
            destinations = List.copyOf(destinations);
            routes = List.copyOf(routes);
            gateways = List.copyOf(gateways);
        }
    }

    /** Senders of webhooks. */
    public List<SourceConfig> sources() {
        return routing.sources;
    }

    /** Where webhooks are delivered. */
    public List<DestinationConfig> destinations() {
        return routing.destinations;
    }

    /** Which webhooks go where. */
    public List<RouteConfig> routes() {
        return routing.routes;
    }

    /** HTTP APIs behind the gateway. */
    public List<GatewayConfig> gateways() {
        return routing.gateways;
    }

    /** Without the URL of the store, which may have a password. */
    @Override
    public String toString() {
        return "ServerConfig[" + listen + ", policies "
                + policies.stream().map(Policy::name).toList() + ", tokens " + tokens + ", sources "
                + sources() + ", destinations " + destinations() + ", " + routes().size() + " routes, gateways "
                + gateways() + "]";
    }

    /**
     * Where and how the server listens.
     *
     * @param port 0 for any free one
     * @param tls none for plain HTTP
     * @param limits of requests and connections
     * @param drain how long requests and deliveries under way may take to end after SIGTERM
     */
    public record Listen(String address, int port, @Nullable TlsFiles tls, RequestLimits limits, Duration drain) {}

    /** PEM files: a certificate chain and its key. They are read again when they change. */
    public record TlsFiles(java.nio.file.Path certificate, java.nio.file.Path key) {}

    /**
     * @param connections at once
     * @param connectionsPerAddress at once
     * @param headerBytes of one request
     * @param idle after which a connection without a complete request is closed
     */
    public record RequestLimits(int connections, int connectionsPerAddress, int headerBytes, Duration idle) {
        /** One address may have half of the connections. */
        public RequestLimits(int connections, int headerBytes, Duration idle) {
            this(connections, usualPerAddress(connections), headerBytes, idle);
        }

        static int usualPerAddress(int connections) {
            return Math.max(1, connections / 2);
        }
    }
}
