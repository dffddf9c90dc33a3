package dev.semel.spring.boot3;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Semel;
import dev.semel.jdbc.ApplicationStore;
import dev.semel.spring.SemelAutoConfiguration;
import dev.semel.spring.SemelLiquibaseAutoConfiguration;
import dev.semel.testkit.PrivatePostgres;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration;
import org.springframework.boot.autoconfigure.jdbc.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.autoconfigure.jdbc.JdbcTemplateAutoConfiguration;
import org.springframework.boot.autoconfigure.liquibase.LiquibaseAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.JdbcTemplate;

/** Liquibase 4, as Spring Boot 3.5 has it, installs the ledger's tables. */
class LiquibaseOnBoot3Test {
    @Test
    void liquibaseInstallsTheLedgerTables() {
        PrivatePostgres server = PrivatePostgres.shared();
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        DataSourceAutoConfiguration.class,
                        DataSourceTransactionManagerAutoConfiguration.class,
                        JdbcTemplateAutoConfiguration.class,
                        LiquibaseAutoConfiguration.class,
                        SemelLiquibaseAutoConfiguration.class,
                        SemelAutoConfiguration.class))
                .withPropertyValues(
                        "spring.datasource.url=" + server.jdbcUrl(server.freshDatabase()),
                        "spring.liquibase.change-log=classpath:db/liquibase/shop.xml",
                        "semel.schema=validate")
                .run(context -> {
                    assertThat(context).hasNotFailed().hasSingleBean(Semel.class);
                    assertThat(context.getBean(JdbcTemplate.class)
                                    .queryForList(
                                            "SELECT id FROM databasechangelog ORDER BY orderexecuted", String.class))
                            .containsExactly("shop", "ledger-" + ApplicationStore.schemaVersion());
                });
    }
}
