package dev.semel.server.config;

import dev.semel.server.access.Scope;
import dev.semel.server.access.Token;
import dev.semel.server.config.ConfigSection.NamedNode;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Reads the names of the HTTP API from which routes start. */
record TopicReader(ConfigSection all, NamedPolicies policies, List<NamedNode> sources) {
    /** Beginnings of channels that are closed to clients. */
    private static final Set<String> RESERVED = Set.of("source.", "destination.", "topic.", "semel.");

    /** Empty when it has faults, which are reported. */
    Optional<TopicConfig> read(NamedNode node) {
        sources.stream()
                .filter(source -> source.name().equals(node.name()))
                .findFirst()
                .ifPresent(source -> all.findings()
                        .fault(
                                node.at(),
                                "topic " + ConfigText.quoted(node.name()) + " has the name of the source in line "
                                        + (source.at().getLine() + 1)
                                        + ", and routes could not tell them apart: rename one of them"));
        RESERVED.stream()
                .filter(node.name()::startsWith)
                .forEach(prefix -> all.findings()
                        .fault(
                                node.at(),
                                "topic " + ConfigText.quoted(node.name()) + " begins with '" + prefix
                                        + "', as channels of the server do: clients cannot send to it; rename it"));
        return all.section(node.node(), "topic " + ConfigText.quoted(node.name()), ConfigPart.TOPIC)
                .flatMap(section -> policies.name(section, ConfigSetting.TOPIC_POLICY))
                .map(policy -> new TopicConfig(node.name(), policy));
    }

    /** A topic to which no token may send is a mistake, but harms nothing. */
    void warnAboutUnreachable(List<NamedNode> topics, List<Token> tokens) {
        for (NamedNode topic : topics) {
            boolean reachable = tokens.stream()
                    .flatMap(token -> token.scopes().stream())
                    .anyMatch(scope -> scope.allows(Scope.Right.SEND, topic.name()));
            if (!reachable) {
                all.findings()
                        .warn(
                                topic.at(),
                                "no token may send to topic '" + topic.name() + "': give one the scope send:"
                                        + topic.name());
            }
        }
    }
}
