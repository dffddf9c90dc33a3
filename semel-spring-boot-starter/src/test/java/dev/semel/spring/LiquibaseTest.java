package dev.semel.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Semel;
import dev.semel.jdbc.ApplicationStore;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import liquibase.integration.spring.SpringLiquibase;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.liquibase.autoconfigure.LiquibaseAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.JdbcTemplate;

/** Liquibase installs the ledger's tables behind the application's own, before Semel looks for them. */
class LiquibaseTest {
    private static final String HISTORY = "SELECT id, orderexecuted FROM databasechangelog ORDER BY orderexecuted";

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DataSourceAutoConfiguration.class,
                    DataSourceTransactionManagerAutoConfiguration.class,
                    JdbcTemplateAutoConfiguration.class,
                    LiquibaseAutoConfiguration.class,
                    SemelLiquibaseAutoConfiguration.class,
                    SemelAutoConfiguration.class))
            .withPropertyValues("spring.liquibase.change-log=classpath:db/shop.xml");

    private static List<Object> history(JdbcTemplate jdbc) {
        return jdbc.queryForList(HISTORY).stream()
                .map((Map<String, Object> row) -> row.get("id"))
                .toList();
    }

    @Test
    void liquibaseInstallsTheLedgerTablesOnce() {
        ApplicationContextRunner validating = runner.withPropertyValues(
                "semel.schema=validate", "spring.datasource.url=" + Databases.POSTGRESQL.fresh());
        for (int start = 1; start <= 2; start++) {
            validating.run(context -> {
                assertThat(context).hasNotFailed().hasSingleBean(Semel.class);
                assertThat(history(context.getBean(JdbcTemplate.class)))
                        .containsExactly("shop", "ledger-" + ApplicationStore.schemaVersion());
            });
        }
    }

    /** On SQLite the store makes its tables itself; the history shows the same change sets. */
    @ParameterizedTest
    @EnumSource(Databases.class)
    void liquibaseAndSemelShareADatabase(Databases kind) {
        runner.withPropertyValues("spring.datasource.url=" + kind.fresh()).run(context -> {
            assertThat(context).hasNotFailed().hasSingleBean(Semel.class);
            JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
            assertThat(history(jdbc)).hasSize(2);
            assertThat(jdbc.queryForObject("SELECT count(*) FROM semel_record", Integer.class))
                    .isZero();
        });
    }

    /** Liquibase's own tables are there already: two nodes that create them together fail without Semel, too. */
    @Test
    void ledgerTablesAreInstalledOnceByTwoNodesThatStartTogether() throws Exception {
        String url = Databases.POSTGRESQL.fresh();
        runner.withPropertyValues("semel.enabled=false", "spring.datasource.url=" + url)
                .run(context -> assertThat(context).hasNotFailed());
        Callable<List<Object>> node = () -> {
            var seen = new AtomicReference<List<Object>>();
            runner.withPropertyValues("semel.schema=validate", "spring.datasource.url=" + url)
                    .run(context -> {
                        assertThat(context).hasNotFailed();
                        seen.set(history(context.getBean(JdbcTemplate.class)));
                    });
            return seen.get();
        };
        ExecutorService nodes = Executors.newFixedThreadPool(2);
        try {
            for (Future<List<Object>> each : nodes.invokeAll(List.of(node, node))) {
                assertThat(each.get()).hasSize(2);
            }
        } finally {
            nodes.shutdownNow();
        }
    }

    @Test
    void missingLedgerTablesFailWithoutLiquibase() {
        runner.withPropertyValues(
                        "semel.schema=validate",
                        "spring.datasource.url=" + Databases.POSTGRESQL.fresh(),
                        "semel.expert.liquibase=false")
                .run(context -> assertThat(context)
                        .hasFailed()
                        .getFailure()
                        .hasStackTraceContaining("there is no ledger in schema"));
    }

    @Test
    void separateStoreIsNotMigratedByLiquibase() {
        runner.withPropertyValues("semel.store=memory:", "spring.datasource.url=" + Databases.SQLITE.fresh())
                .run(context -> assertThat(context).hasSingleBean(Semel.class).hasSingleBean(SpringLiquibase.class));
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(SemelLiquibaseAutoConfiguration.class))
                .withClassLoader(new FilteredClassLoader("liquibase"))
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void injectionPointForLiquibaseGetsTheBeanOfTheApplication() {
        runner.withPropertyValues("spring.datasource.url=" + Databases.SQLITE.fresh())
                .run(context -> assertThat(context.getBeanProvider(SpringLiquibase.class)
                                .getObject()
                                .getChangeLog())
                        .isEqualTo("classpath:db/shop.xml"));
    }

    /** A new version of the schema needs a change set, or Liquibase would not upgrade existing databases. */
    @Test
    void newestChangeSetHasTheVersionOfTheSchema() throws IOException {
        try (InputStream in =
                getClass().getClassLoader().getResourceAsStream(SemelLiquibaseAutoConfiguration.CHANGE_LOG)) {
            String log = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            List<Integer> versions = Pattern.compile("id=\"ledger-(\\d+)\"")
                    .matcher(log)
                    .results()
                    .map(found -> Integer.valueOf(found.group(1)))
                    .toList();
            assertThat(versions).isSorted().doesNotHaveDuplicates().endsWith(ApplicationStore.schemaVersion());
        }
    }
}
