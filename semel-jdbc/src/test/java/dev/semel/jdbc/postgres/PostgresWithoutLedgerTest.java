package dev.semel.jdbc.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.SemelException.Misconfigured;
import dev.semel.store.StoreProvider;
import java.sql.Connection;
import java.sql.ResultSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class PostgresWithoutLedgerTest {
    @Test
    void whereNoneIsToBeMadeAPlaceWithoutALedgerIsRejectedAndLeftAsItIs() throws Exception {
        FreshSchema schema = FreshSchema.make();
        PostgresProvider provider = new PostgresProvider();
        assertThatThrownBy(() -> provider.open(schema.url(), StoreProvider.Options.EXISTING))
                .isInstanceOf(Misconfigured.class)
                .hasMessageContaining("there is no ledger in schema " + schema.name());
        try (Connection connection = schema.connect();
                ResultSet found = connection.getMetaData().getTables(null, schema.name(), "%", null)) {
            assertThat(found.next()).isFalse();
        }
        provider.open(schema.url(), StoreProvider.Options.DEFAULT).close();
        provider.open(schema.url(), StoreProvider.Options.EXISTING).close();
    }
}
