package dev.semel.tidy;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Java in a page is a region of a compiled file. Before the block stands {@code <!-- snippet: path#region -->}; in the file
 * the region lies between {@code // region name} and {@code // endregion}. Or it is a whole file that a test takes from the page,
 * compiles and runs: {@code <!-- file: Name.java, run by path -->}, where the test names the page and the file.
 */
record Snippets(SourceTree tree) {
    private static final Pattern MARK = Pattern.compile("<!-- snippet: (\\S+)#(\\S+) -->");
    private static final Pattern WHOLE = Pattern.compile("<!-- file: (\\S+), run by (\\S+) -->");
    private static final String JAVA = "```java";
    private static final String FENCE = "```";

    List<String> faults() {
        List<String> faults = new ArrayList<>();
        tree.where(SourceTree.Text::isPage).forEach(page -> check(page, faults));
        return faults;
    }

    private void check(SourceTree.Text page, List<String> faults) {
        List<String> lines = page.lines();
        for (int i = 0; i < lines.size(); i++) {
            String at = page.path() + ":" + (i + 1);
            Matcher mark = MARK.matcher(lines.get(i).strip());
            Matcher whole = WHOLE.matcher(lines.get(i).strip());
            boolean block = i + 1 < lines.size() && lines.get(i + 1).strip().equals(JAVA);
            if ((mark.matches() || whole.matches()) && !block) {
                faults.add(at + " names a snippet, and no " + JAVA + " follows");
            } else if (whole.matches()) {
                checkRun(at, page.path(), whole.group(1), whole.group(2), faults);
            } else if (!mark.matches() && block) {
                faults.add(page.path() + ":" + (i + 2) + " shows Java that is not a snippet of a compiled file");
            } else if (mark.matches()) {
                compare(at, mark.group(1), mark.group(2), block(lines, i + 2), faults);
            }
        }
    }

    private void compare(String at, String path, String region, List<String> shown, List<String> faults) {
        Optional<List<String>> compiled = tree.file(path).flatMap(file -> region(file, region));
        if (compiled.isEmpty()) {
            faults.add(at + " names " + path + "#" + region + ", which does not exist");
        } else if (!compiled.get().equals(shown)) {
            faults.add(at + " differs from " + path + "#" + region);
        }
    }

    private void checkRun(String at, String page, String file, String test, List<String> faults) {
        String content = tree.file(test).map(SourceTree.Text::content).orElse("");
        if (!content.contains(page + "\"") || !content.contains("\"" + file + "\"")) {
            faults.add(at + " says that " + test + " runs " + file + ", which does not name both");
        }
    }

    private static List<String> block(List<String> lines, int from) {
        int to = from;
        while (to < lines.size() && !lines.get(to).strip().equals(FENCE)) {
            to++;
        }
        return lines.subList(from, to);
    }

    private static Optional<List<String>> region(SourceTree.Text file, String name) {
        List<String> lines = file.lines();
        for (int from = 0; from < lines.size(); from++) {
            if (lines.get(from).strip().equals("// region " + name)) {
                int to = from + 1;
                while (to < lines.size() && !lines.get(to).strip().equals("// endregion")) {
                    to++;
                }
                String block = String.join("\n", lines.subList(from + 1, to));
                return Optional.of(block.stripIndent().lines().toList());
            }
        }
        return Optional.empty();
    }
}
