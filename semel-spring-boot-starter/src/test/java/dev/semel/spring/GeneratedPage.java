package dev.semel.spring;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A page with parts that are written by code: those between {@code <!-- generated: name -->} and {@code <!-- end -->}. A test compares
 * them; run with {@code -Ddocs=write} it rewrites them instead.
 */
record GeneratedPage(Path file) {
    private static final String BEGIN = "<!-- generated: %s -->";
    private static final String END = "<!-- end -->";

    static boolean isToBeWritten() {
        return System.getProperty("docs", "").equals("write");
    }

    /** The page with this part as it should be. */
    List<String> with(String part, List<String> lines) throws IOException {
        List<String> page = Files.readAllLines(file);
        int begin = page.indexOf(BEGIN.formatted(part));
        int end = begin < 0 ? -1 : begin + page.subList(begin, page.size()).indexOf(END);
        if (end <= begin) {
            throw new AssertionError(file + " has no part " + BEGIN.formatted(part) + " that ends with " + END);
        }
        List<String> whole = new ArrayList<>(page.subList(0, begin + 1));
        whole.addAll(lines);
        whole.addAll(page.subList(end, page.size()));
        return whole;
    }

    /** The rows of a table with its heading. */
    static List<String> table(List<String> heading, Stream<List<String>> rows) {
        List<String> table = new ArrayList<>();
        table.add(row(heading));
        table.add("|" + "---|".repeat(heading.size()));
        rows.map(GeneratedPage::row).forEach(table::add);
        return table;
    }

    private static String row(List<String> cells) {
        StringBuilder row = new StringBuilder("|");
        for (String cell : cells) {
            row.append(cell.isEmpty() ? " |" : " " + cell.replace("|", "\\|") + " |");
        }
        return row.toString();
    }

    static String code(String text) {
        return text.isEmpty() ? "" : "`" + text + "`";
    }
}
