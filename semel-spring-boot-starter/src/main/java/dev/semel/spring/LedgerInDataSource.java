package dev.semel.spring;

import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.NoneNestedConditions;

/** Matches when the ledger is in the application's data source, not in its own store. */
final class LedgerInDataSource extends NoneNestedConditions {
    LedgerInDataSource() {
        super(ConfigurationPhase.REGISTER_BEAN);
    }

    @ConditionalOnProperty("semel.store")
    static class StoreOfItsOwn {}
}
