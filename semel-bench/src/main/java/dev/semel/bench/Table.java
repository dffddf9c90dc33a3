package dev.semel.bench;

import java.io.PrintWriter;
import java.util.Locale;

/** A report for people: ratios first. */
public final class Table {
    private Table() {}

    public static void print(Report report, PrintWriter out) {
        report.machine().forEach((name, value) -> out.printf(Locale.ROOT, "%-20s %s%n", name, value));
        int width = report.results().stream()
                .mapToInt(result -> result.name().length())
                .max()
                .orElse(4);
        String row = "%7s  %-" + width + "s %7s %10s %11s %11s  %s%n";
        out.println();
        out.printf(Locale.ROOT, row, "ratio", "what", "callers", "ops/s", "p50 us", "p99 us", "of");
        for (Report.Result result : report.results()) {
            out.printf(
                    Locale.ROOT,
                    row,
                    result.ratio() == null ? "" : number("%.2f", result.ratio()),
                    result.name(),
                    result.callers(),
                    number("%,.0f", result.speed().opsPerSecond()),
                    number("%,.1f", result.speed().p50()),
                    number("%,.1f", result.speed().p99()),
                    result.of() == null ? "" : result.of());
            if (result.perOp() != null) {
                out.printf(Locale.ROOT, row, "", "  " + perOp(result.perOp()), "", "", "", "", "");
            }
        }
        out.println();
        for (Report.Target target : report.targets()) {
            out.printf(
                    Locale.ROOT,
                    "%-6s %s: %s, target %s%s%n",
                    target.met() ? "met" : "MISSED",
                    target.name(),
                    plain(target.measured()),
                    target.target(),
                    target.note() == null ? "" : " (" + target.note() + ")");
        }
    }

    private static String perOp(Report.PerOp perOp) {
        String log = perOp.walBytes() == null ? "" : ", " + plain(perOp.walBytes()) + " bytes of log";
        return "an operation: " + plain(perOp.transactions()) + " transactions, " + plain(perOp.statements())
                + " statements" + log;
    }

    private static String plain(double value) {
        return value == Math.rint(value) ? number("%,.0f", value) : number("%,.3f", value);
    }

    private static String number(String format, double value) {
        return String.format(Locale.ROOT, format, value);
    }
}
