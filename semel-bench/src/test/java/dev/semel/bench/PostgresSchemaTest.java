package dev.semel.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.SemelException;
import dev.semel.testkit.PrivatePostgres;
import org.junit.jupiter.api.Test;

class PostgresSchemaTest {
    @Test
    void everyFormOfUrlThatTheStoreTakesIsUnderstood() {
        PrivatePostgres postgres = PrivatePostgres.shared();
        for (String url : new String[] {
            postgres.url(),
            postgres.url().replace("postgresql:", "postgres:"),
            postgres.url().replace("postgres@", "postgres:p%40ss@") + "?connectTimeout=5",
            postgres.jdbcUrl()
        }) {
            try (PostgresPlace place = new PostgresPlace(url)) {
                assertThat(place.text("SELECT current_schema()")).startsWith("semel_bench_");
                assertThat(place.semelUrl()).contains("&poolSize=32");
            }
        }
    }

    @Test
    void serverThatIsNotThereIsUnavailable() {
        assertThatThrownBy(() -> new PostgresPlace("postgresql://nobody@127.0.0.1:1/none"))
                .isInstanceOf(SemelException.StoreUnavailable.class)
                .hasMessageContaining("08001");
    }
}
