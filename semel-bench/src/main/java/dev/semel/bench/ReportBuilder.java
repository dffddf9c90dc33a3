package dev.semel.bench;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Gathers what becomes the report. */
final class ReportBuilder {
    private final Map<String, Object> machine = new LinkedHashMap<>();
    private final List<Report.Result> results = new ArrayList<>();
    private final List<Report.Target> targets = new ArrayList<>();
    private final Map<String, Report.PerOp> costs = new HashMap<>();

    Map<String, Object> machine() {
        return machine;
    }

    /** Counted apart from the timing; shown with the result of the same name and callers. */
    void cost(Cell cell, Report.PerOp perOp) {
        costs.put(place(cell), perOp);
    }

    Report.@Nullable PerOp cost(Cell cell) {
        return costs.get(place(cell));
    }

    private static String place(Cell cell) {
        return cell.name() + "/" + cell.callers();
    }

    void result(Timing timing) {
        result(timing, null);
    }

    void result(Timing timing, @Nullable Timing of) {
        results.add(new Report.Result(
                timing.cell().name(),
                timing.cell().callers(),
                timing.speed(),
                of == null ? null : timing.ratioTo(of),
                of == null ? null : of.cell().name(),
                cost(timing.cell())));
    }

    void atLeast(String name, double least, double measured) {
        atLeast(name, least, measured, null);
    }

    void atLeast(String name, double least, double measured, @Nullable String note) {
        targets.add(new Report.Target(name, ">= " + plain(least), measured, measured >= least, note));
    }

    void atMost(String name, double most, double measured, @Nullable String note) {
        targets.add(new Report.Target(name, "<= " + plain(most), measured, measured <= most, note));
    }

    void below(String name, double bound, double measured, @Nullable String note) {
        targets.add(new Report.Target(name, "< " + plain(bound), measured, measured < bound, note));
    }

    void target(Report.Target target) {
        targets.add(target);
    }

    private static String plain(double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
    }

    Report report() {
        return new Report(machine, results, targets);
    }
}
