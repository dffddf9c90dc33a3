package dev.semel.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Semel;
import java.util.List;
import java.util.Map;
import org.flywaydb.core.api.migration.JavaMigration;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.JdbcTemplate;

/** Flyway makes the ledger's tables before Semel looks for them. */
class FlywayTest {
    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DataSourceAutoConfiguration.class,
                    DataSourceTransactionManagerAutoConfiguration.class,
                    JdbcTemplateAutoConfiguration.class,
                    FlywayAutoConfiguration.class,
                    SemelFlywayAutoConfiguration.class,
                    SemelAutoConfiguration.class))
            .withPropertyValues("semel.schema=validate");

    @Test
    void flywayInstallsTheLedgerTables() {
        ApplicationContextRunner onPostgres =
                runner.withPropertyValues("spring.datasource.url=" + Databases.POSTGRESQL.fresh());
        for (int start = 1; start <= 2; start++) {
            onPostgres.run(context -> {
                assertThat(context).hasSingleBean(Semel.class);
                List<Map<String, Object>> history = context.getBean(JdbcTemplate.class)
                        .queryForList("SELECT description, checksum, success FROM flyway_schema_history"
                                + " WHERE version IS NULL");
                assertThat(history)
                        .singleElement()
                        .satisfies(row -> assertThat(row)
                                .containsEntry("description", "Semel's ledger")
                                .containsEntry("success", true));
            });
        }
    }

    @Test
    void missingLedgerTablesFailWithoutFlyway() {
        runner.withPropertyValues("spring.datasource.url=" + Databases.POSTGRESQL.fresh(), "semel.expert.flyway=false")
                .run(context -> assertThat(context)
                        .hasFailed()
                        .getFailure()
                        .hasStackTraceContaining("there is no ledger in schema"));
    }

    @Test
    void separateStoreIsNotMigratedByFlyway() {
        new ApplicationContextRunner()
                .withConfiguration(
                        AutoConfigurations.of(SemelFlywayAutoConfiguration.class, SemelAutoConfiguration.class))
                .withPropertyValues("semel.store=memory:")
                .run(context -> assertThat(context).hasSingleBean(Semel.class).doesNotHaveBean(JavaMigration.class));
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(SemelFlywayAutoConfiguration.class))
                .withClassLoader(new FilteredClassLoader("org.flywaydb"))
                .run(context -> assertThat(context).hasNotFailed());
    }
}
