package dev.semel.spring;

import java.lang.reflect.RecordComponent;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
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

    /** Lists of records, with the settings of an element as if the list had one, the first. */
    private final Map<ConfigurationPropertyName, PropertyNames> lists =
            new TreeMap<>(Comparator.comparing(ConfigurationPropertyName::toString));

    PropertyNames() {
        collect(SEMEL, SemelProperties.class);
        collect(HTTP, SemelHttpProperties.class);
        collect(SEMEL.append("expert"), SemelIntegrationProperties.class);
        collect(HTTP, SemelRouteProperties.class);
        collect(SEMEL.append("console"), SemelConsoleProperties.class);
    }

    private PropertyNames(ConfigurationPropertyName group, Class<?> type) {
        collect(group, type);
    }

    private void collect(ConfigurationPropertyName group, Class<?> type) {
        groups.add(group);
        for (RecordComponent component : type.getRecordComponents()) {
            ConfigurationPropertyName name = group.append(DataObjectPropertyName.toDashedForm(component.getName()));
            if (component.getType().isRecord()) {
                collect(name, component.getType());
            } else if (Map.class.isAssignableFrom(component.getType())) {
                maps.add(name);
            } else if (elements(component).isRecord()) {
                lists.put(name, new PropertyNames(name.append("[0]"), elements(component)));
            } else {
                leaves.put(name, ResolvableType.forType(component.getGenericType()));
            }
        }
    }

    private static Class<?> elements(RecordComponent component) {
        return ResolvableType.forType(component.getGenericType())
                .as(List.class)
                .getGeneric(0)
                .resolve(Object.class);
    }

    /** The properties that have a value, with its type. */
    Map<ConfigurationPropertyName, ResolvableType> leaves() {
        return leaves;
    }

    /** The values of the elements of a list, for each element that has one. */
    Map<ConfigurationPropertyName, ResolvableType> elements(Predicate<ConfigurationPropertyName> isPresent) {
        Map<ConfigurationPropertyName, ResolvableType> found = new LinkedHashMap<>();
        lists.forEach((list, first) -> {
            for (int i = 0; isPresent.test(list.append("[" + i + "]")); i++) {
                String element = list + "[" + i + "]";
                first.leaves.forEach((leaf, type) ->
                        found.put(ConfigurationPropertyName.of(leaf.toString().replace(list + "[0]", element)), type));
            }
        });
        return found;
    }

    /** All names in canonical form; the settings of list elements as in {@code semel.http.routes[].path}. */
    List<String> all() {
        Stream<String> own = Stream.of(leaves.keySet(), maps, lists.keySet())
                .flatMap(Collection::stream)
                .map(ConfigurationPropertyName::toString);
        Stream<String> elements =
                lists.values().stream().flatMap(list -> list.all().stream()).map(name -> name.replace("[0]", "[]"));
        return Stream.concat(own, elements).toList();
    }

    /** @param empty whether it has no value: then it may be the name of a group */
    boolean isKnown(ConfigurationPropertyName name, boolean empty) {
        return isKnownElement(name, empty)
                || leaves.entrySet().stream()
                        .anyMatch(leaf -> leaf.getKey().equals(name)
                                || leaf.getKey().isAncestorOf(name) && isList(leaf.getValue()))
                || maps.stream().anyMatch(map -> map.isAncestorOf(name) || empty && map.equals(name))
                || empty && groups.contains(name);
    }

    private boolean isKnownElement(ConfigurationPropertyName name, boolean empty) {
        return lists.entrySet().stream().anyMatch(list -> {
            int index = list.getKey().getNumberOfElements();
            if (!list.getKey().isAncestorOf(name) || !name.isNumericIndex(index)) {
                return empty && list.getKey().equals(name);
            }
            String first = name.toString().replaceFirst("\\[[0-9]+]", "[0]");
            return list.getValue().isKnown(ConfigurationPropertyName.adapt(first, '.'), empty);
        });
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
                || maps.stream().anyMatch(map -> plain.startsWith(squeezed(map.toString())))
                || lists.entrySet().stream().anyMatch(list -> isElementVariable(plain, list.getKey(), list.getValue()));
    }

    /** As in SEMEL_HTTP_ROUTES_0_PATH. */
    private static boolean isElementVariable(String plain, ConfigurationPropertyName list, PropertyNames elements) {
        String known = squeezed(list.toString());
        return plain.startsWith(known)
                && elements.isKnownVariable(
                        known + plain.substring(known.length()).replaceFirst("^[0-9]+", "0"));
    }

    private static String squeezed(String name) {
        return name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "");
    }
}
