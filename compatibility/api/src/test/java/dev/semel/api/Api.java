package dev.semel.api;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** The types of an API by name, each with what its declaration says and its members. As text: members are indented. */
final class Api {
    private static final String INDENT = "    ";

    record Type(String header, Set<String> members) {
        boolean isSealedOrFinal() {
            return header.matches(".*\\b(sealed|final|record|enum)\\b.*") && !header.contains("non-sealed");
        }
    }

    private final Map<String, Type> types = new TreeMap<>();

    void add(String name, String header, Set<String> members) {
        types.put(name, new Type(header, new TreeSet<>(members)));
    }

    Map<String, Type> types() {
        return types;
    }

    static Api parse(List<String> lines) {
        Api api = new Api();
        Set<String> members = new TreeSet<>();
        for (String line : lines) {
            if (line.startsWith(INDENT)) {
                members.add(line.strip());
            } else if (!line.isBlank() && !line.startsWith("#")) {
                members = new TreeSet<>();
                api.types.put(name(line), new Type(line, members));
            }
        }
        return api;
    }

    /** The name in a header such as {@code public sealed interface dev.semel.Answer<R> permits ...}. */
    private static String name(String header) {
        String[] words = header.split(" ");
        int kind = 0;
        while (!Set.of("class", "interface", "@interface", "enum", "record").contains(words[kind])) {
            kind++;
        }
        return words[kind + 1].replaceFirst("<.*", "");
    }

    List<String> lines() {
        List<String> lines = new ArrayList<>();
        types.values().forEach(type -> {
            lines.add("");
            lines.add(type.header());
            type.members().forEach(member -> lines.add(INDENT + member));
        });
        return lines;
    }
}
