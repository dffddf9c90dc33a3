package dev.semel.bench;

import dev.semel.SemelException;
import dev.semel.testkit.PrivatePostgres;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The bench of the filter: a POST bare, with the filter the first time, and replayed, of servers that run in processes of their
 * own on a private PostgreSQL. Two services are measured, one of which does one insert in a transaction and nothing else, which
 * is what the targets are stated for; the other is the example.
 */
public final class HttpBench {
    private final HttpPlan plan;
    private final HttpServers servers;
    private final @Nullable HttpServers earlier;
    private final Consumer<String> progress;
    private final ReportBuilder findings = new ReportBuilder();

    /** A server did not do what it is measured for: it answered wrongly, did something twice, or lost it. */
    public static final class Wrong extends SemelException {
        private static final long serialVersionUID = 1;

        Wrong(String message) {
            super(message);
        }
    }

    /** @param progress told what is being measured */
    public HttpBench(HttpPlan plan, HttpServers servers, Consumer<String> progress) {
        this(plan, servers, null, progress);
    }

    /**
     * @param earlier servers of an earlier version, measured in turn with the present ones in the place of code written by hand,
     *     and without the look at memory; null to leave them out
     */
    public HttpBench(HttpPlan plan, HttpServers servers, @Nullable HttpServers earlier, Consumer<String> progress) {
        this.plan = plan;
        this.servers = servers;
        this.earlier = earlier;
        this.progress = progress;
    }

    /**
     * @throws SemelException.Misconfigured when a server or a PostgreSQL cannot be started
     * @throws Wrong when a server does not do what it is measured for
     */
    public Report run() {
        progress.accept("starting a PostgreSQL with durable settings");
        try (PrivatePostgres postgres = PrivatePostgres.start()) {
            return run(postgres);
        } catch (PrivatePostgres.Unavailable e) {
            throw new SemelException.Misconfigured("bench http", List.of(e.getMessage()));
        }
    }

    /** In databases of the bench's own. */
    Report run(PrivatePostgres postgres) {
        findings.machine().putAll(Machine.describe(postgres.dataDirectory(), syncing()));
        try (PostgresPlace place = new PostgresPlace(postgres.url())) {
            findings.machine().put("postgresql", place.settings());
        }
        try (InterleavedRounds rounds = new InterleavedRounds()) {
            for (HttpService service : HttpService.values()) {
                HttpTrial.Means means = new HttpTrial.Means(servers, earlier, postgres, rounds, progress);
                try (HttpTrial trial = new HttpTrial(service, means)) {
                    trial.run(plan, findings);
                }
            }
        }
        return findings.report();
    }

    private Duration syncing() {
        return plan.perCell().compareTo(Duration.ofSeconds(1)) < 0 ? plan.perCell() : Duration.ofSeconds(1);
    }
}
