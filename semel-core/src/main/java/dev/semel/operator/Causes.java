package dev.semel.operator;

import dev.semel.Failure;
import dev.semel.operator.UnresolvedMessages.CauseGroup;
import dev.semel.store.Row;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Groups failures by their cause: operation, state, category, class of exception, and the text of the message apart from what changes
 * from one message to the next (numbers, quoted values, ids, single words). Not thread-safe.
 */
final class Causes {
    private static final String VARIES = "…";
    private static final Pattern VALUE = Pattern.compile("'[^']*'|\"[^\"]*\"|`[^`]*`|\\S*\\d\\S*");

    /** The number of different texts per exception and operation; further ones are counted together. */
    private static final int MOST_TEXTS = 100;

    private final Map<String, List<Cause>> byException = new LinkedHashMap<>();

    void add(Row row, @Nullable Failure failure) {
        Failure.Category category = failure == null ? Failure.Category.UNKNOWN : failure.category();
        String exception = failure == null || failure.exception() == null ? "" : failure.exception();
        String name = row.header().operation() + '\n' + row.state() + '\n' + category + '\n' + exception;
        List<Cause> causes = byException.computeIfAbsent(name, key -> new ArrayList<>());
        String text = failure == null ? "" : failure.reason();
        String[] words = VALUE.matcher(text).replaceAll(VARIES).split(" ");
        for (Cause cause : causes) {
            if (cause.takes(words, causes.size() == MOST_TEXTS)) {
                cause.count++;
                return;
            }
        }
        causes.add(new Cause(new CauseGroup(row.header().operation(), category, exception, text, 1, row), words));
    }

    /** The most frequent first. */
    List<CauseGroup> groups() {
        return byException.values().stream()
                .flatMap(List::stream)
                .map(Cause::group)
                .sorted(Comparator.comparingLong(CauseGroup::count).reversed())
                .toList();
    }

    private static final class Cause {
        private final CauseGroup first;
        private String[] words;
        private long count = 1;

        Cause(CauseGroup first, String[] words) {
            this.first = first;
            this.words = words;
        }

        /** Texts of the same length that differ in at most a third of their words are of one cause. */
        boolean takes(String[] other, boolean anything) {
            String[] common = words.clone();
            int differing = 0;
            if (other.length == words.length) {
                for (int i = 0; i < words.length; i++) {
                    if (!words[i].equals(other[i])) {
                        common[i] = VARIES;
                        differing++;
                    }
                }
                if (differing <= words.length / 3) {
                    words = common;
                    return true;
                }
            }
            if (anything) {
                words = new String[] {VARIES};
            }
            return anything;
        }

        /** One of a kind is shown with its own text. */
        CauseGroup group() {
            String text = count == 1 ? first.reason() : String.join(" ", words);
            return new CauseGroup(first.operation(), first.category(), first.exception(), text, count, first.sample());
        }
    }
}
