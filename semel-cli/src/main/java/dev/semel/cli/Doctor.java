package dev.semel.cli;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.semel.store.Inspection;
import dev.semel.store.Inspection.Finding;
import dev.semel.store.Inspection.Guarantee;
import dev.semel.store.Store;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Help.Ansi.Text;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "doctor",
        header = "Says what a store can promise with the settings it has.",
        description = {
            "Classes of guarantee:",
            "  A  effect and ledger commit together, durably",
            "  B  durable compare-and-set with a fence",
            "  C  a filter for duplicates: a crash may forget what was acknowledged",
            "Exits with 1 when the store is below the class asked for."
        },
        mixinStandardHelpOptions = true)
final class Doctor implements Callable<Integer> {
    @Mixin
    private LedgerOption ledger = new LedgerOption();

    @Option(
            names = "--require",
            paramLabel = "CLASS",
            defaultValue = "B",
            description = "The class asked for: A, B or C. By default B, the lowest that survives a crash.")
    private Guarantee required = Guarantee.B;

    @Override
    public Integer call() {
        Report report;
        try (Store opened = ledger.open()) {
            report = Report.of(opened.name(), opened.inspect(), required);
        }
        ledger.tell(() -> report, screen -> report.print(screen.out(), screen.ansi()));
        return (report.sufficient() ? Exit.OK : Exit.CHECK_FAILED).code();
    }

    /** The verdict; its components are the names in the JSON. */
    record Report(
            String store,
            @JsonProperty("class") Guarantee guarantee,
            Guarantee required,
            boolean sufficient,
            List<Finding> findings) {
        static Report of(String store, Inspection inspection, Guarantee required) {
            Guarantee found = inspection.guarantee();
            return new Report(store, found, required, found.compareTo(required) <= 0, inspection.findings());
        }

        void print(PrintWriter out, Ansi ansi) {
            int width = findings.stream()
                    .mapToInt(finding -> finding.setting().length())
                    .reduce("store".length(), Math::max);
            String row = "%-" + width + "s  %s%n";
            out.printf(Locale.ROOT, row, "store", store);
            String verdict = sufficient ? guarantee.name() : guarantee + ", but " + required + " is asked for";
            out.printf(Locale.ROOT, row, "class", paint(ansi, sufficient ? "green" : "red", verdict));
            for (Finding finding : findings) {
                out.printf(Locale.ROOT, row, finding.setting(), finding.value());
                if (finding.advice() != null) {
                    String limit = paint(ansi, "yellow", "at most class " + finding.limits());
                    out.printf(Locale.ROOT, row, "", limit + ": " + finding.advice());
                }
            }
        }

        private static String paint(Ansi ansi, String colour, String text) {
            Text painted = ansi.new Text("@|" + colour + " " + text + "|@");
            return painted.toString();
        }
    }
}
