package dev.semel.examples.planner;

import dev.semel.Key;
import dev.semel.Semel;
import dev.semel.Tenant;
import dev.semel.key.RecordId;
import dev.semel.operator.Operator;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.testkit.Await;
import java.net.URI;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;

/** A running planner: the whole application, on a port of its own. */
record Planner(ConfigurableApplicationContext context, URI base) implements AutoCloseable {

    /** As it is shipped, but for the notifier, which tests may have fail, short pauses, and a cache that never grows old. */
    static Planner start(String database, String... properties) {
        ConfigurableApplicationContext context = new SpringApplicationBuilder(
                        MissionPlanner.class, ScriptedNotifier.class)
                .properties("spring.main.banner-mode=off")
                .run(arguments(database, properties));
        String port = context.getEnvironment().getRequiredProperty("local.server.port");
        return new Planner(context, URI.create("http://127.0.0.1:" + port));
    }

    /** @param more override the settings that all tests have */
    static String[] arguments(String database, String... more) {
        Map<String, String> settings = new LinkedHashMap<>(Map.of(
                "server.port", "0",
                "server.address", "127.0.0.1",
                "spring.datasource.url", database,
                "semel.policy.jobs.backoff", "exp 20ms x2 cap 100ms",
                "semel.policy.jobs.lease", "10s",
                "planner.dashboard-age", "1h"));
        for (String setting : more) {
            settings.put(setting.substring(0, setting.indexOf('=')), setting.substring(setting.indexOf('=') + 1));
        }
        return settings.entrySet().stream()
                .map(setting -> "--" + setting.getKey() + "=" + setting.getValue())
                .toArray(String[]::new);
    }

    JdbcClient jdbc() {
        return context.getBean(JdbcClient.class);
    }

    Semel semel() {
        return context.getBean(Semel.class);
    }

    Operator operator() {
        return context.getBean(Operator.class);
    }

    ScriptedNotifier notifier() {
        return context.getBean(ScriptedNotifier.class);
    }

    /** What the ledger has of a request. */
    Optional<Row> record(Person who, String operation, String key) {
        return operator().find(Tenant.of(who.organisation()), operation, Key.of("u:" + who.name() + ":" + key));
    }

    long count(String sql, String organisation) {
        return jdbc().sql(sql).param(organisation).query(Long.class).single();
    }

    /** As if the time of a record were long over. */
    void expire(RecordId id) {
        int changed = jdbc().sql("UPDATE semel_record SET at = 1 WHERE id = ?")
                .param(HexFormat.of().parseHex(id.hex()))
                .update();
        if (changed != 1) {
            throw new AssertionError("There is no record " + id);
        }
    }

    /** Requests and jobs of an organisation, of which the ledger knows. */
    long records(String organisation) {
        return count("SELECT count(*) FROM semel_record WHERE tenant = ?", organisation);
    }

    /** Waits until nothing of an organisation waits or runs. */
    void settle(String organisation) {
        String open = "SELECT count(*) FROM semel_record WHERE tenant = ? AND state NOT IN (%d, %d)"
                .formatted(State.COMPLETED.code(), State.FAILED_TERMINAL.code());
        Await.until("everything is done", () -> count(open, organisation) == 0);
    }

    @Override
    public void close() {
        context.close();
    }
}
