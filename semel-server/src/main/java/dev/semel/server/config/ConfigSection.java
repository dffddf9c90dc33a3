package dev.semel.server.config;

import dev.semel.policy.Suggestions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/** One mapping of the file. Whatever is wrong with it is reported, and reading goes on. */
final class ConfigSection {
    private static final int LONGEST_TEXT = 8_192;

    private final FindingList findings;
    private final ReferenceExpander references;
    private final String owner;
    private final Mark at;
    private final Map<String, NodeTuple> entries;

    private ConfigSection(
            FindingList findings, ReferenceExpander references, String owner, Mark at, Map<String, NodeTuple> entries) {
        this.findings = findings;
        this.references = references;
        this.owner = owner;
        this.at = at;
        this.entries = entries;
    }

    /** The outermost one. */
    static Optional<ConfigSection> file(Node root, FindingList findings, ReferenceExpander references) {
        ConfigSection none = new ConfigSection(findings, references, "", root.getStartMark(), Map.of());
        return none.entries(root, "the file")
                .map(found -> new ConfigSection(findings, references, "", root.getStartMark(), found))
                .map(section -> section.knowing(ConfigPart.FILE.names()));
    }

    Mark at() {
        return at;
    }

    /** For messages, such as {@code destination 'billing'}. */
    String owner() {
        return owner;
    }

    FindingList findings() {
        return findings;
    }

    boolean has(DeclaredSetting setting) {
        return entries.containsKey(setting.key());
    }

    /** Where a setting begins, or its section when it is not there. */
    Mark at(DeclaredSetting setting) {
        NodeTuple entry = entries.get(setting.key());
        return entry == null ? at : entry.getKeyNode().getStartMark();
    }

    /** For messages: {@code 'timeout' of destination 'billing'}. */
    String label(String key) {
        return "'" + key + "'" + (owner.isEmpty() ? "" : " of " + owner);
    }

    void fault(DeclaredSetting setting, String problem) {
        NodeTuple entry = entries.get(setting.key());
        findings.fault(entry == null ? at : entry.getValueNode().getStartMark(), label(setting.key()) + " " + problem);
    }

    /** The node of a setting; a required one that is missing is reported. */
    Optional<Node> node(DeclaredSetting setting) {
        NodeTuple entry = entries.get(setting.key());
        if (entry == null && setting.isRequired()) {
            findings.fault(at, label(setting.key()) + " is missing: write " + setting.form());
        }
        return entry == null ? Optional.empty() : Optional.of(entry.getValueNode());
    }

    /** A part with settings of its own. */
    Optional<ConfigSection> section(DeclaredSetting setting, ConfigPart part) {
        return node(setting).flatMap(node -> section(node, label(setting.key()), part));
    }

    /** As {@link #section(DeclaredSetting, ConfigPart)}, where everything has a preset. */
    Optional<ConfigSection> sectionOrPresets(DeclaredSetting setting, ConfigPart part) {
        return has(setting)
                ? section(setting, part)
                : Optional.of(new ConfigSection(findings, references, label(setting.key()), at, Map.of()));
    }

    /** @param called for messages, such as {@code destination 'billing'} */
    Optional<ConfigSection> section(Node node, String called, ConfigPart part) {
        return section(node, called).map(section -> section.knowing(part.names()));
    }

    /** With any names. */
    Optional<ConfigSection> section(Node node, String called) {
        return entries(node, called)
                .map(found -> new ConfigSection(findings, references, called, node.getStartMark(), found));
    }

    /** The names of its settings as they are, with their values. */
    Map<String, NodeTuple> entries() {
        return entries;
    }

    ConfigSection knowing(List<String> names) {
        entries.forEach((name, entry) -> {
            if (!names.contains(name) && !findings.isFull()) {
                List<String> near = Suggestions.near(name, names);
                findings.fault(
                        entry.getKeyNode().getStartMark(),
                        "unknown setting " + ConfigText.quoted(name) + (owner.isEmpty() ? "" : " of " + owner)
                                + (near.isEmpty()
                                        ? ": the known ones are " + String.join(", ", names)
                                        : ": did you mean '" + near.get(0) + "'?"));
            }
        });
        return this;
    }

    /** One text, with the values of its references. */
    Optional<ConfigText> text(DeclaredSetting setting) {
        return node(setting).flatMap(node -> text(node, label(setting.key())));
    }

