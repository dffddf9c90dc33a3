package dev.semel.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Rows in aligned columns under a heading; the last column has no fixed width. */
final class Table {
    private static final Pattern COLOUR = Pattern.compile("\u001b\\[[0-9;]*m");

    private final List<List<String>> rows = new ArrayList<>();

    Table(String... heading) {
        rows.add(List.of(heading));
    }

    void row(Object... cells) {
        List<String> row = new ArrayList<>();
        for (Object cell : cells) {
            row.add(String.valueOf(cell));
        }
        rows.add(row);
    }

    void print(Screen screen) {
        int columns = rows.get(0).size();
        int[] widths = new int[columns];
        for (List<String> row : rows) {
            for (int i = 0; i < columns; i++) {
                widths[i] = Math.max(widths[i], width(row.get(i)));
            }
        }
        for (int r = 0; r < rows.size(); r++) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < columns; i++) {
                String cell = rows.get(r).get(i);
                line.append(r == 0 ? screen.bold(cell) : cell);
                line.append(" ".repeat(i == columns - 1 ? 0 : widths[i] - width(cell) + 2));
            }
            screen.line(line.toString().stripTrailing());
        }
    }

    private static int width(String cell) {
        String visible = COLOUR.matcher(cell).replaceAll("");
        return visible.codePointCount(0, visible.length());
    }
}
