package dev.semel.tidy;

import dev.semel.tidy.SourceTree.Text;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The catalogue of scenarios, compared with the names of the test methods: {@code a7_...} shows scenario A7. */
record ScenarioPage(SourceTree tree) {
    static final String PATH = "docs/scenarios.md";
    static final String WITHOUT_A_TEST = "## Without a test";

    private static final Pattern CODE_OF_A_TEST = Pattern.compile("\\G([a-z]\\d{1,2})_");
    private static final Pattern CODES = Pattern.compile("[A-Z]\\d{1,2}(, [A-Z]\\d{1,2})*");

    /** A code on the page. */
    private record Row(int line, boolean reserved, List<String> cells) {
        List<String> classes() {
            return PageTables.quoted(cells.get(cells.size() - 1));
        }
    }

    List<String> faults() {
        Text page = tree.file(PATH).orElse(null);
        if (page == null) {
            return List.of(PATH + " is missing");
        }
        List<String> faults = new ArrayList<>();
        Map<String, SortedSet<String>> tested = tested();
        Map<String, Row> rows = rows(page, faults);
        rows.forEach((code, row) -> check(code, row, tested.get(code), faults));
        tested.forEach((code, classes) -> {
            if (!rows.containsKey(code)) {
                faults.add(classes + " has tests named " + prefix(code) + "..., but " + PATH + " has no row for " + code
                        + ": add what goes wrong, what is promised, and the class");
            }
        });
        return faults;
    }

    /** The classes that have tests of each code. The test kit's suites are among them: they are in its main code. */
    Map<String, SortedSet<String>> tested() {
        Map<String, SortedSet<String>> tested = new TreeMap<>();
        JavaShape.all(tree)
                .forEach((file, shape) -> shape.methods().forEach(method -> {
                    String name = method.name().substring(method.name().lastIndexOf('.') + 1);
                    CODE_OF_A_TEST
                            .matcher(name)
                            .results()
                            .forEach(found -> tested.computeIfAbsent(
                                            found.group(1).toUpperCase(Locale.ROOT), code -> new TreeSet<>())
                                    .add(file.name().replace(".java", "")));
                }));
        return tested;
    }

    private static Map<String, Row> rows(Text page, List<String> faults) {
        Map<String, Row> rows = new LinkedHashMap<>();
        boolean reserved = false;
        for (int i = 0; i < page.lines().size(); i++) {
            String line = page.lines().get(i);
            reserved = line.startsWith("## ") ? line.equals(WITHOUT_A_TEST) : reserved;
            List<String> cells = PageTables.cells(line);
            if (cells.isEmpty() || !CODES.matcher(cells.get(0)).matches()) {
                continue;
            }
            Row row = new Row(i + 1, reserved, cells);
            if (cells.size() != (reserved ? 3 : 4) || cells.contains("")) {
                faults.add(at(row) + " has a row with empty or missing cells: " + line);
                continue;
            }
            for (String code : cells.get(0).split(", ")) {
                if (rows.put(code, row) != null) {
                    faults.add(at(row) + " has " + code + " a second time");
                }
            }
        }
        return rows;
    }

    private void check(String code, Row row, @Nullable Set<String> tested, List<String> faults) {
        if (row.reserved) {
            if (tested != null) {
                faults.add(at(row) + " lists " + code + " without a test, but " + tested + " has tests named "
                        + prefix(code) + "...: move it to its group");
            }
        } else if (tested == null) {
            faults.add(at(row) + " has " + code + ", but no test is named " + prefix(code)
                    + "...: name one so, or move the code to \"Without a test\" with the reason");
        } else if (row.classes().isEmpty()) {
            faults.add(at(row) + " names no test class for " + code + "; these have its tests: " + tested);
        } else {
            row.classes().stream()
                    .filter(name -> !tested.contains(name))
                    .forEach(name -> faults.add(at(row) + " names " + name + " for " + code + ", which "
                            + (exists(name) ? "has no test named " + prefix(code) + "..." : "does not exist")
                            + "; these have: " + tested));
        }
    }

    private boolean exists(String name) {
        return tree.where(file -> file.name().equals(name + ".java")).findAny().isPresent();
    }

    private static String prefix(String code) {
        return code.toLowerCase(Locale.ROOT) + "_";
    }

    private static String at(Row row) {
        return PATH + ":" + row.line;
    }

    /** Test classes that a page names and that do not exist. */
    List<String> missingClasses(String path) {
        Pattern named = Pattern.compile("`([A-Z]\\w*(?:Test|Suite|Contract))`");
        return tree.file(path).stream()
                .flatMap(page -> named.matcher(page.content()).results())
                .map(found -> found.group(1))
                .filter(name -> !exists(name))
                .map(name -> path + " names " + name + ", which does not exist")
                .distinct()
                .toList();
    }
}
