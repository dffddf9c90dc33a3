package dev.semel.tidy;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Pattern;

/** The tables of a page, by the headings above them. */
record PageTables(SourceTree.Text page) {
    private static final Pattern QUOTED = Pattern.compile("`([^`]+)`");

    /** The cells of a line of a table; none when it is not one. */
    static List<String> cells(String line) {
        if (!line.startsWith("| ")) {
            return List.of();
        }
        String inner = line.substring(1, line.length() - 1);
        return Arrays.stream(inner.split("\\|", -1)).map(String::strip).toList();
    }

    /** The rows of so many cells below a heading, down to the next heading, without the heads of tables. */
    List<List<String>> below(String heading, int cells) {
        List<String> lines = page.lines();
        int from = lines.indexOf(heading) + 1;
        if (from == 0) {
            throw new AssertionError(page.path() + " has no heading: " + heading);
        }
        return lines.subList(from, lines.size()).stream()
                .takeWhile(line -> !line.startsWith("#"))
                .map(PageTables::cells)
                .filter(row -> row.size() == cells)
                .toList();
    }

    /** Names in backquotes in the first cells of the rows, each with something of its row. */
    <T> Map<String, T> byName(String heading, int cells, Function<List<String>, T> value) {
        Map<String, T> named = new TreeMap<>();
        below(heading, cells)
                .forEach(row -> quoted(row.get(0))
                        .forEach(name -> named.merge(name, value.apply(row), (one, other) -> {
                            throw new AssertionError(page.path() + " has " + name + " twice below " + heading);
                        })));
        return named;
    }

    static List<String> quoted(String cell) {
        return QUOTED.matcher(cell).results().map(found -> found.group(1)).toList();
    }
}
