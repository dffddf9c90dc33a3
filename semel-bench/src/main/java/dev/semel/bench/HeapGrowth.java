package dev.semel.bench;

import java.util.Locale;

/**
 * The heap of a server after collections, in bytes: after a tenth of many requests, after all, and at most between.
 *
 * @param timing of the first tenth
 */
record HeapGrowth(long requests, Timing timing, long early, long late, long highest) {
    private static final int PARTS = 10;
    private static final int LARGEST_PERCENT = 10;

    /** Sends so many requests of the cell. */
    static HeapGrowth over(long requests, Cell cell, HttpServer server, InterleavedRounds rounds) {
        Timing timing = rounds.count(cell, requests / PARTS);
        long early = server.heap();
        long highest = early;
        for (int part = 2; part <= PARTS; part++) {
            rounds.count(cell, requests / PARTS);
            highest = Math.max(highest, server.heap());
        }
        return new HeapGrowth(requests, timing, early, server.heap(), highest);
    }

    /**
     * @param what is measured, which begins the target's name
     * @param unit what was sent
     * @param how it was sent
     */
    void report(String what, String unit, String how, ReportBuilder findings) {
        findings.result(timing);
        findings.below(
                String.format(Locale.ROOT, "%s, growth of the heap over %,d %s in %%", what, requests, unit),
                LARGEST_PERCENT,
                Report.rounded((late - early) * 100.0 / early, 1),
                String.format(
                        Locale.ROOT,
                        "after collections %.1f MB after a tenth of them, %.1f MB after all, %.1f MB at most between; %s",
                        early / 1e6,
                        late / 1e6,
                        highest / 1e6,
                        how));
    }
}
