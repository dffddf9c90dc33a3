package dev.semel.tidy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Simple names of types that the main sources of a module declare more than once. */
final class RepeatedNames {
    /**
     * A name that means the same wherever it is declared.
     *
     * @param files that may declare it, without {@code .java}
     */
    private record Shared(String module, String name, Set<String> files) {}

    private static final List<Shared> SHARED = List.of(
            new Shared("semel-core", "Atomic", Set.of("Channel", "Operation")),
            new Shared("semel-core", "Leased", Set.of("Channel", "Operation")),
            new Shared("semel-core", "Definition", Set.of("Channel", "Operation")),
            new Shared("semel-core", "Conflict", Set.of("Answer", "Sent")),
            new Shared("semel-core", "Rejected", Set.of("Answer", "Sent")),
            new Shared("semel-core", "Failed", Set.of("Answer", "Reconciler")),
            new Shared("semel-core", "None", Set.of("Policy")),
            new Shared("semel-core", "Existing", Set.of("Reserved", "Enqueued")),
            new Shared("semel-core", "Locked", Set.of("SemelException", "Moved", "Reserved", "LookupResult")),
            new Shared("semel-core", "ModesChanged", Set.of("Reserved", "LookupResult", "TransactionOutcome")));

    /** The places of each name that a module declares more than once, such as {@code path/A.java:12}, by module and name. */
    static Map<String, Map<String, List<String>>> of(SourceTree tree) {
        Map<String, Map<String, List<String>>> names = new TreeMap<>();
        JavaShape.all(tree).forEach((file, shape) -> {
            if (file.isMain()) {
                shape.types().stream()
                        .filter(type -> !type.name().isEmpty())
                        .forEach(type -> names.computeIfAbsent(file.module(), any -> new TreeMap<>())
                                .computeIfAbsent(type.name(), any -> new ArrayList<>())
                                .add(file.path() + ":" + type.line()));
            }
        });
        names.values().forEach(module -> module.values().removeIf(places -> places.size() == 1));
        names.values().stream().flatMap(module -> module.values().stream()).forEach(places -> places.sort(null));
        return names;
    }

    /** The names with more than one meaning in a module, and where each is declared. */
    static Stream<String> faults(SourceTree tree) {
        return of(tree).entrySet().stream()
                .flatMap(module -> module.getValue().entrySet().stream()
                        .filter(name -> !isShared(module.getKey(), name.getKey(), name.getValue()))
                        .map(name -> module.getKey() + " uses the name " + name.getKey() + " more than once: "
                                + String.join(", ", name.getValue())));
    }

    private static boolean isShared(String module, String name, List<String> places) {
        Set<String> files = places.stream()
                .map(place -> place.substring(place.lastIndexOf('/') + 1, place.lastIndexOf(".java")))
                .collect(Collectors.toSet());
        return SHARED.stream()
                .anyMatch(
                        each -> each.module.equals(module) && each.name.equals(name) && each.files.containsAll(files));
    }

    private RepeatedNames() {}
}
