package dev.semel.spring;

import java.util.ArrayList;
import java.util.List;

/** The routes of the application with their rules, as the start found them: for the log and for the Actuator endpoint. */
final class RouteLines {
    private volatile List<RouteLine> lines = List.of();

    /**
     * A route.
     *
     * @param route method and path
     * @param level span, marker or plain; - where the key is off
     * @param key required, optional or off
     * @param setBy what made the rule: annotation and properties, or default
     */
    record RouteLine(String route, String level, String key, boolean logOnly, String policy, String setBy) {}

    void set(List<RouteLine> found) {
        lines = List.copyOf(found);
    }

    List<RouteLine> all() {
        return lines;
    }

    /** As an aligned table with a heading. */
    String table() {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("ROUTE", "LEVEL", "KEY", "POLICY", "SET BY"));
        lines.forEach(line -> rows.add(List.of(
                line.route, line.level, line.key + (line.logOnly ? ", log-only" : ""), line.policy, line.setBy)));
        StringBuilder table = new StringBuilder();
        for (List<String> row : rows) {
            StringBuilder text = new StringBuilder("\n ");
            for (int column = 0; column < row.size(); column++) {
                int at = column;
                int width = rows.stream()
                        .mapToInt(each -> each.get(at).length())
                        .max()
                        .orElse(0);
                String cell = row.get(column);
                text.append(' ').append(cell).append(" ".repeat(width - cell.length() + 1));
            }
            table.append(text.toString().stripTrailing());
        }
        return table.toString();
    }
}
