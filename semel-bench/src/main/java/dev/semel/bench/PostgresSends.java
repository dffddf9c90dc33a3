package dev.semel.bench;

import com.zaxxer.hikari.HikariDataSource;
import dev.semel.Semel;
import java.sql.Connection;
import java.util.List;

/** Sends on PostgreSQL that nobody handles meanwhile, beside the same writes without Semel. */
final class PostgresSends {
    private static final int WRITERS = 2;

    private final PostgresPlace place;
    private final ChannelPlan plan;
    private final ReportBuilder findings;

    PostgresSends(PostgresPlace place, ChannelPlan plan, ReportBuilder findings) {
        this.place = place;
        this.plan = plan;
        this.findings = findings;
    }

    void run() {
        try (InterleavedRounds rounds = new InterleavedRounds();
                Semel engine = Semel.open(place.semelUrl());
                HikariDataSource pool = place.pool()) {
            place.execute(PostgresRows.TABLES);
            SendCells cells = new SendCells("postgresql", engine, PostgresBench.EFFECT);
            for (int callers : SendCells.CALLERS) {
                List<Timing> timings = rounds.run(
                        plan.perCell(),
                        List.of(
                                Cell.of("postgresql bare effect", callers, caller -> bare(pool)),
                                cells.oneByOne(callers),
                                cells.withEffect(callers),
                                Cell.of(
                                        "postgresql send in an atomic operation, by hand",
                                        callers,
                                        caller -> byHand(pool)),
                                Cell.of(
                                        "postgresql send in a transaction that Semel commits",
                                        callers,
                                        caller -> inTransaction(engine)),
                                Cell.of(
                                        "postgresql send in a transaction of the caller's",
                                        callers,
                                        caller -> joined(engine, pool))));
                findings.result(timings.get(0));
                timings.subList(1, timings.size()).forEach(timing -> findings.result(timing, timings.get(0)));
                if (callers == 8) {
                    findings.atLeast(
                            "postgresql send in an atomic operation at 8 callers, of the bare effect",
                            0.45,
                            timings.get(2).ratioTo(timings.get(0)),
                            timings.get(3).ratioTo(timings.get(0)) + " by hand");
                }
            }
            int size = SendCells.BATCH;
            List<Timing> batches = rounds.run(
                    plan.perCell(),
                    List.of(
                            Cell.of("postgresql raw multi-row, records with events", WRITERS, caller -> raw(pool, size))
                                    .inBatchesOf(size),
                            cells.batches(WRITERS)));
            findings.result(batches.get(0));
            findings.result(batches.get(1), batches.get(0));
        }
    }

    private static void bare(HikariDataSource pool) throws Exception {
        try (Connection connection = pool.getConnection()) {
            PostgresRows.effect(connection);
            connection.commit();
        }
    }

    private static void byHand(HikariDataSource pool) throws Exception {
        try (Connection connection = pool.getConnection()) {
            PostgresRows.atomicWithMessage(connection);
        }
    }

    private static void inTransaction(Semel engine) throws Exception {
        engine.inTransaction(tx -> {
            PostgresRows.effect(tx.connection());
            tx.send(BenchMessages.FREE, BenchMessages.message(0, 0));
            return true;
        });
    }

    private static void joined(Semel engine, HikariDataSource pool) throws Exception {
        try (Connection connection = pool.getConnection();
                Semel.Joined joined = engine.join(connection)) {
            PostgresRows.effect(connection);
            joined.send(BenchMessages.FREE, BenchMessages.message(0, 0));
            connection.commit();
            joined.committed();
        }
    }

    private static void raw(HikariDataSource pool, int size) throws Exception {
        try (Connection connection = pool.getConnection()) {
            PostgresRows.atomicBatch(connection, size);
        }
    }
}
