package dev.semel.cli;

import dev.semel.SemelException;
import dev.semel.operator.DecisionReplay;
import dev.semel.operator.DecisionReplay.DecisionReport;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi.Style;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@Command(
        name = "replay-decisions",
        header = "Recomputes every retry decision from the audit and names each difference.",
        description = {
            "Read-only. Reads an export, or the store. Every event of a failed attempt holds what its decision rested"
                    + " on: settings of the policy, classification, Retry-After, previous delay, random number.",
            "Does not detect changed events that agree with themselves: that is what 'semel audit verify' is for.",
            "Exits with 1 when a decision is recomputed differently."
        },
        mixinStandardHelpOptions = true)
final class AuditReplayDecisions implements Callable<Integer> {
    private static final int SHOWN = 10;

    @Option(
            names = "--file",
            paramLabel = "FILE",
            description = "Read this export, JSON lines as 'semel audit export' writes them.")
    private @Nullable String file;

    @Option(
            names = "--policies",
            paramLabel = "FILE",
            description = "Decide by the semel.policy settings of this .properties file, and no longer by the settings"
                    + " that the events hold: shows what another configuration would have decided.")
    private @Nullable String policies;

    @Mixin
    private LedgerOption ledger = new LedgerOption();

    @Override
    public Integer call() {
        DecisionReplay replay = policies == null
                ? DecisionReplay.bySettingsOfEvents()
                : DecisionReplay.by(PolicyOption.catalogue(policies));
        if (file != null) {
            readFile(file, replay);
        } else if (ledger.isGiven()) {
            readLedger(replay);
        } else {
            throw new SemelException.Invalid("Neither an export nor a store is given. Use --file, --store or --url.");
        }
        DecisionReport report = replay.report();
        ledger.tell(() -> facts(report), screen -> print(screen, report));
        return (report.allEqual() ? Exit.OK : Exit.CHECK_FAILED).code();
    }

    private static void readFile(String file, DecisionReplay replay) {
        try (BufferedReader lines = Files.newBufferedReader(Path.of(file))) {
            long number = 0;
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                number++;
                if (!line.isBlank()) {
                    replay.read(event(file, number, line));
                }
            }
        } catch (IOException | InvalidPathException e) {
            throw new SemelException.Invalid(
                    "Reading the file " + file + " failed (" + e + "). Use a file of 'semel audit export'.", e);
        }
    }

    private static Map<String, Object> event(String file, long number, String line) {
        try {
            JsonNode parsed = JsonMapper.shared().readTree(line);
            if (parsed.isObject()) {
                Map<String, Object> fields = new LinkedHashMap<>();
                parsed.properties()
                        .forEach(each ->
                                fields.put(each.getKey(), each.getValue().asString("")));
                return fields;
            }
        } catch (JacksonException notJson) {
            // as below
        }
        throw new SemelException.Invalid("Line " + number + " of " + file
                + " is not an event. Use a file of 'semel audit export' in the format JSONL.");
    }

    private void readLedger(DecisionReplay replay) {
        try (OperatedLedger opened = ledger.open()) {
            opened.readLines("/admin/audit/export", CommandInput.none(), replay::read);
        }
    }

    private static Map<String, Object> facts(DecisionReport report) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("decisions", report.decisions());
        facts.put("equal", report.equal());
        facts.put("differing", report.differing());
        facts.put("without_inputs", report.withoutInputs());
        facts.put("differences", report.differences());
        return facts;
    }

    private static void print(Screen screen, DecisionReport report) {
        String kinds = report.equal().entrySet().stream()
                .map(each -> String.format(Locale.ROOT, "%,d %s", each.getValue(), each.getKey()))
                .collect(Collectors.joining(", "));
        String summary = String.format(
                Locale.ROOT, "%,d decisions recomputed, %,d differ", report.decisions(), report.differing());
        screen.line(report.allEqual() ? summary + (kinds.isEmpty() ? "." : ": " + kinds + ".") : summary + ":");
        report.differences().stream()
                .limit(SHOWN)
                .forEach(each -> screen.line(screen.paint(Style.fg_red, "  " + Screen.plain(each.sentence()))));
        if (report.withoutInputs() > 0) {
            screen.line(String.format(
                    Locale.ROOT,
                    "%,d events of earlier versions hold too little to recompute their decision.",
                    report.withoutInputs()));
        }
    }
}
