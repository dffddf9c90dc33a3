package dev.semel.server.config;

import dev.semel.server.config.ConfigSection.NamedNode;
import java.util.Map;
import java.util.Optional;

/** The channels of the HTTP API. */
record ChannelReader(ConfigSection all, NamedPolicies policies) {
    private static final Map<String, Boolean> ORDER = Map.of("lane", true, "none", false);
    private static final Map<String, Boolean> INTERRUPTED = Map.of("repeat", true, "park", false);

    /** Empty when it has faults, which are reported. */
    Optional<ChannelConfig> read(NamedNode node) {
        return all.section(node.node(), "channel " + ConfigText.quoted(node.name()), ConfigPart.CHANNEL)
                .flatMap(section -> read(node.name(), section));
    }

    private Optional<ChannelConfig> read(String name, ConfigSection section) {
        Optional<String> policy = policies.name(section, ConfigSetting.CHANNEL_POLICY);
        Optional<Boolean> ordered =
                section.value(ConfigSetting.CHANNEL_ORDER, text -> choice(text, ORDER, "lane or none"));
        Optional<Boolean> repeatable =
                section.value(ConfigSetting.CHANNEL_INTERRUPTED, text -> choice(text, INTERRUPTED, "repeat or park"));
        return policy.isEmpty() || ordered.isEmpty() || repeatable.isEmpty()
                ? Optional.empty()
                : Optional.of(new ChannelConfig(name, policy.get(), ordered.get(), repeatable.get()));
    }

    private static boolean choice(String text, Map<String, Boolean> choices, String form) {
        Boolean chosen = choices.get(text);
        if (chosen == null) {
            throw new IllegalArgumentException("write " + form);
        }
        return chosen;
    }
}
