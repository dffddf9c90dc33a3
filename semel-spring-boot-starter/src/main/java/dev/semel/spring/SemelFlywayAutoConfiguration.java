package dev.semel.spring;

import org.flywaydb.core.api.migration.JavaMigration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;

/** Lets Flyway install the ledger's tables, where Flyway is present and the ledger is in the data source. */
@AutoConfiguration(
        beforeName = {
            "org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration",
            "org.springframework.boot.autoconfigure.flyway.FlywayAutoConfiguration"
        })
@ConditionalOnClass(JavaMigration.class)
@ConditionalOnProperty(
        name = {"semel.enabled", "semel.expert.flyway"},
        matchIfMissing = true)
@Conditional(LedgerInDataSource.class)
public class SemelFlywayAutoConfiguration {
    @Bean
    JavaMigration semelMigration() {
        return new SemelMigration();
    }
}
