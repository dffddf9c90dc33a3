package dev.semel.spring;

import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.NoneNestedConditions;

/** The ledger has no store of its own. */
final class LedgerInDataSource extends NoneNestedConditions {
    LedgerInDataSource() {
        super(ConfigurationPhase.REGISTER_BEAN);
    }

    @ConditionalOnProperty("semel.store")
    static class StoreOfItsOwn {}
}
