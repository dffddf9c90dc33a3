package dev.semel.spring;

import liquibase.integration.spring.SpringLiquibase;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;

/**
 * Lets Liquibase install the ledger's tables, where the application uses Liquibase and the ledger is in the data source: after the
 * application's own change log, with the same database role, lock and history table. With several {@link SpringLiquibase} beans,
 * include {@code dev/semel/spring/liquibase.xml} in the change log of the ledger's database.
 */
@AutoConfiguration(
        before = SemelAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.liquibase.autoconfigure.LiquibaseAutoConfiguration",
            "org.springframework.boot.autoconfigure.liquibase.LiquibaseAutoConfiguration"
        })
@ConditionalOnClass(SpringLiquibase.class)
@ConditionalOnSingleCandidate(SpringLiquibase.class)
@ConditionalOnProperty(
        name = {"semel.enabled", "semel.expert.liquibase"},
        matchIfMissing = true)
@Conditional(LedgerInDataSource.class)
public class SemelLiquibaseAutoConfiguration {
    static final String CHANGE_LOG = "dev/semel/spring/liquibase.xml";

    /** Not a candidate for injection: whoever asks for a SpringLiquibase means the application's. */
    @Bean(defaultCandidate = false)
    SpringLiquibase semelLiquibase(SpringLiquibase application) {
        SpringLiquibase semel = new SpringLiquibase();
        semel.setDataSource(application.getDataSource());
        semel.setChangeLog("classpath:" + CHANGE_LOG);
        semel.setDefaultSchema(application.getDefaultSchema());
        semel.setLiquibaseSchema(application.getLiquibaseSchema());
        semel.setLiquibaseTablespace(application.getLiquibaseTablespace());
        semel.setDatabaseChangeLogTable(application.getDatabaseChangeLogTable());
        semel.setDatabaseChangeLogLockTable(application.getDatabaseChangeLogLockTable());
        return semel;
    }
}