    Optional<ConfigText> text(Node node, String label) {
        if (!(node instanceof ScalarNode scalar)) {
            findings.fault(node.getStartMark(), label + " must be one value, not a list or settings");
            return Optional.empty();
        }
        if (scalar.getTag().equals(Tag.NULL) && scalar.isPlain()
                || scalar.getValue().isEmpty()) {
            findings.fault(node.getStartMark(), label + " has no value: write one, or remove it");
            return Optional.empty();
        }
        if (scalar.getValue().length() > LONGEST_TEXT) {
            findings.fault(node.getStartMark(), label + " is longer than " + LONGEST_TEXT + " characters");
            return Optional.empty();
        }
        return references.expand(scalar.getValue(), node.getStartMark());
    }

    /**
     * The value of a setting, else its preset.
     *
     * @param reader throws {@link IllegalArgumentException} with what would be right
     * @return empty when it is neither set nor preset, or wrong, which is reported
     */
    <T> Optional<T> value(DeclaredSetting setting, Function<String, T> reader) {
        String preset = setting.presetValue();
        if (preset != null && !has(setting)) {
            return Optional.of(reader.apply(preset));
        }
        return text(setting).flatMap(text -> value(text, label(setting.key()), reader));
    }

    <T> Optional<T> value(ConfigText text, String label, Function<String, T> reader) {
        if (findings.isFull()) {
            return Optional.empty();
        }
        try {
            return Optional.of(reader.apply(text.text()));
        } catch (IllegalArgumentException wrong) {
            findings.fault(text.at(), label + " is " + text.shown() + ": " + wrong.getMessage());
            return Optional.empty();
        }
    }

    /** One text or a list of texts; those that cannot be read are left out, and reported. */
    List<ConfigText> texts(DeclaredSetting setting) {
        return node(setting)
                .map(node -> node instanceof SequenceNode ? list(setting, node) : List.of(node))
                .orElse(List.of())
                .stream()
                .flatMap(node -> text(node, label(setting.key())).stream())
                .toList();
    }

    /** The elements of a list, which must not be empty. */
    List<Node> list(DeclaredSetting setting) {
        return node(setting).map(node -> list(setting, node)).orElse(List.of());
    }

    private List<Node> list(DeclaredSetting setting, Node node) {
        if (node instanceof SequenceNode sequence && !sequence.getValue().isEmpty()) {
            return sequence.getValue();
        }
        findings.fault(
                node.getStartMark(),
                label(setting.key())
                        + (node instanceof SequenceNode
                                ? " is an empty list: remove it, or name something"
                                : " must be a list"));
        return List.of();
    }

    private Optional<Map<String, NodeTuple>> entries(Node node, String called) {
        if (!(node instanceof MappingNode mapping)) {
            boolean empty = node instanceof ScalarNode scalar && scalar.getTag().equals(Tag.NULL);
            findings.fault(
                    node.getStartMark(),
                    called
                            + (empty
                                    ? " has no value: write its settings, or remove it"
                                    : " must be settings, as name: value"));
            return Optional.empty();
        }
        Map<String, NodeTuple> found = new LinkedHashMap<>();
        for (NodeTuple entry : mapping.getValue()) {
            Node key = entry.getKeyNode();
            if (!(key instanceof ScalarNode scalar) || scalar.getValue().isEmpty()) {
                findings.fault(key.getStartMark(), "a name in " + called + " is empty or not a text");
            } else if (key.getTag().equals(Tag.MERGE)) {
                findings.fault(
                        key.getStartMark(),
                        "merge keys (<<) are not supported in " + called + ": write the settings out");
            } else {
                NodeTuple first = found.putIfAbsent(scalar.getValue(), entry);
                if (first != null) {
                    findings.fault(
                            key.getStartMark(),
                            ConfigText.quoted(scalar.getValue()) + " is set twice in " + called + ": it is in line "
                                    + (first.getKeyNode().getStartMark().getLine() + 1) + ", too");
                }
            }
        }
        return Optional.of(found);
    }

    /** Names and their settings, such as all destinations. */
    List<NamedNode> named(DeclaredSetting setting) {
        List<NamedNode> all = new ArrayList<>();
        node(setting)
                .flatMap(node -> entries(node, label(setting.key())))
                .ifPresent(found -> found.forEach((name, entry) ->
                        all.add(new NamedNode(name, entry.getKeyNode().getStartMark(), entry.getValueNode()))));
        return all;
    }

    /**
     * Something with a name that the file gives it.
     *
     * @param at the place of the name
     */
    record NamedNode(String name, Mark at, Node node) {}
}
