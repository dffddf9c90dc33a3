package dev.semel.bench;

import dev.semel.SemelException;
import dev.semel.store.Stores;
import dev.semel.testkit.PrivatePostgres;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The bench of channels: sending, working off what waits, end to end, and the latency of an idle worker; on PostgreSQL beside
 * the same rows without Semel and beside other libraries. Everything happens in schemas or directories of the bench's own,
 * which are removed afterwards, and everything that was sent must have been handled exactly once.
 */
public final class ChannelBench {
    private final ChannelPlan plan;
    private final ComparedLibraries libraries;
    private final Consumer<String> progress;
    private final ReportBuilder findings = new ReportBuilder();

    /** @param progress told what is being measured */
    public ChannelBench(ChannelPlan plan, ComparedLibraries libraries, Consumer<String> progress) {
        this.plan = plan;
        this.libraries = libraries;
        this.progress = progress;
    }

    /**
     * @throws SemelException.Misconfigured when there is no store at the plan's URL, or none can be started
     * @throws SemelException.StoreUnavailable when the store fails
     * @throws IllegalStateException when a message was lost, repeated or out of order
     */
    public Report run() {
        String url = plan.store();
        if (url == null) {
            privatePostgres();
            sqlite(null);
        } else {
            switch (Stores.installed().provider(url).engine()) {
                case "postgresql" -> {
                    describe(null);
                    postgres(url);
                }
                case "sqlite" -> sqlite(url);
                default ->
                    throw new SemelException.Misconfigured(
                            "bench channel", List.of("this kind of store has no bench; use PostgreSQL or SQLite"));
            }
        }
        return findings.report();
    }

    private void privatePostgres() {
        progress.accept("starting a PostgreSQL with durable settings");
        try (PrivatePostgres postgres = PrivatePostgres.start()) {
            describe(postgres.dataDirectory());
            postgres(postgres.url());
        } catch (PrivatePostgres.Unavailable e) {
            throw new SemelException.Misconfigured(
                    "bench channel", List.of(e.getMessage() + " Or name a store with --store"));
        }
    }

    private void postgres(String url) {
        new PostgresChannels(url, plan, findings, progress).run(libraries.all());
    }

    private void sqlite(@Nullable String url) {
        try (SqliteDirectory place = new SqliteDirectory(url)) {
            if (url != null) {
                findings.machine().putAll(Machine.describe(place.directory(), syncing()));
            }
            new SqliteChannels(place, plan, findings, progress).run();
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
