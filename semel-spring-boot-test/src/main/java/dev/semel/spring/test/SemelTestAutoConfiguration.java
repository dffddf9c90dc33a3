package dev.semel.spring.test;

import dev.semel.spring.SemelAutoConfiguration;
import dev.semel.spring.TestLedger;
import dev.semel.store.Store;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.test.context.transaction.TestTransaction;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** What Semel has in every test context: its part in transactions of tests, and the reset of its ledger. */
@AutoConfiguration(after = SemelAutoConfiguration.class)
public class SemelTestAutoConfiguration {
    @Bean
    @ConditionalOnMissingBean
    TestLedger semelTestLedger(Environment environment) {
        return new LedgerOfTest(environment.containsProperty(SliceStore.IN_MEMORY));
    }

    /** A thread that a test starts inherits the test's context, but not its transaction. */
    private record LedgerOfTest(boolean isInMemory) implements TestLedger {
        @Override
        public boolean isInTestTransaction() {
            return TransactionSynchronizationManager.isActualTransactionActive() && TestTransaction.isActive();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBean(Store.class)
    static class WithStore {
        @Bean
        LedgerReset semelLedgerReset(Store store, ObjectProvider<DataSource> sources, Environment environment) {
            DataSource source = environment.containsProperty("semel.store") ? null : sources.getIfUnique();
            return new LedgerReset(store, source == null ? store.name() : url(source));
        }

        private static String url(DataSource source) {
            try (Connection connection = source.getConnection()) {
                return connection.getMetaData().getURL() + " " + connection.getSchema();
            } catch (SQLException e) {
                throw new IllegalStateException("The data source of the ledger is unavailable: " + e.getMessage(), e);
            }
        }
    }
}
