package dev.semel.cli;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.semel.SemelException;
import dev.semel.audit.Verification;
import dev.semel.store.AuditRow;
import dev.semel.store.Seal;
import dev.semel.store.Store;
import java.io.PrintWriter;
import java.util.Locale;
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
        AuditResult verdict;
        try (Store opened = ledger.open()) {
            Verification.VerificationReport report = new Verification(opened.audit()).verify(known);
            verdict = new AuditResult(opened.name(), report.intact(), report, unsealed(opened));
        }
        ledger.tell(() -> verdict, screen -> verdict.print(screen.out(), screen.ansi()));
        return (verdict.intact() ? Exit.OK : Exit.CHECK_FAILED).code();
    }

    private static int unsealed(Store store) {
        AuditRow.Position sealed = store.audit().newestSeal().map(Seal::upTo).orElse(AuditRow.Position.START);
        return store.audit().behindHorizon(sealed, MOST_COUNTED).size();
    }

    /** The result; its components are the names in the JSON. */
    record AuditResult(
            String store, boolean intact, @JsonUnwrapped Verification.VerificationReport report, int unsealed) {
        void print(PrintWriter out, Ansi ansi) {
            String row = "%-9s %s%n";
            out.printf(Locale.ROOT, row, "store", store);
            String damage = report.damage().map(Verification.Damage::sentence).orElse("");
            out.printf(
                    Locale.ROOT,
                    row,
                    "audit",
                    ansi.new Text(intact ? "@|green intact|@" : "@|red damaged|@") + (intact ? "" : ": " + damage));
            out.printf(
                    Locale.ROOT,
                    row,
                    "seals",
                    (intact ? "" : "intact up to ") + String.format(Locale.ROOT, "%,d", report.seals()));
            out.printf(
                    Locale.ROOT,
                    row,
                    "events",
                    String.format(Locale.ROOT, "%,d sealed, ", report.events()) + waiting());
            report.anchor().filter(anchor -> intact).ifPresent(anchor -> {
                out.printf(Locale.ROOT, row, "anchor", anchor);
                out.printf(
                        Locale.ROOT,
                        row,
                        "",
                        "Store the anchor elsewhere: 'semel audit verify --anchor' then detects a removed end of the"
                                + " chain.");
            });
        }

        private String waiting() {
            String count = String.format(Locale.ROOT, "%,d", unsealed);
            return (unsealed < MOST_COUNTED ? count : count + " or more") + " not sealed yet";
        }
    }
}
