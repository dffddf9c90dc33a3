package dev.semel.server.config;

import dev.semel.Policy;
import dev.semel.server.access.Token;
import dev.semel.server.session.OperatorSettings;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A configuration that has passed all checks: names are unique, routes lead from sources and topics that exist to destinations that exist, and
 * every policy that is named is there.
 *
 * @param store URL of the ledger, with its password if it has one; never shown
 * @param policies in addition to the shipped ones, or in place of one of the same name
 * @param tokens of the clients of the HTTP API; without any it is off
 * @param operators who may operate the server
 */
public record ServerConfig(
        String store,
        Listen listen,
        List<Policy> policies,
        List<Token> tokens,
        Routing routing,
        OperatorSettings operators) {

    /** Nobody may operate the server but who has its one-time secret, on its machine. */
    public ServerConfig(String store, Listen listen, List<Policy> policies, List<Token> tokens, Routing routing) {
        this(store, listen, policies, tokens, routing, OperatorSettings.NONE);
    }

    public ServerConfig {
        policies = List.copyOf(policies);
        tokens = List.copyOf(tokens);
    }

    /**
     * Where webhooks and messages come from and go to, the APIs behind the gateway, and channels of the HTTP API.
     *
     * @param channels those that differ from the presets
     */
    public record Routing(
            List<SourceConfig> sources,
            List<DestinationConfig> destinations,
            List<RouteConfig> routes,
            List<GatewayConfig> gateways,
            List<TopicConfig> topics,
            List<ChannelConfig> channels) {
        /** Webhooks only. */
        public Routing(List<SourceConfig> sources, List<DestinationConfig> destinations, List<RouteConfig> routes) {
            this(sources, destinations, routes, List.of(), List.of(), List.of());
        }

        public Routing {
            sources = List.copyOf(sources);
            destinations = List.copyOf(destinations);
            routes = List.copyOf(routes);
            gateways = List.copyOf(gateways);
            channels = List.copyOf(channels);
            topics = List.copyOf(topics);
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

    /** Names of the HTTP API from which routes start. */
    public List<TopicConfig> topics() {
        return routing.topics;
    }

    /** HTTP APIs behind the gateway. */
    public List<GatewayConfig> gateways() {
        return routing.gateways;
    }

    /** Channels of the HTTP API that differ from the presets. */
    public List<ChannelConfig> channels() {
        return routing.channels;
    }

    /** Without the URL of the store, which may have a password. */
    @Override
    public String toString() {
        return "ServerConfig[" + listen + ", policies "
                + policies.stream().map(Policy::name).toList() + ", tokens " + tokens + ", channels " + channels()
                + ", sources "
                + sources() + ", topics " + topics() + ", destinations " + destinations() + ", " + routes().size()
                + " routes, gateways "
                + gateways() + ", " + operators + "]";
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
