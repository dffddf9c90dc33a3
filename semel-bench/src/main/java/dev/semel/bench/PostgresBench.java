package dev.semel.bench;

import com.zaxxer.hikari.HikariDataSource;
import dev.semel.AtomicHandler;
import dev.semel.Semel;
import dev.semel.bench.Work.Order;
import dev.semel.bench.Work.Receipt;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Consumer;

/** Semel on PostgreSQL beside plain JDBC on pools of the same size. */
final class PostgresBench {
    static final AtomicHandler<Order, Receipt> EFFECT = (order, tx) -> {
        PostgresRows.effect(tx.connection());
        return Work.RECEIPT;
    };

    /** Connections that write batches at once; more of them only wait for each other. */
    private static final int LANES = 2;

    private final PostgresPlace place;
    private final LedgerPlan plan;
    private final ReportBuilder findings;
    private final Consumer<String> progress;

    PostgresBench(PostgresPlace place, LedgerPlan plan, ReportBuilder findings, Consumer<String> progress) {
        this.place = place;
        this.plan = plan;
        this.findings = findings;
        this.progress = progress;
    }

    /**
     * @param owned whether the server is ours, so that its settings may be changed for a moment
     * @return what an intake by batches reached, and the limit of this server for the same rows
     */
    Intake run(boolean owned) {
        findings.machine().put("postgresql", place.settings());
        try (InterleavedRounds rounds = new InterleavedRounds();
                Semel engine = Semel.open(place.semelUrl());
                HikariDataSource pool = place.pool()) {
            place.execute(PostgresRows.TABLES);
            new PostgresCosts(place, plan, findings, rounds).run(owned, progress);
            Cells cells = new Cells("postgresql", () -> engine, EFFECT);
            for (int callers : plan.volume().callers()) {
                atomic(rounds, cells, pool, callers);
            }
            for (int callers : plan.volume().callers()) {
                leased(rounds, cells, pool, callers);
            }
            leased(rounds, cells, pool, plan.volume().crowd());
            Intake intake = batches(rounds, cells, pool);
            progress.accept("postgresql: history of activity");
            new HistoryCost("postgresql", place.semelUrl(), EFFECT).measure(rounds, plan, findings);
            progress.accept("postgresql: purge");
            Upkeep.purge("postgresql", place.semelUrl(), plan.volume().purged(), findings);
            return intake;
        }
    }

    private void atomic(InterleavedRounds rounds, Cells cells, HikariDataSource pool, int callers) {
        progress.accept("postgresql: atomic, " + callers + " callers");
        List<Timing> timings = rounds.run(
                plan.perCell(),
                List.of(
                        Cell.of(
                                "postgresql bare effect",
                                callers,
                                caller -> on(pool, connection -> {
                                    PostgresRows.effect(connection);
                                    connection.commit();
                                })),
                        cells.first(callers),
                        Cell.of("postgresql atomic by hand", callers, caller -> on(pool, PostgresRows::atomic)),
                        cells.replay(callers),
                        cells.conflict(callers)));
        Timing bare = timings.get(0);
        findings.result(bare);
        timings.subList(1, timings.size()).forEach(timing -> findings.result(timing, bare));
        if (callers == 8) {
            findings.atLeast(
                    "postgresql atomic at 8 callers, of the bare effect",
                    0.6,
                    timings.get(1).ratioTo(bare));
        } else if (callers == 64) {
            findings.atLeast(
                    "postgresql atomic replays at 64 callers, of the bare effect",
                    3,
                    timings.get(3).ratioTo(bare));
        }
    }

    private void leased(InterleavedRounds rounds, Cells cells, HikariDataSource pool, int callers) {
        progress.accept("postgresql: leased, " + callers + " callers");
        List<Timing> timings = rounds.run(
                plan.perCell(),
                List.of(
                        Cell.of("postgresql one by one", callers, caller -> on(pool, PostgresRows::oneByOne)),
                        cells.leasedFirst(callers),
                        cells.leasedReplay(callers),
                        cells.leasedConflict(callers)));
        Timing single = timings.get(0);
        findings.result(single);
        timings.subList(1, timings.size()).forEach(timing -> findings.result(timing, single));
        double ratio = timings.get(1).ratioTo(single);
        if (callers == 64) {
            findings.atLeast("postgresql leased at 64 callers, of one by one", 3, ratio);
        } else if (callers == plan.volume().crowd()) {
            findings.atLeast("postgresql leased at " + callers + " callers, of one by one", 5, ratio);
        }
    }

    private Intake batches(InterleavedRounds rounds, Cells cells, HikariDataSource pool) {
        progress.accept("postgresql: runAll");
        int size = plan.volume().batch();
        List<Timing> timings = rounds.run(
                plan.perCell(),
                List.of(
                        Cell.of(
                                        "postgresql raw multi-row, atomic",
                                        LANES,
                                        caller -> on(pool, c -> PostgresRows.atomicBatch(c, size)))
                                .inBatchesOf(size),
                        cells.atomicBatches(LANES, size),
                        Cell.of(
                                        "postgresql raw multi-row, leased",
                                        LANES,
                                        caller -> on(pool, c -> PostgresRows.leasedBatch(c, size)))
                                .inBatchesOf(size),
                        cells.leasedBatches(LANES, size)));
        for (int i = 0; i < timings.size(); i += 2) {
            Timing raw = timings.get(i);
            Timing semel = timings.get(i + 1);
            findings.result(raw);
            findings.result(semel, raw);
            findings.atLeast(semel.cell().name() + ", of the raw multi-row limit", 0.5, semel.ratioTo(raw));
        }
        return new Intake(
                "postgresql", timings.get(1).perSecond(), timings.get(0).perSecond());
    }

    @FunctionalInterface
    interface Sql {
        void run(Connection connection) throws SQLException;
    }

    private static void on(HikariDataSource pool, Sql work) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            work.run(connection);
        }
    }
}
