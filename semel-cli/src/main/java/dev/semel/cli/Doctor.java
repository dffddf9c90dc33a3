package dev.semel.cli;

import dev.semel.store.Inspection.Guarantee;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
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
        Facts found;
        try (OperatedLedger opened = ledger.open()) {
            found = opened.get("/admin/doctor", CommandInput.none());
        }
        DoctorResult result = new DoctorResult(found, required);
        ledger.tell(result::facts, screen -> result.print(screen.out(), screen.ansi()));
        return (result.sufficient() ? Exit.OK : Exit.CHECK_FAILED).code();
    }

    /** What was found beside what is required. */
    record DoctorResult(Facts found, Guarantee required) {
        boolean sufficient() {
            return Guarantee.valueOf(found.text("class")).compareTo(required) <= 0;
        }

        Map<String, Object> facts() {
            Map<String, Object> facts = new LinkedHashMap<>();
            facts.put("store", found.text("store"));
            facts.put("class", found.text("class"));
            facts.put("required", required.name());
            facts.put("sufficient", sufficient());
            facts.put(
                    "findings",
                    found.list("findings").stream().map(DoctorResult::finding).toList());
            return facts;
        }

        private static Map<String, Object> finding(Facts finding) {
            Map<String, Object> facts = new LinkedHashMap<>(finding.members());
            facts.put("advice", finding.find("advice"));
            return facts;
        }

        void print(PrintWriter out, Ansi ansi) {
            int width = found.list("findings").stream()
                    .mapToInt(finding -> finding.text("setting").length())
                    .reduce("store".length(), Math::max);
            String row = "%-" + width + "s  %s%n";
            out.printf(Locale.ROOT, row, "store", found.text("store"));
            String guarantee = found.text("class");
            String verdict = sufficient() ? guarantee : guarantee + ", but " + required + " is required";
            out.printf(Locale.ROOT, row, "class", paint(ansi, sufficient() ? "green" : "red", verdict));
            for (Facts finding : found.list("findings")) {
                out.printf(Locale.ROOT, row, finding.text("setting"), finding.text("value"));
                if (finding.has("advice")) {
                    String limit = paint(ansi, "yellow", "at most class " + finding.text("limits"));
                    out.printf(Locale.ROOT, row, "", limit + ": " + finding.text("advice"));
                }
            }
        }

        private static String paint(Ansi ansi, String colour, String text) {
            Text painted = ansi.new Text("@|" + colour + " " + text + "|@");
            return painted.toString();
        }
    }
}
