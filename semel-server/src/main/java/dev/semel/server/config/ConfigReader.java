package dev.semel.server.config;

import dev.semel.server.access.Token;
import dev.semel.server.config.ConfigSection.NamedNode;
import dev.semel.server.session.OperatorSettings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Reads the file part by part, then checks what concerns several of them. */
final class ConfigReader {
    private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9._-]{0,59}");

    private static final Pattern RESERVED = Pattern.compile("(source|destination|semel)\\..*");

    private final Path file;
    private final FindingList findings;

    ConfigReader(Path file, FindingList findings) {
        this.file = file;
        this.findings = findings;
    }

    /** Empty when something is missing that was reported. */
    Optional<ServerConfig> read(ConfigSection all) {
        Optional<String> store = new StoreUrl(all).read();
        Optional<ServerConfig.Listen> listen = new ListenReader(all, file).read();
        NamedPolicies policies = NamedPolicies.read(all);
        List<NamedNode> sourceNodes = named(all, ConfigSetting.SOURCES, "source");
        List<NamedNode> destinationNodes = named(all, ConfigSetting.DESTINATIONS, "destination");
        SourcePaths paths = new SourcePaths();
        SourceReader sourceReader = new SourceReader(all, policies, paths);
        DestinationReader destinationReader = new DestinationReader(all, policies);
        List<SourceConfig> sources = each(sourceNodes, sourceReader::read);
        List<DestinationConfig> destinations = each(destinationNodes, destinationReader::read);
        List<NamedNode> topicNodes = named(all, ConfigSetting.TOPICS, "topic");
        TopicReader topicReader = new TopicReader(all, policies, sourceNodes);
        List<TopicConfig> topics = each(topicNodes, topicReader::read);
        Set<String> origins = names(sourceNodes);
        origins.addAll(names(topicNodes));
        List<RouteConfig> routes = new RouteReader(all, origins, names(destinationNodes)).read();
        List<Token> tokens = new TokenReader(all).read(named(all, ConfigSetting.TOKENS, "token"));
        OperatorSettings operators = new OperatorReader(all, tokens).read(named(all, ConfigSetting.USERS, "user"));
        List<ChannelConfig> channels =
                each(unreserved(named(all, ConfigSetting.CHANNELS, "channel")), new ChannelReader(all, policies)::read);
        GatewayReader gatewayReader = new GatewayReader(all, policies, paths);
        List<GatewayConfig> gateways = each(named(all, ConfigSetting.GATEWAYS, "gateway"), gatewayReader::read);
        warnAboutUnused(sourceNodes, "source", "webhooks", routes);
        warnAboutUnused(topicNodes, "topic", "messages", routes);
        warnAboutUnreached(destinationNodes, routes);
        topicReader.warnAboutUnreachable(topicNodes, tokens);
        if (store.isEmpty() || listen.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new ServerConfig(
                store.get(),
                listen.get(),
                policies.used(sources, topics, destinations, channels),
                tokens,
                new ServerConfig.Routing(sources, destinations, routes, gateways, topics, channels),
                operators));
    }

    private static <T> List<T> each(List<NamedNode> nodes, Function<NamedNode, Optional<T>> reader) {
        return nodes.stream().flatMap(node -> reader.apply(node).stream()).toList();
    }

    private List<NamedNode> named(ConfigSection all, DeclaredSetting setting, String what) {
        List<NamedNode> nodes = new ArrayList<>();
        if (all.has(setting)) {
            nodes.addAll(all.named(setting));
        }
        nodes.forEach(node -> {
            if (!NAME.matcher(node.name()).matches()) {
                findings.fault(
                        node.at(),
                        ConfigText.quoted(node.name()) + " cannot be the name of a " + what
                                + ": use 1 to 60 lower-case letters, digits, dots, hyphens and underscores");
            }
        });
        return nodes;
    }

    /** Without those that have the name of a channel of the server itself, which are reported. */
    private List<NamedNode> unreserved(List<NamedNode> channels) {
        return channels.stream()
                .filter(node -> {
                    boolean reserved = RESERVED.matcher(node.name()).matches();
                    if (reserved) {
                        findings.fault(
                                node.at(),
                                ConfigText.quoted(node.name())
                                        + " is a channel of the server itself: names that begin with"
                                        + " source., destination. or semel. cannot be used by the API");
                    }
                    return !reserved;
                })
                .toList();
    }

    private static Set<String> names(List<NamedNode> nodes) {
        return nodes.stream().map(NamedNode::name).collect(Collectors.toCollection(java.util.LinkedHashSet::new));
    }

    private void warnAboutUnused(List<NamedNode> origins, String what, String contents, List<RouteConfig> routes) {
        Set<String> from = routes.stream().map(RouteConfig::from).collect(Collectors.toSet());
        Stream<NamedNode> silent = origins.stream().filter(node -> !from.contains(node.name()));
        silent.forEach(node -> findings.warn(
                node.at(),
                "no route leads from " + what + " '" + node.name() + "': its " + contents
                        + " are accepted and go nowhere"));
    }

    private void warnAboutUnreached(List<NamedNode> destinations, List<RouteConfig> routes) {
        Set<String> to = routes.stream().flatMap(route -> route.to().stream()).collect(Collectors.toSet());
        Stream<NamedNode> unreached = destinations.stream().filter(node -> !to.contains(node.name()));
        unreached.forEach(node ->
                findings.warn(node.at(), "no route leads to destination '" + node.name() + "': it gets no webhooks"));
    }
}
