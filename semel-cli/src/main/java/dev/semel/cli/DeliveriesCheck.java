package dev.semel.cli;

import dev.semel.DeliverySource.Delivery;
import dev.semel.DeliverySource.Finding;
import dev.semel.DeliverySource.Report;
import dev.semel.Key;
import dev.semel.Operation;
import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.operator.DeliveryCheck;
import dev.semel.operator.Operator;
import dev.semel.store.Store;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi.Style;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

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
    private static final int PAGE = 500;

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
        Report report;
        try (Store opened = ledger.open();
                Progress progress = new Progress(ledger.err(), Terminal.watches(), "delivered message", 0)) {
            report = check(Operator.on(opened).deliveries(), progress);
        }
        ledger.tell(() -> facts(report), screen -> print(screen, report));
        return (report.clean() ? Exit.OK : Exit.CHECK_FAILED).code();
    }

    private Report check(DeliveryCheck check, Progress progress) {
        Report report = Report.EMPTY;
        List<Delivery> page = new ArrayList<>();
        int number = 0;
        try (BufferedReader reader = open()) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                number++;
                if (!line.isBlank()) {
                    page.add(delivery(line, number));
                }
                if (page.size() == PAGE) {
                    report = check.add(report, page);
                    page.clear();
                    progress.at(report.seen());
                }
            }
        } catch (IOException | InvalidPathException e) {
            throw new SemelException.Invalid(
                    "Reading the file " + file + " failed (" + e + "). Use a readable file.", e);
        }
        return check.add(report, page);
    }

    private BufferedReader open() throws IOException {
        return file.equals("-")
                ? new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))
                : Files.newBufferedReader(Path.of(file));
    }

    private Delivery delivery(String line, int number) {
        try {
            JsonNode node = JsonMapper.shared().readTree(line);
            JsonNode payload = node.get("payload");
            return new Delivery(
                    Tenant.of(text(node, "tenant")),
                    Operation.leased(text(node, "channel"), Object.class, Object.class)
                            .name(),
                    Key.of(text(node, "key")),
                    payload == null ? null : JsonMapper.shared().writeValueAsBytes(payload));
        } catch (JacksonException | SemelException.Invalid e) {
            throw new SemelException.Invalid(
                    "Line " + number + " of " + file + " is invalid: "
                            + (e instanceof JacksonException j
                                    ? "it is not JSON (" + j.getOriginalMessage() + ")"
                                    : e.getMessage())
                            + " Use {\"tenant\":...,\"channel\":...,\"key\":...} in each line.",
                    e);
        }
    }

    private static String text(JsonNode node, String name) {
        JsonNode value = node.get(name);
        if (value == null || !value.isString()) {
            throw new SemelException.Invalid("\"" + name + "\" is missing or is not a text.");
        }
        return value.stringValue();
    }

    private static void print(Screen screen, Report report) {
        screen.fact("seen", String.valueOf(report.seen()));
        screen.fact("found", String.valueOf(report.there()));
        screen.fact("missing", coloured(screen, report.missing()));
        screen.fact("conflicting", coloured(screen, report.conflicting()));
        if (!report.findings().isEmpty()) {
            Table table = new Table("FAULT", "CHANNEL", "TENANT", "KEY", "RECORD");
            report.findings()
                    .forEach(finding -> table.row(
                            finding.fault(),
                            finding.channel(),
                            finding.tenant(),
                            Screen.plain(finding.key()),
                            finding.record().substring(0, 12)));
            table.print(screen);
        }
        if (report.findings().size() < report.missing() + report.conflicting()) {
            screen.line("... and more.");
        }
    }

    private static String coloured(Screen screen, long count) {
        return count == 0 ? "0" : screen.paint(Style.fg_red, String.valueOf(count));
    }

    private static Map<String, Object> facts(Report report) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("seen", report.seen());
        facts.put("there", report.there());
        facts.put("missing", report.missing());
        facts.put("conflicting", report.conflicting());
        facts.put(
                "findings",
                report.findings().stream().map(DeliveriesCheck::facts).toList());
        return facts;
    }

    private static Map<String, Object> facts(Finding finding) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("fault", finding.fault().name());
        facts.put("channel", finding.channel());
        facts.put("tenant", finding.tenant());
        facts.put("key", finding.key());
        facts.put("record", finding.record());
        return facts;
    }
}
