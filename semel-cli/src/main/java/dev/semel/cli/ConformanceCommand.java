package dev.semel.cli;

import dev.semel.http.conformance.Conformance;
import dev.semel.http.conformance.ConformanceReport;
import dev.semel.http.conformance.ConformanceReport.Finding;
import dev.semel.http.conformance.ConformanceReport.RowVerdict;
import dev.semel.http.conformance.Target;
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
        header = "Asks a running service whether it keeps the Idempotency-Key contract.",
        description = {
            "It makes some dozens of real POST requests with real effects: point it at a test system.",
            "What it cannot see with what it was given is \"not observed\", which is no pass: the row says what it needs.",
            "Exits with 1 when a promise was seen broken; with --strict also when one was not observed."
        },
        mixinStandardHelpOptions = true)
final class ConformanceCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private JsonOption json = new JsonOption();

    @Option(names = "--url", required = true, paramLabel = "URL", description = "Answers a POST with a success.")
    private URI url = URI.create("http://localhost");

    @Option(
            names = "--body",
            paramLabel = "JSON",
            defaultValue = "{\"name\":\"{n}\"}",
            description = {
                "What is posted: a JSON object. {n} stands for a text that each request may choose.",
                "By default ${DEFAULT-VALUE}."
            })
    private String body = "";

    @Option(names = "--body-file", paramLabel = "FILE", description = "The same from a file.")
    private @Nullable Path bodyFile;

    @Option(
            names = "--header",
            paramLabel = "NAME=VALUE",
            description = "By which the service knows the caller, such as Authorization=...; may be repeated.")
    private Map<String, String> caller = Map.of();

    @Option(
            names = "--colleague",
            paramLabel = "NAME=VALUE",
            description = "The same for another principal of the caller's tenant.")
    private @Nullable Map<String, String> colleague;

    @Option(names = "--stranger", paramLabel = "NAME=VALUE", description = "The same for somebody of another tenant.")
    private @Nullable Map<String, String> stranger;

    @Option(names = "--sibling", paramLabel = "URL", description = "On the same route, with another value in its path.")
    private @Nullable URI sibling;

    @Option(names = "--other-route", paramLabel = "URL", description = "On another route that takes the same body.")
    private @Nullable URI otherRoute;

    @Option(
            names = "--count",
            paramLabel = "URL",
            description = {
                "Answers a GET with the number of effects, or an array of that length.",
                "Without it nobody can tell whether a repeated request took effect again."
            })
    private @Nullable URI count;

    @Option(
            names = "--largest-request",
            paramLabel = "BYTES",
            defaultValue = "10485760",
            description = "What the service takes. By default ${DEFAULT-VALUE}.")
    private long largestRequest;

    @Option(names = "--strict", description = "Fails also when a promise was not observed.")
    private boolean strict;

    @Option(names = "--ietf", description = "The service follows the IETF profile: 422 for another payload.")
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
            json.print(out, Printed.of(report));
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
            throw new ParameterException(
                    spec.commandLine(), "--body-file names " + file + ", which cannot be read (" + e + ").");
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
            return "this service does not conform.";
        }
        return report.complete()
                ? "every promise was observed and held."
                : "no promise was seen broken; those that were not observed are not shown to hold.";
    }

    private static String shown(Screen screen, RowVerdict verdict) {
        return switch (verdict) {
            case HELD -> screen.paint(Style.fg_green, "held");
            case BROKEN -> screen.paint(Style.fg_red, "BROKEN");
            case NOT_OBSERVED -> screen.paint(Style.fg_yellow, "not observed");
        };
    }

    /** The components are the names in the JSON. */
    record Printed(URI url, boolean conforms, long held, long broken, long not_observed, List<Line> rows) {
        record Line(
                String row,
                String promise,
                String verdict,
                @Nullable String detail) {}

        static Printed of(ConformanceReport report) {
            return new Printed(
                    report.url(),
                    report.conforms(),
                    report.count(RowVerdict.HELD),
                    report.count(RowVerdict.BROKEN),
                    report.count(RowVerdict.NOT_OBSERVED),
                    report.rows().stream()
                            .map(row -> new Line(
                                    row.row(),
                                    row.promise(),
                                    row.verdict().name().toLowerCase(Locale.ROOT),
                                    row.detail()))
                            .toList());
        }
    }
}
