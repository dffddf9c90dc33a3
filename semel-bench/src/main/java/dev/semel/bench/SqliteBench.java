package dev.semel.bench;

import dev.semel.AtomicHandler;
import dev.semel.Semel;
import dev.semel.SemelException;
import dev.semel.bench.Work.Order;
import dev.semel.bench.Work.Receipt;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Consumer;

/** Semel on a SQLite file beside plain JDBC on another file in the same directory. */
final class SqliteBench {
    private static final AtomicHandler<Order, Receipt> EFFECT = (order, tx) -> {
        SqliteRows.effect(tx.connection());
        return Work.RECEIPT;
    };

    private final SqliteDirectory place;
    private final LedgerPlan plan;
    private final ReportBuilder findings;
    private final Consumer<String> progress;

    SqliteBench(SqliteDirectory place, LedgerPlan plan, ReportBuilder findings, Consumer<String> progress) {
        this.place = place;
        this.plan = plan;
        this.findings = findings;
        this.progress = progress;
    }

    /** @return what an intake by batches reached, and the limit of this file system for the same rows */
    Intake run() {
        Intake intake;
        try (InterleavedRounds rounds = new InterleavedRounds();
                Semel engine = Semel.open(place.semelUrl("semel"));
                SqliteRows rows = new SqliteRows(place.jdbcUrl("plain"))) {
            engine.run(Work.ATOMIC, Work.call(), (order, tx) -> {
                try (var statement = tx.connection().createStatement()) {
                    statement.executeUpdate(SqliteRows.EFFECT_TABLE);
                }
                return Work.RECEIPT;
            });
            Cells cells = new Cells("sqlite", () -> engine, EFFECT);
            for (int callers : plan.volume().callers()) {
                atomic(rounds, cells, rows, callers);
            }
            for (int callers : plan.volume().callers()) {
                leased(rounds, cells, rows, callers);
            }
            intake = batches(rounds, cells, rows);
            progress.accept("sqlite: history of activity");
            new HistoryCost("sqlite", place.semelUrl("semel"), EFFECT).measure(rounds, plan, findings);
        } catch (SQLException e) {
            throw new SemelException.StoreUnavailable(
                    "SQLite without Semel failed in " + place.directory() + ": " + e.getMessage()
                            + ". See that there is room and that it can be written.",
                    e);
        }
        progress.accept("sqlite: purge, heap of cached results");
        Upkeep.purge("sqlite", place.semelUrl("purge"), plan.volume().purged(), findings);
        Upkeep.heap(place.semelUrl("heap"), plan.volume().cached(), findings);
        return intake;
    }

    private void atomic(InterleavedRounds rounds, Cells cells, SqliteRows rows, int callers) {
        progress.accept("sqlite: atomic, " + callers + " callers");
        List<Timing> timings = rounds.run(
                plan.perCell(),
                List.of(
                        Cell.of("sqlite bare effect", callers, caller -> rows.bareEffect()),
                        Cell.of("sqlite one commit per call", callers, caller -> rows.call()),
                        cells.first(callers),
                        cells.replay(callers),
                        cells.conflict(callers)));
        Timing bare = timings.get(0);
        Timing single = timings.get(1);
        findings.result(bare);
        findings.result(single, bare);
        timings.subList(2, timings.size()).forEach(timing -> findings.result(timing, single));
        if (callers == 64) {
            findings.atLeast(
                    "sqlite atomic at 64 callers, of one commit per call",
                    4,
                    timings.get(2).ratioTo(single));
        }
    }

    private void leased(InterleavedRounds rounds, Cells cells, SqliteRows rows, int callers) {
        progress.accept("sqlite: leased, " + callers + " callers");
        List<Timing> timings = rounds.run(
                plan.perCell(),
                List.of(
                        Cell.of("sqlite one commit per call", callers, caller -> rows.call()),
                        cells.leasedFirst(callers),
                        cells.leasedReplay(callers),
                        cells.leasedConflict(callers)));
        timings.subList(1, timings.size()).forEach(timing -> findings.result(timing, timings.get(0)));
    }

    private Intake batches(InterleavedRounds rounds, Cells cells, SqliteRows rows) {
        progress.accept("sqlite: runAll");
        int size = plan.volume().batch();
        List<Timing> timings = rounds.run(
                plan.perCell(),
                List.of(
                        Cell.of("sqlite raw multi-row", 1, caller -> rows.batch(size))
                                .inBatchesOf(size),
                        cells.atomicBatches(1, size),
                        cells.atomicBatches(2, size),
                        cells.leasedBatches(1, size)));
        Timing raw = timings.get(0);
        findings.result(raw);
        timings.subList(1, timings.size()).forEach(timing -> findings.result(timing, raw));
        double best = Math.max(timings.get(1).perSecond(), timings.get(2).perSecond());
        return new Intake("sqlite", best, raw.perSecond());
    }
}
