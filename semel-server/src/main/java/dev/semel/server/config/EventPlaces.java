package dev.semel.server.config;

import dev.semel.SemelException;
import dev.semel.http.ingress.EventField;
import dev.semel.http.ingress.EventKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.SequenceNode;

/** Reads where a webhook carries its key, lane and tenant, of one source. */
final class EventPlaces {
    static final Pattern HEADER_NAME = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}");

    private static final String BODY_DIGEST = "body-digest";
    private static final String FORMS = "write json:/pointer, form:name, form:name:/pointer, header:Name or path:1";
    private static final int LONGEST = 1_000;

    private final ConfigSection section;
    private boolean readsPath;

    EventPlaces(ConfigSection section) {
        this.section = section;
    }

    /** Whether one of the fields is a part of the path behind that of the source. */
    boolean readsPath() {
        return readsPath;
    }

    EventField field(String text) {
        if (text.length() > LONGEST) {
            throw new IllegalArgumentException("too long; " + FORMS);
        }
        int colon = text.indexOf(':');
        String rest = text.substring(colon + 1);
        try {
            return switch (colon < 0 ? "" : text.substring(0, colon)) {
                case "json" -> EventField.json(pointer(rest));
                case "form" -> form(rest);
                case "header" -> EventField.header(headerName(rest));
                case "path" -> {
                    EventField part =
                            EventField.pathPart(ValueForms.number(1, 16).apply(rest));
                    readsPath = true;
                    yield part;
                }
                default -> throw new IllegalArgumentException("not a field; " + FORMS);
            };
        } catch (SemelException.Invalid wrong) {
            throw new IllegalArgumentException("not a field; " + FORMS, wrong);
        }
    }

    private static EventField form(String rest) {
        int colon = rest.indexOf(':');
        String name = colon < 0 ? rest : rest.substring(0, colon);
        if (name.isEmpty()) {
            throw new IllegalArgumentException("not a field of a form; " + FORMS);
        }
        return colon < 0 ? EventField.form(name) : EventField.jsonInForm(name, pointer(rest.substring(colon + 1)));
    }

    private static String headerName(String name) {
        if (!HEADER_NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("not the name of a header; write header:X-Event-Id");
        }
        return name;
    }

    /** A JSON pointer that names a value inside of the body. */
    static String pointer(String text) {
        if (!text.startsWith("/") || text.length() > LONGEST) {
            throw new IllegalArgumentException("not a JSON pointer; write /data/object/id");
        }
        return text;
    }

    /** Empty when it is not set, or wrong, which is reported. */
    Optional<EventKey> key() {
        return section.node(ConfigSetting.SOURCE_KEY).flatMap(node -> key(node, true));
    }

    private Optional<EventKey> key(Node node, boolean outermost) {
        String label = section.label(ConfigSetting.SOURCE_KEY.key());
        if (node instanceof SequenceNode) {
            section.findings()
                    .fault(
                            node.getStartMark(),
                            label + " is a list: write all-of: [...] for fields that are the key together, or first-of:"
                                    + " [...] for the first key that a webhook has");
            return Optional.empty();
        }
        if (!(node instanceof MappingNode)) {
            return section.text(node, label)
                    .flatMap(text -> section.value(
                            text,
                            label,
                            each -> each.equals(BODY_DIGEST) ? EventKey.bodyDigest() : EventKey.of(field(each))));
        }
        return section.section(node, label, ConfigPart.KEY).flatMap(settings -> compound(settings, outermost));
    }

    private Optional<EventKey> compound(ConfigSection settings, boolean outermost) {
        boolean all = settings.has(ConfigSetting.KEY_ALL);
        boolean first = settings.has(ConfigSetting.KEY_FIRST);
        boolean text = settings.has(ConfigSetting.KEY_TEXT);
        if ((all ? 1 : 0) + (first ? 1 : 0) + (text ? 1 : 0) != 1) {
            settings.findings()
                    .fault(
                            settings.at(),
                            section.label(ConfigSetting.SOURCE_KEY.key())
                                    + " must have one of all-of, first-of and text");
            return Optional.empty();
        }
        for (DeclaredSetting setting : List.of(ConfigSetting.KEY_SCOPE, ConfigSetting.KEY_WITHIN)) {
            if (!text && settings.has(setting)) {
                settings.fault(setting, "is for keys with text only: remove it");
            }
        }
        if (first && !outermost) {
            settings.fault(ConfigSetting.KEY_FIRST, "is inside another first-of: write one list");
            return Optional.empty();
        }
        return all ? allOf(settings) : first ? firstOf(settings) : textInBucket(settings);
    }

    private Optional<EventKey> allOf(ConfigSection settings) {
        List<Node> nodes = settings.list(ConfigSetting.KEY_ALL);
        String label = settings.label(ConfigSetting.KEY_ALL.key());
        List<EventField> fields = new ArrayList<>();
        nodes.forEach(node -> settings.text(node, label)
                .flatMap(text -> settings.value(text, label, this::field))
                .ifPresent(fields::add));
        return fields.isEmpty() || fields.size() < nodes.size()
                ? Optional.empty()
                : Optional.of(EventKey.of(fields.toArray(EventField[]::new)));
    }

    private Optional<EventKey> firstOf(ConfigSection settings) {
        List<Node> nodes = settings.list(ConfigSetting.KEY_FIRST);
        List<EventKey> keys = new ArrayList<>();
        nodes.forEach(node -> key(node, false).ifPresent(keys::add));
        return keys.size() < nodes.size() ? Optional.empty() : keys.stream().reduce(EventKey::orElse);
    }

    private Optional<EventKey> textInBucket(ConfigSection settings) {
        Optional<EventField> text = settings.value(ConfigSetting.KEY_TEXT, this::field);
        Optional<EventField> scope = demanded(settings, ConfigSetting.KEY_SCOPE)
                ? settings.value(ConfigSetting.KEY_SCOPE, this::field)
                : Optional.empty();
        Optional<Duration> within = demanded(settings, ConfigSetting.KEY_WITHIN)
                ? settings.value(
                        ConfigSetting.KEY_WITHIN,
                        ValueForms.duration(Duration.ofSeconds(1), Duration.ofHours(24), "1s to 24h"))
                : Optional.empty();
        return text.isEmpty() || scope.isEmpty() || within.isEmpty()
                ? Optional.empty()
                : Optional.of(EventKey.textInBucket(scope.get(), text.get(), within.get()));
    }

    private static boolean demanded(ConfigSection settings, DeclaredSetting setting) {
        if (!settings.has(setting)) {
            settings.fault(setting, "is missing: it is required with text");
        }
        return settings.has(setting);
    }
}
