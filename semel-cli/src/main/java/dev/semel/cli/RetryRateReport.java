package dev.semel.cli;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine.Help.Ansi.Style;

/**
 * Retries per minute beside a limit.
 *
 * @param limit the most in one minute
 */
record RetryRateReport(Duration window, long limit, List<Facts> rates) {
    List<Facts> above() {
        return rates.stream().filter(this::isAbove).toList();
    }

    private boolean isAbove(Facts rate) {
        return rate.number("most_per_minute") > limit;
    }

    Map<String, Object> facts() {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("window_ms", window.toMillis());
        facts.put("max_per_minute", limit);
        facts.put("rates", rates.stream().map(Facts::members).toList());
        facts.put("above", above().stream().map(Facts::members).toList());
        return facts;
    }

    void print(Screen screen) {
        if (rates.isEmpty()) {
            screen.line("Nothing was retried in the last " + window.toMinutes() + " min.");
            return;
        }
        Table table = new Table("OPERATION", "CATEGORY", "RETRIES", "MOST PER MINUTE", "IN THE MINUTE OF");
        for (Facts rate : rates) {
            String highest = rate.text("most_per_minute");
            table.row(
                    rate.text("operation"),
                    rate.text("category"),
                    rate.number("retries"),
                    isAbove(rate) ? screen.paint(Style.fg_red, highest) : highest,
                    Screen.moment(rate.time("minute")));
        }
        table.print(screen);
        if (!above().isEmpty()) {
            String names = above().stream()
                    .map(rate -> rate.text("operation") + " (" + rate.text("category") + ", "
                            + rate.text("most_per_minute") + ")")
                    .collect(Collectors.joining(", "));
            screen.line(screen.paint(Style.fg_red, "More than " + limit + " retries per minute: " + names + "."));
        }
    }
}
