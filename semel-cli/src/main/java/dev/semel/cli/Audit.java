package dev.semel.cli;

import dev.semel.SemelException;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
        name = "audit",
        description = "Reads, exports and verifies the audit.",
        subcommands = {AuditTail.class, AuditExport.class, AuditReplayDecisions.class},
        mixinStandardHelpOptions = true)
final class Audit implements Runnable {
    private static final Pattern ANCHOR = Pattern.compile("[1-9][0-9]{0,17}:[0-9a-f]{64}");
    private static final int MOST_COUNTED = 10_000;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(), "Missing subcommand: use tail, export, verify or replay-decisions.");
    }

    @Command(
            name = "verify",
            header = "Checks that no event of the audit was changed, removed or inserted.",
            description = {
                "Read-only. Events that are not sealed yet are not covered; a running application seals every few"
                        + " seconds.",
                "A removed end of the chain is detected only with an anchor that was stored elsewhere.",
                "Exits with 1 when the audit is damaged."
            },
            mixinStandardHelpOptions = true)
    int verify(
            @Mixin LedgerOption ledger,
            @Option(
                            names = "--anchor",
                            paramLabel = "N:HASH",
                            description = "The anchor that an earlier run printed. Fails if it is no longer in the"
                                    + " chain.")
                    @Nullable
                    String anchor) {
        String known = anchor == null ? null : anchor.toLowerCase(Locale.ROOT);
        if (known != null && !ANCHOR.matcher(known).matches()) {
            throw new SemelException.Invalid("The anchor '" + anchor + "' is invalid: it must be a number, a colon and"
                    + " 64 hexadecimal digits. Use the anchor that 'semel audit verify' printed.");
        }
        Facts report;
        try (OperatedLedger opened = ledger.open()) {
            report = opened.get("/admin/audit/verify", CommandInput.of("anchor", known));
        }
        ledger.tell(() -> facts(report), screen -> print(screen.out(), screen.ansi(), report));
        return (report.flag("intact") ? Exit.OK : Exit.CHECK_FAILED).code();
    }

    private static Map<String, Object> facts(Facts report) {
        Map<String, Object> facts = new LinkedHashMap<>();
        for (String name : List.of("store", "intact", "seals", "events", "damage", "anchor", "unsealed")) {
            facts.put(name, report.members().get(name));
        }
        return facts;
    }

    private static void print(PrintWriter out, Ansi ansi, Facts report) {
        boolean intact = report.flag("intact");
        String row = "%-9s %s%n";
        out.printf(Locale.ROOT, row, "store", report.text("store"));
        String damage = report.object("damage").text("sentence");
        out.printf(
                Locale.ROOT,
                row,
                "audit",
                ansi.new Text(intact ? "@|green intact|@" : "@|red damaged|@") + (intact ? "" : ": " + damage));
        out.printf(
                Locale.ROOT,
                row,
                "seals",
                (intact ? "" : "intact up to ") + String.format(Locale.ROOT, "%,d", report.number("seals")));
        long unsealed = report.number("unsealed");
        out.printf(
                Locale.ROOT,
                row,
                "events",
                String.format(Locale.ROOT, "%,d sealed, %,d", report.number("events"), unsealed)
                        + (unsealed < MOST_COUNTED ? "" : " or more") + " not sealed yet");
        if (intact && report.has("anchor")) {
            out.printf(Locale.ROOT, row, "anchor", report.text("anchor"));
            out.printf(
                    Locale.ROOT,
                    row,
                    "",
                    "Store the anchor elsewhere: 'semel audit verify --anchor' then detects a removed end of the"
                            + " chain.");
        }
    }
}
