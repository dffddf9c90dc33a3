package dev.semel.cli;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.semel.store.Inspection;
import dev.semel.store.Inspection.CheckedSetting;
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
        header = "Checks which guarantee a store has with its current settings.",
        description = {
            "Classes of guarantee:",
            "  A  effect and ledger commit together, durably",
            "  B  durable compare-and-set with a fence",
            "  C  duplicate filter only: a crash may lose acknowledged records",
            "Exits with 1 when the store is below the required class."
        },
        mixinStandardHelpOptions = true)
final class Doctor implements Callable<Integer> {
    @Mixin
    private LedgerOption ledger = new LedgerOption();

    @Option(
            names = "--require",
            paramLabel = "CLASS",
            defaultValue = "B",
            description = "The required class: A, B or C. By default B, the lowest that survives a crash.")
    private Guarantee required = Guarantee.B;

    @Override
    public Integer call() {
        DoctorResult result;
        try (Store opened = ledger.open()) {
            result = DoctorResult.of(opened.name(), opened.inspect(), required);
        }
        ledger.tell(() -> result, screen -> result.print(screen.out(), screen.ansi()));
        return (result.sufficient() ? Exit.OK : Exit.CHECK_FAILED).code();
    }

    /** The result; its components are the names in the JSON. */
    record DoctorResult(
            String store,
            @JsonProperty("class") Guarantee guarantee,
            Guarantee required,
            boolean sufficient,
            List<CheckedSetting> findings) {
        static DoctorResult of(String store, Inspection inspection, Guarantee required) {
            Guarantee found = inspection.guarantee();
            return new DoctorResult(store, found, required, found.compareTo(required) <= 0, inspection.findings());
        }

        void print(PrintWriter out, Ansi ansi) {
            int width = findings.stream()
                    .mapToInt(finding -> finding.setting().length())
                    .reduce("store".length(), Math::max);
            String row = "%-" + width + "s  %s%n";
            out.printf(Locale.ROOT, row, "store", store);
            String verdict = sufficient ? guarantee.name() : guarantee + ", but " + required + " is required";
            out.printf(Locale.ROOT, row, "class", paint(ansi, sufficient ? "green" : "red", verdict));
            for (CheckedSetting finding : findings) {
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
