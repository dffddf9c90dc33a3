package dev.semel.server.config;

import dev.semel.Policy;
import dev.semel.SemelException;
import dev.semel.http.ingress.Webhook;
import dev.semel.policy.Catalogue;
import dev.semel.policy.PolicySetting;
import dev.semel.policy.Suggestions;
import dev.semel.server.config.ConfigSection.NamedNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.yaml.snakeyaml.nodes.NodeTuple;

/** The policies that sources and destinations may name: those that ship, {@code webhook.inbox}, and those of the file. */
final class NamedPolicies {
    private static final int MOST_COMPARED = 1_000;
    private static final int MOST_LISTED = 30;
    private static final String PREFIX = "semel.policy.";
    private static final List<String> SETTINGS =
            Arrays.stream(PolicySetting.values()).map(PolicySetting::key).toList();
    private static final Catalogue KNOWN = Catalogue.shipped().with(List.of(Webhook.INBOX));

    private final Map<String, Policy> configured = new LinkedHashMap<>();
    private final Set<String> names = new LinkedHashSet<>(KNOWN.names());

    private NamedPolicies() {}

    static NamedPolicies read(ConfigSection all) {
        NamedPolicies policies = new NamedPolicies();
        if (all.has(ConfigSetting.POLICIES)) {
            all.named(ConfigSetting.POLICIES).forEach(node -> policies.read(all, node));
            policies.refuseSharedCodes(all);
        }
        return policies;
    }

    private void read(ConfigSection all, NamedNode node) {
        String name = node.name();
        if (!name.matches("[a-z0-9][a-z0-9.-]{0,59}")) {
            all.findings()
                    .fault(
                            node.at(),
                            ConfigText.quoted(name)
                                    + " cannot be the name of a policy: use 1 to 60 lower-case letters, digits, dots and hyphens");
            return;
        }
        names.add(name);
        String owner = "policy '" + name + "'";
        all.section(node.node(), owner)
                .map(section -> section.knowing(SETTINGS))
                .ifPresent(section -> build(section, node, texts(section)));
    }

    private static Map<String, ConfigText> texts(ConfigSection section) {
        Map<String, ConfigText> texts = new LinkedHashMap<>();
        section.entries().forEach((key, entry) -> {
            if (SETTINGS.contains(key)) {
                text(section, key, entry).ifPresent(text -> texts.put(key, text));
            }
        });
        return texts;
    }

    private static Optional<ConfigText> text(ConfigSection section, String key, NodeTuple entry) {
        return section.text(entry.getValueNode(), section.label(key));
    }

    private void build(ConfigSection section, NamedNode node, Map<String, ConfigText> texts) {
        String name = node.name();
        if (texts.isEmpty()) {
            if (section.entries().isEmpty()) {
                section.findings().fault(node.at(), "policy '" + name + "' has no settings: write some, or remove it");
            }
            return;
        }
        Map<String, String> properties = new LinkedHashMap<>();
        texts.forEach((key, text) -> properties.put(PREFIX + name + "." + key, text.text()));
        try {
            KNOWN.withProperties(properties)
                    .find(name)
                    .ifPresentOrElse(
                            policy -> configured.put(name, policy),
                            () -> section.findings()
                                    .fault(
                                            node.at(),
                                            "policy '" + name
                                                    + "' differs from a shipped policy in dots and hyphens only: rename it"));
        } catch (SemelException.Misconfigured wrong) {
            wrong.faults().forEach(fault -> report(section, node, texts, fault));
        }
    }

    /** At the line of the setting that the fault names; what comes from a reference is not repeated. */
    private static void report(ConfigSection section, NamedNode node, Map<String, ConfigText> texts, String fault) {
        for (Map.Entry<String, ConfigText> each : texts.entrySet()) {
            ConfigText text = each.getValue();
            String begin = PREFIX + node.name() + "." + each.getKey() + "="
                    + text.text().strip() + ": ";
            if (fault.startsWith(begin)) {
                String why = text.hasReference() ? "write " + form(each.getKey()) : fault.substring(begin.length());
                section.findings().fault(text.at(), section.label(each.getKey()) + " is " + text.shown() + ": " + why);
                return;
            }
        }
        boolean referring = texts.values().stream().anyMatch(ConfigText::hasReference);
        String said = fault.replace("set " + PREFIX + node.name() + ".extends=default", "add extends: default")
                .replace(PREFIX + node.name() + ": ", "")
                .replaceFirst("^policy \\S+: ", "");
        section.findings()
                .fault(
                        node.at(),
                        "policy '" + node.name() + "': "
                                + (referring ? "its settings are out of bounds, or contradict each other" : said));
    }

    private static String form(String key) {
        return Stream.of(PolicySetting.values())
                .filter(setting -> setting.key().equals(key))
                .map(PolicySetting::form)
                .findFirst()
                .orElseThrow();
    }

    private void refuseSharedCodes(ConfigSection all) {
        try {
            KNOWN.with(configured.values());
        } catch (SemelException.Misconfigured wrong) {
            wrong.faults().forEach(fault -> all.findings().fault(all.at(ConfigSetting.POLICIES), fault));
        }
    }

    /** The policy that a setting names; empty when it is unknown or faulty, which is reported. */
    Optional<String> name(ConfigSection section, DeclaredSetting setting) {
        return section.value(setting, text -> {
            if (!names.contains(text)) {
                throw new IllegalArgumentException("there is no policy of that name" + nearest(text, names));
            }
            return text;
        });
    }

    /** Such as {@code ; did you mean 'billing'?}. Few names are listed; among very many none is looked for. */
    static String nearest(String wrong, Set<String> known) {
        List<String> near = known.size() > MOST_COMPARED ? List.of() : Suggestions.near(wrong, known);
        if (!near.isEmpty()) {
            return "; did you mean '" + near.get(0) + "'?";
        }
        return known.isEmpty() || known.size() > MOST_LISTED
                ? ""
                : "; the known ones are "
                        + known.stream().map(ConfigText::quoted).collect(Collectors.joining(", "));
    }

    /** Empty when it has faults of its own. */
    Optional<Policy> find(String name) {
        return Optional.ofNullable(configured.get(name)).or(() -> KNOWN.find(name));
    }

    /** The policies of the file, and those that are named and not in the shipped catalogue. */
    List<Policy> used(
            List<SourceConfig> sources,
            List<TopicConfig> topics,
            List<DestinationConfig> destinations,
            List<ChannelConfig> channels) {
        Set<String> named = Stream.of(
                        sources.stream().map(SourceConfig::policy),
                        topics.stream().map(TopicConfig::policy),
                        destinations.stream().map(DestinationConfig::policy),
                        channels.stream().map(ChannelConfig::policy))
                .flatMap(Function.identity())
                .collect(Collectors.toSet());
        List<Policy> used = new ArrayList<>(configured.values());
        if (named.contains(Webhook.INBOX.name()) && !configured.containsKey(Webhook.INBOX.name())) {
            used.add(Webhook.INBOX);
        }
        return used;
    }
}
