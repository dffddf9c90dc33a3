package dev.semel.cli;

import dev.semel.operator.RetryRates;
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
record RetryRateReport(Duration window, long limit, RetryRates rates) {
    List<RetryRates.RetryRate> above() {
        return rates.above(limit);
    }

    Map<String, Object> facts() {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("window_ms", window.toMillis());
        facts.put("max_per_minute", limit);
        facts.put("rates", rates.rates().stream().map(RetryRateReport::facts).toList());
        facts.put("above", above().stream().map(RetryRateReport::facts).toList());
        return facts;
    }

    void print(Screen screen) {
        if (rates.rates().isEmpty()) {
            screen.line("Nothing was retried in the last " + window.toMinutes() + " min.");
            return;
        }
        Table table = new Table("OPERATION", "CATEGORY", "RETRIES", "MOST PER MINUTE", "IN THE MINUTE OF");
        for (RetryRates.RetryRate rate : rates.rates()) {
            String highest = String.valueOf(rate.highest());
            table.row(
                    rate.operation(),
                    rate.category(),
                    rate.total(),
                    rate.highest() > limit ? screen.paint(Style.fg_red, highest) : highest,
                    Screen.moment(rate.minute().toEpochMilli()));
        }
        table.print(screen);
        if (!above().isEmpty()) {
            String names = above().stream()
                    .map(rate -> rate.operation() + " (" + rate.category() + ", " + rate.highest() + ")")
                    .collect(Collectors.joining(", "));
            screen.line(screen.paint(Style.fg_red, "More than " + limit + " retries per minute: " + names + "."));
        }
    }

    private static Map<String, Object> facts(RetryRates.RetryRate rate) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("operation", rate.operation());
        facts.put("category", rate.category());
        facts.put("retries", rate.total());
        facts.put("most_per_minute", rate.highest());
        facts.put("minute", rate.minute().toString());
        return facts;
    }
}
