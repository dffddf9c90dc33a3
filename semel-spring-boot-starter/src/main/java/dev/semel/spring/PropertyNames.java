package dev.semel.spring;

import java.lang.reflect.RecordComponent;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.ResolvableType;

/** The names of all properties, from the records that they are bound to. */
final class PropertyNames {
    static final ConfigurationPropertyName SEMEL = ConfigurationPropertyName.of("semel");
    static final ConfigurationPropertyName HTTP = SEMEL.append("http");

    /** Environment variables that are not properties: the node's mode, and those that Kubernetes sets for a service "semel". */
    private static final Pattern NOT_OURS = Pattern.compile(
            "SEMEL_MODE|SEMEL_(.+_)?SERVICE_(HOST|PORT)(_.+)?|SEMEL_(.+_)?PORT(_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?");

    private final Map<ConfigurationPropertyName, ResolvableType> leaves =
            new TreeMap<>(Comparator.comparing(ConfigurationPropertyName::toString));
    private final TreeSet<ConfigurationPropertyName> groups = new TreeSet<>();
    private final TreeSet<ConfigurationPropertyName> maps = new TreeSet<>();

    PropertyNames() {
        collect(SEMEL, SemelProperties.class);
        collect(HTTP, SemelHttpProperties.class);
        collect(SEMEL.append("expert"), SemelIntegrationProperties.class);
    }

    private void collect(ConfigurationPropertyName group, Class<?> type) {
        groups.add(group);
        for (RecordComponent component : type.getRecordComponents()) {
            ConfigurationPropertyName name = group.append(DataObjectPropertyName.toDashedForm(component.getName()));
            if (component.getType().isRecord()) {
                collect(name, component.getType());
            } else if (Map.class.isAssignableFrom(component.getType())) {
                maps.add(name);
            } else {
                leaves.put(name, ResolvableType.forType(component.getGenericType()));
            }
        }
    }

    /** The properties that have a value, with its type. */
    Map<ConfigurationPropertyName, ResolvableType> leaves() {
        return leaves;
    }

    /** All names in canonical form. */
    List<String> all() {
        return Stream.concat(leaves.keySet().stream(), maps.stream())
                .map(ConfigurationPropertyName::toString)
                .toList();
    }

    /** @param empty whether it has no value: then it may be the name of a group */
    boolean isKnown(ConfigurationPropertyName name, boolean empty) {
        return leaves.entrySet().stream()
                        .anyMatch(leaf -> leaf.getKey().equals(name)
                                || leaf.getKey().isAncestorOf(name) && isList(leaf.getValue()))
                || maps.stream().anyMatch(map -> map.isAncestorOf(name) || empty && map.equals(name))
                || empty && groups.contains(name);
    }

    private static boolean isList(ResolvableType type) {
        return List.class.isAssignableFrom(type.resolve(Object.class));
    }

    /** An environment variable. An underscore in it stands for a dot, a dash or nothing. */
    boolean isKnownVariable(String name) {
        String plain = squeezed(name);
        return NOT_OURS.matcher(name.toUpperCase(Locale.ROOT)).matches()
                || leaves.entrySet().stream().anyMatch(leaf -> {
                    String known = squeezed(leaf.getKey().toString());
                    return plain.equals(known)
                            || isList(leaf.getValue())
                                    && plain.startsWith(known)
                                    && plain.substring(known.length()).matches("[0-9]+");
                })
                || maps.stream().anyMatch(map -> plain.startsWith(squeezed(map.toString())));
    }

    private static String squeezed(String name) {
        return name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "");
    }
}
