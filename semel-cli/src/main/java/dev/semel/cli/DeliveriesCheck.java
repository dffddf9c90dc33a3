package dev.semel.cli;

import dev.semel.SemelException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi.Style;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "check",
        header = "Finds deliveries of another system that never arrived in the ledger.",
        description = {
            "Read-only. Each line of the file is a JSON object with tenant, channel and key, and payload to detect"
                    + " different content. A purged message counts as missing.",
            "Exits with 1 when a message is missing or conflicts."
        },
        mixinStandardHelpOptions = true)
final class DeliveriesCheck implements Callable<Integer> {
    @Mixin
    private LedgerOption ledger = new LedgerOption();

    @Option(
            names = "--file",
            required = true,
            paramLabel = "FILE",
            description = "The deliveries as JSON lines; - for standard input.")
    private String file = "";

    @Override
    public Integer call() {
        Facts report;
        try (OperatedLedger opened = ledger.open();
                Progress progress = new Progress(ledger.err(), Terminal.watches(), "delivered message", 0);
                BufferedReader reader = open()) {
            AtomicLong read = new AtomicLong();
            report = opened.sendLines(
                    "/admin/deliveries/check", reader.lines().peek(line -> progress.at(read.incrementAndGet())));
        } catch (SemelException.Invalid e) {
            throw new SemelException.Invalid(
                    String.valueOf(e.getMessage())
                            .replaceFirst("^Line (\\d+) is", "Line $1 of " + Matcher.quoteReplacement(file) + " is"),
                    e);
        } catch (IOException | UncheckedIOException | InvalidPathException e) {
            throw new SemelException.Invalid(
                    "Reading the file " + file + " failed (" + e + "). Use a readable file.", e);
        }
        ledger.tell(report::members, screen -> print(screen, report));
        boolean clean = report.number("missing") + report.number("conflicting") == 0;
        return (clean ? Exit.OK : Exit.CHECK_FAILED).code();
    }

    private BufferedReader open() throws IOException {
        return file.equals("-")
                ? new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))
                : Files.newBufferedReader(Path.of(file));
    }

    private static void print(Screen screen, Facts report) {
        screen.fact("seen", report.text("seen"));
        screen.fact("found", report.text("there"));
        screen.fact("missing", coloured(screen, report.number("missing")));
        screen.fact("conflicting", coloured(screen, report.number("conflicting")));
        List<Facts> findings = report.list("findings");
        if (!findings.isEmpty()) {
            Table table = new Table("FAULT", "CHANNEL", "TENANT", "KEY", "RECORD");
            findings.forEach(finding -> table.row(
                    finding.text("fault"),
                    finding.text("channel"),
                    finding.text("tenant"),
                    Screen.plain(finding.text("key")),
                    RecordFacts.prefix(finding.text("record"))));
            table.print(screen);
        }
        if (findings.size() < report.number("missing") + report.number("conflicting")) {
            screen.line("... and more.");
        }
    }

    private static String coloured(Screen screen, long count) {
        return count == 0 ? "0" : screen.paint(Style.fg_red, String.valueOf(count));
    }
}
