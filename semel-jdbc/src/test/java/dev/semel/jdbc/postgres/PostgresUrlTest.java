package dev.semel.jdbc.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.SemelException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PostgresUrlTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "postgresql://me:p%40ss@db:5433/app?poolSize=3&sslmode=disable",
                "postgres://me:p%40ss@db:5433/app?poolSize=3&sslmode=disable",
                "jdbc:postgresql://db:5433/app?user=me&password=p%40ss&poolSize=3&sslmode=disable"
            })
    void allFormsSayTheSame(String text) {
        PostgresUrl url = PostgresUrl.of(text);
        assertThat(url.jdbc()).isEqualTo("jdbc:postgresql://db:5433/app");
        assertThat(url.name()).isEqualTo("postgresql://db:5433/app");
        assertThat(url.driver()).containsEntry("user", "me").containsEntry("password", "p@ss");
        assertThat(url.driver()).containsEntry("sslmode", "disable").doesNotContainKey("poolSize");
        assertThat(url.pool().size()).isEqualTo(3);
        assertThat(url.toString()).doesNotContain("p@ss", "p%40ss");
    }

    @Test
    void driversDefaultsCanBeChosenOtherwise() {
        assertThat(PostgresUrl.of("postgresql://db/app?socketTimeout=5").driver())
                .containsEntry("socketTimeout", "5")
                .containsEntry("tcpKeepAlive", "true");
    }

    @Test
    void allFaultsAreNamedAtOnce() {
        assertThatThrownBy(() -> PostgresUrl.of("postgresql://me:hush@db/app?poolSize=none&poolWaitMillis=-1"))
                .isInstanceOfSatisfying(
                        SemelException.Misconfigured.class,
                        e -> assertThat(e.faults()).hasSize(2))
                .hasMessageNotContaining("hush");
    }

    @Test
    void invalidUrlIsRejectedWithoutRepeatingIt() {
        assertThatThrownBy(() -> PostgresUrl.of("postgresql://me:hu sh@db/app"))
                .isInstanceOf(SemelException.Misconfigured.class)
                .hasMessageNotContaining("hu sh");
    }
}
