package dev.semel.bench;

import dev.semel.Answer;
import dev.semel.engine.Engine;
import dev.semel.engine.EngineSettings;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.util.ArrayList;
import java.util.List;

/** Measures the purge of expired records, and the memory of cached results. */
final class Upkeep {
    private static final int TIMES = 3;
    private static final int CHUNK = 512;

    private Upkeep() {}

    /** The median of a few times, each from "all are expired" to "none is left". */
    static void purge(String label, String url, int records, ReportBuilder findings) {
        List<Double> millis = new ArrayList<>();
        try (Engine engine = EngineSettings.at(url)
                .withPolicy(Work.SHORT)
                .withoutBackground()
                .open()) {
            for (int i = 0; i < TIMES; i++) {
                Work.expectAll(Answer.Executed.class, engine.runAll(Work.EXPIRING, Work.calls(records), Work.NOTHING));
                long began = System.nanoTime();
                int left = records;
                while (left > 0) {
                    left -= engine.duties().purger().purge().values().stream()
                            .mapToInt(Integer::intValue)
                            .sum();
                }
                millis.add((System.nanoTime() - began) / 1e6);
            }
        }
        findings.below(
                label + " purge of " + records + " expired records, ms",
                100,
                Report.rounded(Timing.median(millis), 1),
                "median of " + TIMES);
    }

    /** Heap used with a full cache, less the heap used before it. On SQLite, whose records are not in the heap. */
    static void heap(String url, int results, ReportBuilder findings) {
        try (Engine engine = EngineSettings.at(url)
                .withLocalCache(results + CHUNK)
                .withoutAudit()
                .withoutBackground()
                .open()) {
            engine.runAll(Work.ATOMIC, Work.calls(CHUNK), Work.NOTHING);
            long before = used();
            for (int done = 0; done < results; done += CHUNK) {
                engine.runAll(Work.ATOMIC, Work.calls(Math.min(CHUNK, results - done)), Work.NOTHING);
            }
            findings.below(
                    "heap per cached small result, bytes",
                    1_024,
                    Report.rounded(Math.max(0, used() - before) / (double) results, 0),
                    results + " results, heap after collection with and without them");
        }
    }

    private static long used() {
        MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
        for (int i = 0; i < TIMES; i++) {
            System.gc();
        }
        return memory.getHeapMemoryUsage().getUsed();
    }
}
