package dev.semel.bench;

import dev.semel.AtomicHandler;
import dev.semel.Semel;
import dev.semel.bench.Work.Order;
import dev.semel.bench.Work.Receipt;
import java.time.Duration;
import java.util.List;

/**
 * What the history of activity costs: calls of an engine that writes it and of one that does not, in turns on the same store. The rows that
 * the first engine writes every ten seconds fall into the rounds of both, so this is the cost of counting.
 */
final class HistoryCost {
    private static final int CALLERS = 8;

    /** Longer than other cells, because the difference is small. */
    private static final int LONGER = 5;

    private final String label;
    private final String url;
    private final AtomicHandler<Order, Receipt> effect;

    HistoryCost(String label, String url, AtomicHandler<Order, Receipt> effect) {
        this.label = label;
        this.url = url;
        this.effect = effect;
    }

    void measure(InterleavedRounds rounds, LedgerPlan plan, ReportBuilder findings) {
        try (Semel without = Semel.settings(url).withoutActivityHistory().open();
                Semel with = Semel.settings(url).open()) {
            Cells bare = new Cells(label + " without history", () -> without, effect);
            Cells counted = new Cells(label + " with history", () -> with, effect);
            Duration length = plan.perCell().multipliedBy(LONGER);
            report(rounds.run(length, List.of(bare.first(CALLERS), counted.first(CALLERS))), "first calls", findings);
            int size = plan.volume().batch();
            report(
                    rounds.run(length, List.of(bare.atomicBatches(1, size), counted.atomicBatches(1, size))),
                    "calls in batches",
                    findings);
        }
    }

    private void report(List<Timing> timings, String what, ReportBuilder findings) {
        findings.result(timings.get(0));
        findings.result(timings.get(1), timings.get(0));
        findings.atLeast(
                label + " " + what + " with the history of activity, of the same without it",
                0.99,
                timings.get(1).ratioTo(timings.get(0)));
    }
}
