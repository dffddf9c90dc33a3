package dev.semel.bench;

import dev.semel.engine.Engine;
import dev.semel.engine.EngineSettings;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What one operation costs the server: transactions and statements, counted on the wire, and bytes of the write-ahead log. On
 * a server of our own full-page images are switched off meanwhile; on another they are in the figure, though few, because the
 * pages were written just before. Nothing runs in the background.
 */
final class PostgresCosts {
    private static final String LOG = "SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn";

    private final PostgresPlace place;
    private final LedgerPlan plan;
    private final ReportBuilder findings;
    private final InterleavedRounds rounds;

    PostgresCosts(PostgresPlace place, LedgerPlan plan, ReportBuilder findings, InterleavedRounds rounds) {
        this.place = place;
        this.plan = plan;
        this.findings = findings;
        this.rounds = rounds;
    }

    void run(boolean owned, Consumer<String> progress) {
        progress.accept("postgresql: transactions, statements and log bytes per operation");
        if (owned) {
            fullPageWrites("off");
        }
        try {
            count(owned ? "full_page_writes off" : "full-page images included");
        } finally {
            if (owned) {
                fullPageWrites("on");
            }
        }
    }

    private void count(String how) {
        try (Engine engine = engine(settings -> {})) {
            Cells cells = new Cells("postgresql", () -> engine, PostgresBench.EFFECT);
            Report.PerOp first = averaged(cells.first(1));
            Report.PerOp replay = counted(cells.replay(1));
            counted(cells.conflict(1));
            counted(cells.leasedFirst(1));
            counted(cells.leasedFirst(64));
            counted(cells.leasedReplay(1));
            counted(cells.leasedConflict(1));
            counted(cells.atomicBatches(2, plan.volume().batch()));
            counted(cells.leasedBatches(2, plan.volume().batch()));
            findings.atMost("postgresql transactions per first call", 1, first.transactions(), null);
            findings.atMost("postgresql transactions per replay", 1, replay.transactions(), null);
            target("postgresql WAL bytes per first call with audit", 1_000, first.walBytes(), how);
        }
        try (Engine engine = engine(settings -> settings.withLocalCache(1_000))) {
            Cell cell = new Cells("postgresql, local cache,", () -> engine, PostgresBench.EFFECT).replay(1);
            findings.atMost(
                    "postgresql transactions per replay from the local cache",
                    0,
                    counted(cell).transactions(),
                    null);
        }
        try (Engine engine = engine(EngineSettings::withoutAudit)) {
            Cell cell = new Cells("postgresql, no audit,", () -> engine, PostgresBench.EFFECT).first(1);
            target(
                    "postgresql WAL bytes per first call without audit",
                    700,
                    averaged(cell).walBytes(),
                    how);
        }
    }

    private void target(String name, double most, @Nullable Double measured, String how) {
        if (measured != null) {
            findings.atMost(name, most, measured, how);
        }
    }

    private Engine engine(Consumer<EngineSettings> more) {
        EngineSettings settings = EngineSettings.at(place.countedUrl()).withoutBackground();
        more.accept(settings);
        return settings.open();
    }

    /** Pages of an index of random ids split in waves, and the server tidies up between: only many calls tell the mean. */
    private Report.PerOp averaged(Cell cell) {
        return counted(cell, 10L * plan.volume().counted());
    }

    private Report.PerOp counted(Cell cell) {
        return counted(cell, Math.max(plan.volume().counted(), (long) cell.batch() * cell.callers()));
    }

    private Report.PerOp counted(Cell cell, long operations) {
        rounds.count(cell, Math.max(operations / 4, cell.callers()));
        CountingSockets.Count before = CountingSockets.Count.now();
        double logBefore = Double.parseDouble(place.text(LOG));
        double done = rounds.count(cell, operations).operations();
        double log = Double.parseDouble(place.text(LOG)) - logBefore;
        CountingSockets.Count count = CountingSockets.Count.now().since(before);
        Report.PerOp perOp = new Report.PerOp(
                Report.rounded(count.transactions() / done, 3),
                Report.rounded(count.statements() / done, 3),
                Report.rounded(log / done, 0));
        findings.cost(cell, perOp);
        return perOp;
    }

    /** The checkpointer is the one who obeys; once it has served a checkpoint it has read the setting. */
    private void fullPageWrites(String value) {
        place.execute("ALTER SYSTEM SET full_page_writes = " + value, "SELECT pg_reload_conf()", "CHECKPOINT");
    }
}
