package dev.semel.policy;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/** Which known names come near a wrong one, for the report of a wrong setting. */
public final class Suggestions {
    private static final int MOST = 3;
    private static final int LONGEST = 120;

    private Suggestions() {}

    /** Such as {@code "; perhaps crm.writeback is meant"}, or all the known names when none is near. */
    public static String sentence(String wrong, Collection<String> known) {
        List<String> near = near(wrong, known);
        return near.isEmpty()
                ? "; the known ones are " + String.join(", ", known)
                : "; perhaps " + String.join(" or ", near) + " is meant";
    }

    public static List<String> near(String wrong, Collection<String> known) {
        if (wrong.isEmpty() || wrong.length() > LONGEST) {
            return List.of();
        }
        return known.stream()
                .filter(name -> related(wrong, name))
                .sorted(Comparator.comparing((String name) -> distance(wrong, name))
                        .thenComparing(Comparator.naturalOrder()))
                .limit(MOST)
                .toList();
    }

    private static boolean related(String wrong, String name) {
        boolean part = wrong.length() >= 3 && (name.contains(wrong) || wrong.contains(name));
        return part || distance(wrong, name) <= Math.max(2, name.length() / 3);
    }

    /** Insertions, deletions and replacements from one to the other, case apart. */
    private static int distance(String from, String to) {
        int[] previous = new int[to.length() + 1];
        for (int j = 0; j <= to.length(); j++) {
            previous[j] = j;
        }
        for (int i = 1; i <= from.length(); i++) {
            int[] current = new int[to.length() + 1];
            current[0] = i;
            for (int j = 1; j <= to.length(); j++) {
                char a = Character.toLowerCase(from.charAt(i - 1));
                char b = Character.toLowerCase(to.charAt(j - 1));
                int replaced = previous[j - 1] + (a == b ? 0 : 1);
                current[j] = Math.min(replaced, 1 + Math.min(previous[j], current[j - 1]));
            }
            previous = current;
        }
        return previous[to.length()];
    }
}
