package dev.semel.policy;

import dev.semel.Failure.Category;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/** One entry of {@code retry-on} or {@code fail-on}: a class name, and a category unless it is {@code unknown}. */
record RuleText(Class<?> type, Category category) {

    static List<RuleText> read(String list) {
        var rules = new ArrayList<RuleText>();
        var faults = new ArrayList<String>();
        for (String entry : list.split(",", -1)) {
            try {
                rules.add(one(entry.strip()));
            } catch (IllegalArgumentException wrong) {
                faults.add(wrong.getMessage());
            }
        }
        if (!faults.isEmpty()) {
            throw new IllegalArgumentException(String.join(", and ", faults));
        }
        return rules;
    }

    private static RuleText one(String entry) {
        String[] words = entry.split("\\s+");
        if (entry.isEmpty() || words.length > 2) {
            throw new IllegalArgumentException(
                    "\"" + entry + "\" is not a class name with a category, such as java.io.IOException network");
        }
        return new RuleText(type(words[0]), words.length == 2 ? category(words[1]) : Category.UNKNOWN);
    }

    private static Class<?> type(String name) {
        ClassLoader loader = Objects.requireNonNullElse(
                Thread.currentThread().getContextClassLoader(), RuleText.class.getClassLoader());
        try {
            return Class.forName(name, false, loader);
        } catch (ClassNotFoundException | LinkageError missing) {
            throw new IllegalArgumentException(
                    "class " + name + " cannot be loaded; check its spelling and the class path", missing);
        }
    }

    private static Category category(String code) {
        return Category.ofCode(code)
                .orElseThrow(() -> new IllegalArgumentException(code + " is not a category"
                        + Suggestions.sentence(
                                code,
                                Arrays.stream(Category.values())
                                        .map(Category::code)
                                        .toList())));
    }
}
