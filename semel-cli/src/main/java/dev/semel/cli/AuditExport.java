package dev.semel.cli;

import dev.semel.SemelException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.json.JsonMapper;

@Command(
        name = "export",
        header = "Exports all events, or matching ones, in the order of the seals.",
        description = {
            "Read-only. Events of the last seconds, whose order is not final, are left for the next export.",
            "JSON lines are exact. In CSV a text that a spreadsheet would run as a formula gets a ' prefix.",
            "Exits with 1 when the export failed before its end."
        },
        mixinStandardHelpOptions = true)
final class AuditExport implements Callable<Integer> {
    private static final int CHECKED = 1_000;

    /** The output format. */
    enum Format {
        JSONL,
        CSV
    }

    @Mixin
    private LedgerOption ledger = new LedgerOption();

    @Option(
            names = "--since",
            paramLabel = "MOMENT",
            description = "Only events from this time on: 2026-11-15T08:30:00Z, 2026-11-15, or 1h for an hour before"
                    + " now.")
    private @Nullable String since;

    @Option(names = "--until", paramLabel = "MOMENT", description = "Only events before this time.")
    private @Nullable String until;

    @Mixin
    private EventOption which = new EventOption();

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            defaultValue = "JSONL",
            description = "${COMPLETION-CANDIDATES}; by default ${DEFAULT-VALUE}, which --json means too.")
    private Format format = Format.JSONL;

    @Option(names = "--output", paramLabel = "FILE", description = "Write to this new file instead of standard output.")
    private @Nullable String file;

    @Override
    public Integer call() {
        if (ledger.forPrograms() && format == Format.CSV) {
            throw new SemelException.Invalid("--json and --format csv conflict. Choose one.");
        }
        Instant now = Instant.now();
        Instant from = since == null ? null : TimeArguments.moment(since, now);
        Instant to = until == null ? null : TimeArguments.moment(until, now);
        if (from != null && to != null && !from.isBefore(to)) {
            throw new SemelException.Invalid("--since " + since + " is not before --until " + until + ". Swap them.");
        }
        CommandInput input = which.input().with("since", from).with("until", to);
        try (OperatedLedger opened = ledger.open()) {
            if (file == null) {
                tell(export(opened, ledger.out(), input), "standard output");
            } else {
                try (PrintWriter out = create(file)) {
                    tell(export(opened, out, input), file);
                }
            }
        }
        return Exit.OK.code();
    }

    /** Written to standard error, so that an empty export is not mistaken for a failed one. */
    private void tell(long written, String where) {
        ledger.err()
                .println(String.format(
                        Locale.ROOT,
                        "%,d %s written to %s. Events of the last seconds may follow in the next export.",
                        written,
                        written == 1 ? "event was" : "events were",
                        where));
        ledger.err().flush();
    }

    private static PrintWriter create(String file) {
        try {
            return new PrintWriter(Files.newBufferedWriter(
                    Path.of(file), StandardCharsets.UTF_8, java.nio.file.StandardOpenOption.CREATE_NEW));
        } catch (IOException | InvalidPathException e) {
            throw new SemelException.Invalid(
                    "Creating the file " + file + " failed (" + e + "). Use a new file" + " name.", e);
        }
    }

    private long export(OperatedLedger opened, PrintWriter out, CommandInput input) {
        boolean csv = format == Format.CSV;
        if (csv) {
            out.print(EventCsv.HEADING);
        }
        long[] written = new long[1];
        boolean watched = Terminal.watches() && (file != null || !Terminal.answers());
        try (Progress progress = new Progress(ledger.err(), watched, "event", 0)) {
            opened.readLines("/admin/audit/export", input, event -> {
                out.print(csv ? EventCsv.line(event) : JsonMapper.shared().writeValueAsString(event) + "\n");
                written[0]++;
                if (written[0] % CHECKED == 0) {
                    demandWritten(out);
                    progress.at(written[0]);
                }
            });
        }
        demandWritten(out);
        return written[0];
    }

    /** Also writes what is buffered. */
    private static void demandWritten(PrintWriter out) {
        if (out.checkError()) {
            throw new CheckFailed("The export failed before its end; the output is incomplete. Run it again.");
        }
    }
}
