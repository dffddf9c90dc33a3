package dev.semel.bench;

import dev.semel.Semel;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * Semel's own share: in memory, with handlers that do nothing, the whole call is overhead. Every round of first calls has a
 * store of its own, so that the heap does not grow from round to round.
 */
final class MemoryBench {
    private static final String URL = "memory:";
    private static final int PER_ROUND = 50_000;
    private static final int JUDGED = 8;

    private final LedgerPlan plan;
    private final ReportBuilder findings;
    private final Consumer<String> progress;

    MemoryBench(LedgerPlan plan, ReportBuilder findings, Consumer<String> progress) {
        this.plan = plan;
        this.findings = findings;
        this.progress = progress;
    }

    void run() {
        AtomicReference<Semel> fresh = new AtomicReference<>(Semel.open(URL));
        try (InterleavedRounds rounds = new InterleavedRounds();
                Semel engine = Semel.open(URL);
                Semel cached = Semel.settings(URL).withLocalCache(10_000).open()) {
            Cells cells = new Cells("memory", () -> engine, Work.NOTHING);
            Cells firsts = new Cells("memory", fresh::get, Work.NOTHING);
            Cells local = new Cells("local cache,", () -> cached, Work.NOTHING);
            for (int callers : plan.volume().callers()) {
                progress.accept("memory: " + callers + " callers");
                List<Timing> timings = rounds.run(
                        plan.perCell(),
                        List.of(
                                inFresh(fresh, firsts.first(callers)),
                                cells.replay(callers),
                                cells.conflict(callers),
                                inFresh(fresh, firsts.leasedFirst(callers)),
                                cells.leasedReplay(callers),
                                local.replay(callers)));
                timings.forEach(findings::result);
                if (callers == JUDGED) {
                    judge(timings);
                }
            }
        } finally {
            fresh.get().close();
        }
        progress.accept("memory: purge");
        Upkeep.purge("memory", URL, plan.volume().purged(), findings);
    }

    private static Cell inFresh(AtomicReference<Semel> fresh, Cell cell) {
        return cell.limited(PER_ROUND)
                .preparedBy(caller -> fresh.getAndSet(Semel.open(URL)).close());
    }

    private void judge(List<Timing> timings) {
        String how = JUDGED + " callers";
        findings.below("memory hit, p99 in us", 500, timings.get(1).micros(99), how);
        findings.below(
                "memory overhead of a miss, p99 in us", 1_000, timings.get(0).micros(99), how);
        findings.below("replay in process, p99 in us", 50, timings.get(5).micros(99), how + ", from the local cache");
    }
}
