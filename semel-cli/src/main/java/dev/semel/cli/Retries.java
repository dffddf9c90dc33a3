package dev.semel.cli;

import dev.semel.Failure;
import dev.semel.SemelException;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi.Style;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "retries",
        header = "Reports retries by policy and failure category, from the audit.",
        description = {
            "Read-only. Counts records that failed at least once in the window. The success rate covers records that"
                    + " ended in the window.",
            "With --max-per-minute it reports retries per minute by operation and category instead, with --advise the"
                    + " changes of policies that the retries suggest.",
            "Exits with 1 when a policy is below the required rate or an operation above the limit, for use in an"
                    + " alarm."
        },
        mixinStandardHelpOptions = true)
final class Retries implements Callable<Integer> {
    @Mixin
    private LedgerOption ledger = new LedgerOption();

    @Option(
            names = "--window",
            paramLabel = "SPAN",
            defaultValue = "1h",
            description = "The length of the window: 15m, 1h, 7d; by default ${DEFAULT-VALUE}.")
    private String window = "";

    @Mixin
    private FilterOption filter = new FilterOption();

    @Option(names = "--min-success-rate", paramLabel = "RATE", description = "The required success rate, from 0 to 1.")
    private @Nullable Double least;

    @Option(
            names = "--max-per-minute",
            paramLabel = "N",
            description = "The most retries of an operation in one minute after one category of failures.")
    private @Nullable Long perMinute;

    @Option(
            names = "--category",
            paramLabel = "CATEGORY",
            description = "With --max-per-minute: only retries after failures of this category.")
    private @Nullable String category;

    @Option(names = "--advise", description = "Suggest changes of policies.")
    private boolean advise;

    @Override
    public Integer call() {
        check();
        if (perMinute != null) {
            return rates(perMinute);
        }
        return advise ? advice() : success();
    }

    private void check() {
        if (perMinute != null && perMinute < 0) {
            throw new SemelException.Invalid("--max-per-minute " + perMinute + " is invalid. Use 0 or more.");
        }
        if ((perMinute != null ? 1 : 0) + (advise ? 1 : 0) + (least != null ? 1 : 0) > 1) {
            throw new SemelException.Invalid(
                    "--max-per-minute, --min-success-rate and --advise are three reports. Choose one.");
        }
        if (category != null && perMinute == null) {
            throw new SemelException.Invalid("--category needs --max-per-minute. Add it.");
        }
        if (category != null && Failure.Category.ofCode(category).isEmpty()) {
            throw new SemelException.Invalid("There is no category '" + category + "'. Use one of "
                    + Arrays.stream(Failure.Category.values())
                            .map(Failure.Category::code)
                            .collect(Collectors.joining(", "))
                    + ".");
        }
    }

    private CommandInput input(Duration span) {
        return filter.input().with("window", span.toMillis() + "ms");
    }

    private int rates(long limit) {
        Duration span = TimeArguments.span(window);
        Facts rates;
        try (OperatedLedger opened = ledger.open()) {
            rates = opened.get("/admin/retries/rates", input(span).with("category", category));
        }
        RetryRateReport report = new RetryRateReport(span, limit, rates.list("rates"));
        ledger.tell(report::facts, report::print);
        return (report.above().isEmpty() ? Exit.OK : Exit.CHECK_FAILED).code();
    }

    private int advice() {
        Duration span = TimeArguments.span(window);
        List<Facts> advice;
        try (OperatedLedger opened = ledger.open()) {
            advice = opened.get("/admin/retries/advice", input(span)).list("advice");
        }
        List<Map<String, Object>> facts = advice.stream().map(Facts::members).toList();
        ledger.tell(() -> Map.of("window_ms", span.toMillis(), "advice", facts), screen -> {
            if (advice.isEmpty()) {
                screen.line("The retries of the last " + window + " suggest no change.");
            }
            advice.forEach(each -> screen.line(Screen.plain(each.text("sentence"))));
        });
        return Exit.OK.code();
    }

    private int success() {
        Duration span = TimeArguments.span(window);
        if (least != null && !(least >= 0 && least <= 1)) {
            throw new SemelException.Invalid("Success rate " + least + " is invalid. Use 0 to 1, such as 0.9.");
        }
        List<Facts> lines;
        try (OperatedLedger opened = ledger.open()) {
            lines = opened.get("/admin/retries", input(span)).list("policies");
        }
        List<Facts> alarms = lines.stream()
                .filter(line ->
                        line.text("category").equals("*") && least != null && line.fraction("success_rate") < least)
                .toList();
        ledger.tell(() -> facts(span, lines, alarms), screen -> print(screen, lines, alarms));
        return (alarms.isEmpty() ? Exit.OK : Exit.CHECK_FAILED).code();
    }

    private static Map<String, Object> facts(Duration span, List<Facts> lines, List<Facts> alarms) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("window_ms", span.toMillis());
        facts.put("policies", lines.stream().map(Facts::members).toList());
        facts.put("below", alarms.stream().map(line -> line.text("policy")).toList());
        return facts;
    }

    private void print(Screen screen, List<Facts> lines, List<Facts> alarms) {
        if (lines.isEmpty()) {
            screen.line("Nothing failed in the last " + window + ".");
            return;
        }
        Table table =
                new Table("POLICY", "CATEGORY", "FAILED ATTEMPTS", "SUCCEEDED", "GAVE UP", "SUCCESS RATE", "ATTEMPTS");
        for (Facts line : lines) {
            boolean alarm = alarms.stream().anyMatch(each -> each.text("policy").equals(line.text("policy")));
            table.row(
                    line.text("policy"),
                    line.text("category"),
                    line.number("failed_attempts"),
                    line.number("succeeded"),
                    line.number("gave_up"),
                    alarm ? screen.paint(Style.fg_red, rate(line)) : rate(line),
                    line.number("succeeded") == 0
                            ? ""
                            : String.format(Locale.ROOT, "%.1f", line.fraction("average_attempts")));
        }
        table.print(screen);
        if (!alarms.isEmpty()) {
            String names = alarms.stream().map(line -> line.text("policy")).collect(Collectors.joining(", "));
            screen.line(screen.paint(Style.fg_red, "Below " + least + ": " + names + "."));
        }
    }

    private static String rate(Facts line) {
        return line.number("succeeded") + line.number("gave_up") == 0
                ? "none ended"
                : String.format(Locale.ROOT, "%.1f %%", 100 * line.fraction("success_rate"));
    }
}
