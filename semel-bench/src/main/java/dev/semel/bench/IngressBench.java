package dev.semel.bench;

import dev.semel.SemelException;
import dev.semel.testkit.PrivatePostgres;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/**
 * The bench of the server: webhooks acknowledged and delivered, requests through the gateway, and runs through the HTTP API, on SQLite
 * and on a private PostgreSQL. The server, and the bare Jetty that it is compared with, run in processes of their own.
 */
public final class IngressBench {
    private final IngressPlan plan;
    private final IngressServers servers;
    private final Consumer<String> progress;
    private final ReportBuilder findings = new ReportBuilder();

    /** @param progress told what is being measured */
    public IngressBench(IngressPlan plan, IngressServers servers, Consumer<String> progress) {
        this.plan = plan;
        this.servers = servers;
        this.progress = progress;
    }

    /**
     * @throws SemelException.Misconfigured when a server or a PostgreSQL cannot be started
     * @throws HttpBench.Wrong when the server lost something, did it twice, or answered wrongly
     */
    public Report run() {
        progress.accept("starting a PostgreSQL with durable settings");
        try (PrivatePostgres postgres = PrivatePostgres.start()) {
            return run(postgres);
        } catch (PrivatePostgres.Unavailable e) {
            throw new SemelException.Misconfigured("bench ingress", List.of(e.getMessage()));
        }
    }

    /** In databases of the bench's own. */
    Report run(PrivatePostgres postgres) {
        findings.machine().putAll(Machine.describe(postgres.dataDirectory(), syncing()));
        try (PostgresPlace place = new PostgresPlace(postgres.url())) {
            findings.machine().put("postgresql", place.settings());
        }
        String api = postgres.jdbcUrl(postgres.freshDatabase());
        execute(api, BareServlet.TABLE);
        progress.accept("starting the bare Jetty");
        try (SqliteDirectory directory = new SqliteDirectory(null);
                InterleavedRounds rounds = new InterleavedRounds();
                WebhookSink sink = new WebhookSink();
                HttpServer bare = servers.bare(api)) {
            IngressTrial.Surroundings shared =
                    new IngressTrial.Surroundings(servers, bare, api, sink, rounds, progress);
            IngressStore sqlite = new IngressStore(
                    "sqlite", directory.semelUrl("ledger"), directory.jdbcUrl("ledger"), 0.5, directory.directory());
            measure(sqlite, directory, shared);
            String database = postgres.freshDatabase();
            IngressStore postgresql = new IngressStore(
                    "postgresql",
                    postgres.url(database) + "?poolSize=" + PostgresPlace.CONNECTIONS,
                    postgres.jdbcUrl(database),
                    0.4,
                    postgres.dataDirectory());
            measure(postgresql, directory, shared);
        }
        return findings.report();
    }

    private void measure(IngressStore store, SqliteDirectory directory, IngressTrial.Surroundings shared) {
        try (IngressTrial trial = new IngressTrial(store, directory.directory(), shared, plan)) {
            trial.run(findings);
        }
    }

    private static void execute(String jdbcUrl, String sql) {
        try (Connection connection = DriverManager.getConnection(jdbcUrl);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new SemelException.StoreUnavailable(
                    "The database of the API cannot be prepared: " + e.getMessage(), e);
        }
    }

    private Duration syncing() {
        return plan.perCell().compareTo(Duration.ofSeconds(1)) < 0 ? plan.perCell() : Duration.ofSeconds(1);
    }
}
