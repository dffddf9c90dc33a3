package dev.semel.cli;

import dev.semel.conformance.Conformance;
import dev.semel.conformance.ConformanceReport;
import dev.semel.conformance.ConformanceReport.Finding;
import dev.semel.conformance.ConformanceReport.RowVerdict;
import dev.semel.conformance.Target;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi.Style;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
        name = "conformance",
        header = "Checks whether a running service keeps the Idempotency-Key contract.",
        description = {
            "Sends some dozens of real POST requests with real effects: use a test system.",
            "A row that cannot be checked with the given options is \"not observed\", which is not a pass; the row says"
                    + " what it needs.",
            "Exits with 1 when a row is broken; with --strict also when a row is not observed."
        },
        mixinStandardHelpOptions = true)
final class ConformanceCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private JsonOption json = new JsonOption();

    @Option(names = "--url", required = true, paramLabel = "URL", description = "The URL that accepts the POST.")
    private URI url = URI.create("http://localhost");

    @Option(
            names = "--body",
            paramLabel = "JSON",
            defaultValue = "{\"name\":\"{n}\"}",
            description = {
                "The request body: a JSON object with {n} in a text value, which differs in each request.",
                "By default ${DEFAULT-VALUE}."
            })
    private String body = "";

    @Option(names = "--body-file", paramLabel = "FILE", description = "A file with the request body.")
    private @Nullable Path bodyFile;

    @Option(
            names = "--header",
            paramLabel = "NAME=VALUE",
            description = "A header that authenticates the caller, such as Authorization=...; may be repeated.")
    private Map<String, String> caller = Map.of();

    @Option(
            names = "--colleague",
            paramLabel = "NAME=VALUE",
            description = "A header that authenticates another principal of the same tenant.")
    private @Nullable Map<String, String> colleague;

    @Option(
            names = "--stranger",
            paramLabel = "NAME=VALUE",
            description = "A header that authenticates a principal of" + " another tenant.")
    private @Nullable Map<String, String> stranger;

    @Option(
            names = "--sibling",
            paramLabel = "URL",
            description = "A URL on the same route with another value in its" + " path.")
    private @Nullable URI sibling;

    @Option(
            names = "--other-route",
            paramLabel = "URL",
            description = "A URL on another route that accepts the same" + " body.")
    private @Nullable URI otherRoute;

    @Option(
            names = "--count",
            paramLabel = "URL",
            description = {
                "A URL whose GET returns the number of effects, or an array of that length.",
                "Without it the effects of retried requests cannot be checked."
            })
    private @Nullable URI count;

    @Option(
            names = "--largest-request",
            paramLabel = "BYTES",
            defaultValue = "10485760",
            description = "The largest request body of the service. By default ${DEFAULT-VALUE}.")
    private long largestRequest;

    @Option(names = "--strict", description = "Also exit with 1 when a row is not observed.")
    private boolean strict;

    @Option(names = "--ietf", description = "The service follows the IETF profile: 422 for a reused key.")
    private boolean ietf;

    @Override
    public Integer call() {
        Target target = new Target(
                url,
                bodyFile == null ? body : read(bodyFile),
                new Target.Callers(caller, colleague, stranger),
                new Target.Places(sibling, otherRoute, count),
                new Target.ServiceLimits(largestRequest, ietf ? 422 : 409, Target.ServiceLimits.DEFAULT.crowd()));
        PrintWriter out = spec.commandLine().getOut();
        ConformanceReport report = watched(new Conformance(target));
        if (json.chosen()) {
            json.print(out, JsonReport.of(report));
        } else {
            print(report);
        }
        boolean passed = strict ? report.complete() : report.conforms();
        return (passed ? Exit.OK : Exit.CHECK_FAILED).code();
    }

    private ConformanceReport watched(Conformance suite) {
        PrintWriter err = spec.commandLine().getErr();
        try (Progress progress = new Progress(err, Terminal.watches(), "row", Conformance.size())) {
            AtomicInteger asked = new AtomicInteger();
            return suite.run(row -> progress.at(asked.incrementAndGet()));
        }
    }

    private String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new ParameterException(spec.commandLine(), "Reading --body-file " + file + " failed (" + e + ").");
        }
    }

    private void print(ConformanceReport report) {
        Screen screen = Screen.of(spec);
        Table table = new Table("", "ROW", "PROMISE");
        for (Finding row : report.rows()) {
            table.row(shown(screen, row.verdict()), row.row(), row.promise());
            if (row.detail() != null) {
                table.row("", "", "-> " + Screen.plain(row.detail()));
            }
        }
        table.print(screen);
        screen.line("");
        screen.line(report.count(RowVerdict.HELD) + " held, " + report.count(RowVerdict.BROKEN) + " broken, "
                + report.count(RowVerdict.NOT_OBSERVED) + " not observed: " + conclusion(report));
    }

    private static String conclusion(ConformanceReport report) {
        if (!report.conforms()) {
            return "the service does not conform.";
        }
        return report.complete()
                ? "all rows were observed and held."
                : "no row is broken, but rows that were not observed are unproven.";
    }

    private static String shown(Screen screen, RowVerdict verdict) {
        return switch (verdict) {
            case HELD -> screen.paint(Style.fg_green, "held");
            case BROKEN -> screen.paint(Style.fg_red, "BROKEN");
            case NOT_OBSERVED -> screen.paint(Style.fg_yellow, "not observed");
        };
    }

    /** The components are the names in the JSON. */
    record JsonReport(URI url, boolean conforms, long held, long broken, long not_observed, List<JsonRow> rows) {
        record JsonRow(
                String row,
                String promise,
                String verdict,
                @Nullable String detail) {}

        static JsonReport of(ConformanceReport report) {
            return new JsonReport(
                    report.url(),
                    report.conforms(),
                    report.count(RowVerdict.HELD),
                    report.count(RowVerdict.BROKEN),
                    report.count(RowVerdict.NOT_OBSERVED),
                    report.rows().stream()
                            .map(row -> new JsonRow(
                                    row.row(),
                                    row.promise(),
                                    row.verdict().name().toLowerCase(Locale.ROOT),
                                    row.detail()))
                            .toList());
        }
    }
}
