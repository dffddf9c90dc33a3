package dev.semel.cli;

import dev.semel.Failure;
import dev.semel.SemelException;
import dev.semel.operator.Operator;
import dev.semel.operator.RetryAdvice;
import dev.semel.operator.RetryRates;
import dev.semel.operator.RetryReport;
import dev.semel.store.Store;
import java.time.Duration;
import java.time.Instant;
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

    private int rates(long limit) {
        Duration span = TimeArguments.span(window);
        RetryRates rates;
        try (Store opened = ledger.open()) {
            rates = Operator.on(opened)
                    .retryRates(filter.events(null), Instant.now().minus(span), category);
        }
        RetryRateReport report = new RetryRateReport(span, limit, rates);
        ledger.tell(report::facts, report::print);
        return (report.above().isEmpty() ? Exit.OK : Exit.CHECK_FAILED).code();
    }

    private int advice() {
        Duration span = TimeArguments.span(window);
        List<RetryAdvice> advice;
        try (Store opened = ledger.open()) {
            advice = Operator.on(opened)
                    .retryAdvice(filter.events(null), Instant.now().minus(span));
        }
        ledger.tell(() -> Map.of("window_ms", span.toMillis(), "advice", advice), screen -> {
            if (advice.isEmpty()) {
                screen.line("The retries of the last " + window + " suggest no change.");
            }
            advice.forEach(each -> screen.line(each.sentence()));
        });
        return Exit.OK.code();
    }

    private int success() {
        Duration span = TimeArguments.span(window);
        if (least != null && !(least >= 0 && least <= 1)) {
            throw new SemelException.Invalid("Success rate " + least + " is invalid. Use 0 to 1, such as 0.9.");
        }
        RetryReport report;
        try (Store opened = ledger.open()) {
            report = Operator.on(opened)
                    .retries(filter.events(null), Instant.now().minus(span));
        }
        List<RetryReport.PolicyRetries> alarms = report.policies().stream()
                .filter(line -> line.category().equals("*") && least != null && line.successRate() < least)
                .toList();
        ledger.tell(() -> facts(span, report, alarms), screen -> print(screen, report, alarms));
        return (alarms.isEmpty() ? Exit.OK : Exit.CHECK_FAILED).code();
    }

    private static Map<String, Object> facts(
            Duration span, RetryReport report, List<RetryReport.PolicyRetries> alarms) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("window_ms", span.toMillis());
        facts.put("policies", report.policies().stream().map(Retries::facts).toList());
        facts.put(
                "below", alarms.stream().map(RetryReport.PolicyRetries::policy).toList());
        return facts;
    }

    private void print(Screen screen, RetryReport report, List<RetryReport.PolicyRetries> alarms) {
        if (report.policies().isEmpty()) {
            screen.line("Nothing failed in the last " + window + ".");
            return;
        }
        Table table =
                new Table("POLICY", "CATEGORY", "FAILED ATTEMPTS", "SUCCEEDED", "GAVE UP", "SUCCESS RATE", "ATTEMPTS");
        for (RetryReport.PolicyRetries line : report.policies()) {
            boolean alarm = alarms.stream().anyMatch(each -> each.policy().equals(line.policy()));
            table.row(
                    line.policy(),
                    line.category(),
                    line.attempts(),
                    line.succeeded(),
                    line.gaveUp(),
                    alarm ? screen.paint(Style.fg_red, rate(line)) : rate(line),
                    line.succeeded() == 0 ? "" : String.format(Locale.ROOT, "%.1f", line.averageAttempts()));
        }
        table.print(screen);
        if (!alarms.isEmpty()) {
            String names =
                    alarms.stream().map(RetryReport.PolicyRetries::policy).collect(Collectors.joining(", "));
            screen.line(screen.paint(Style.fg_red, "Below " + least + ": " + names + "."));
        }
    }

    private static String rate(RetryReport.PolicyRetries line) {
        return line.succeeded() + line.gaveUp() == 0
                ? "none ended"
                : String.format(Locale.ROOT, "%.1f %%", 100 * line.successRate());
    }

    private static Map<String, Object> facts(RetryReport.PolicyRetries line) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("policy", line.policy());
        facts.put("category", line.category());
        facts.put("failed_attempts", line.attempts());
        facts.put("succeeded", line.succeeded());
        facts.put("gave_up", line.gaveUp());
        facts.put("success_rate", line.successRate());
        facts.put("average_attempts", line.averageAttempts());
        return facts;
    }
}
