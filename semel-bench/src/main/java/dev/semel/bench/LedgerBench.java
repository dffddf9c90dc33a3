package dev.semel.bench;

import dev.semel.SemelException;
import dev.semel.store.Stores;
import dev.semel.testkit.PrivatePostgres;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The bench of the ledger: first calls, replays and conflicts of atomic and leased operations, beside the same effect without
 * Semel, and every target that the ledger has. Everything is measured in a schema or directory of the bench's own, which is
 * removed afterwards.
 */
public final class LedgerBench {
    private final LedgerPlan plan;
    private final Consumer<String> progress;
    private final ReportBuilder findings = new ReportBuilder();

    /** @param progress told what is being measured */
    public LedgerBench(LedgerPlan plan, Consumer<String> progress) {
        this.plan = plan;
        this.progress = progress;
    }

    /**
     * @throws SemelException.Misconfigured when there is no store at the plan's URL, or none can be started
     * @throws SemelException.StoreUnavailable when the store fails
     */
    public Report run() {
        String url = plan.store();
        List<Intake> intakes = new ArrayList<>();
        if (url == null) {
            intakes.add(privatePostgres());
            intakes.add(sqlite(null));
            new MemoryBench(plan, findings, progress).run();
        } else {
            switch (Stores.installed().provider(url).engine()) {
                case "postgresql" -> {
                    describe(null);
                    intakes.add(postgres(url, false));
                }
                case "sqlite" -> intakes.add(sqlite(url));
                case "memory" -> {
                    describe(null);
                    new MemoryBench(plan, findings, progress).run();
                }
                default ->
                    throw new SemelException.Misconfigured(
                            "bench ledger",
                            List.of("this kind of store has no bench; use PostgreSQL, SQLite or memory"));
            }
        }
        if (!intakes.isEmpty()) {
            findings.target(Intake.judge(intakes));
        }
        return findings.report();
    }

    private Intake privatePostgres() {
        progress.accept("starting a PostgreSQL with durable settings");
        try (PrivatePostgres postgres = PrivatePostgres.start()) {
            describe(postgres.dataDirectory());
            return postgres(postgres.url(), true);
        } catch (PrivatePostgres.Unavailable e) {
            throw new SemelException.Misconfigured(
                    "bench ledger", List.of(e.getMessage() + " Or name a store with --store"));
        }
    }

    private Intake postgres(String url, boolean owned) {
        try (PostgresPlace place = new PostgresPlace(url)) {
            return new PostgresBench(place, plan, findings, progress).run(owned);
        }
    }

    private Intake sqlite(@Nullable String url) {
        try (SqliteDirectory place = new SqliteDirectory(url)) {
            if (url != null) {
                findings.machine().putAll(Machine.describe(place.directory(), syncing()));
            }
            return new SqliteBench(place, plan, findings, progress).run();
        }
    }

    private void describe(@Nullable Path directory) {
        Path here = directory == null ? Path.of(System.getProperty("java.io.tmpdir")) : directory;
        findings.machine().putAll(Machine.describe(here, syncing()));
    }

    private Duration syncing() {
        return plan.perCell().compareTo(Duration.ofSeconds(1)) < 0 ? plan.perCell() : Duration.ofSeconds(1);
    }
}
