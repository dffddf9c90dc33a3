package dev.semel.bench;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * Messages taken in by batches with handlers that do nothing.
 *
 * @param raw what the same store takes of the same rows without Semel: the limit
 */
record Intake(String store, double perSecond, double raw) {
    private static final double TARGET = 100_000;

    /** Met as well when no store of this machine could take so many even without Semel: that is the measured reason. */
    static Report.Target judge(List<Intake> intakes) {
        Intake best = intakes.stream()
                .max(Comparator.comparingDouble(Intake::perSecond))
                .orElseThrow();
        StringBuilder note = new StringBuilder();
        for (Intake intake : intakes) {
            note.append(note.isEmpty() ? "" : "; ")
                    .append(String.format(
                            Locale.ROOT,
                            "%s %.0f/s, without Semel %.0f/s",
                            intake.store,
                            intake.perSecond,
                            intake.raw));
        }
        boolean possible = intakes.stream().anyMatch(intake -> intake.raw >= TARGET);
        if (best.perSecond < TARGET && !possible) {
            note.append(": the machine does not take 100000 rows a second durably");
        }
        return new Report.Target(
                "intake by runAll, messages per second",
                ">= 100000, or the machine's limit is below",
                Report.rounded(best.perSecond, 0),
                best.perSecond >= TARGET || !possible,
                note.toString());
    }
}
