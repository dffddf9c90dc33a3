package dev.semel.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.SemelException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StoresTest {
    private final Stores stores = new Stores(List.of(
            new Kind("sqlite", "sqlite:orders.db"),
            new Kind("memory", "memory:"),
            new Kind("postgresql", "postgresql://user:secret@host/database")));

    @Test
    void aUrlIsGivenToTheKindThatAcceptsIt() {
        assertThat(stores.provider("sqlite:/var/lib/ledger.db").engine()).isEqualTo("sqlite");
    }

    @Test
    void kindsAreListedByName() {
        assertThat(stores.all()).extracting(StoreProvider::engine).containsExactly("memory", "postgresql", "sqlite");
    }

    @ParameterizedTest
    @CsvSource({
        "postgres://h/d, postgresql://user:secret@host/database",
        "jdbc:postgresql://h/d, postgresql://user:secret@host/database",
        "pos:x, postgresql://user:secret@host/database",
        "sqllite:a.db, sqlite:orders.db",
        "sqlite3:a.db, sqlite:orders.db",
        "SQLite:a.db, sqlite:orders.db",
        "mem:, memory:",
        "memory, memory:"
    })
    void aNearMissIsPointedOut(String url, String meant) {
        assertThatThrownBy(() -> stores.provider(url))
                .isInstanceOf(SemelException.Misconfigured.class)
                .hasMessageContaining("did you mean " + meant + "?");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ":", "redis://h", "orders.db", "C:\\orders.db", "a b:c", "x", "oracle:thin"})
    void anythingElseIsRefusedWithTheKnownForms(String url) {
        assertThatThrownBy(() -> stores.provider(url))
                .isInstanceOf(SemelException.Misconfigured.class)
                .hasMessageContaining("known are memory:, postgresql://user:secret@host/database, sqlite:orders.db.")
                .hasMessageNotContaining("did you mean");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "postgres://bob:hunter2@db/x",
                "hunter2@db:5432/x",
                "bob/hunter2:x",
                "jdbc:postgres://b:hunter2@d"
            })
    void aRefusalNeverRepeatsAPassword(String url) {
        assertThatThrownBy(() -> stores.provider(url)).hasMessageNotContaining("hunter2");
    }

    @Test
    void anUnknownEngineIsRefusedWithTheKnownNames() {
        assertThat(stores.engine("memory").example()).isEqualTo("memory:");
        assertThatThrownBy(() -> stores.engine("postgres"))
                .hasMessage("store: no engine is called 'postgres' (did you mean postgresql?);"
                        + " known are memory, postgresql, sqlite.");
        assertThatThrownBy(() -> stores.engine("z".repeat(1000))).message().hasSizeLessThan(150);
    }

    @Test
    void withoutAnyStoreItSaysWhatToAdd() {
        assertThatThrownBy(() -> new Stores(List.of()).provider("sqlite:orders.db"))
                .hasMessageContaining("add dev.semel:semel-jdbc");
    }

    @Test
    void withTheStoreInMemoryAloneItSaysWhatToAdd() {
        Stores alone = new Stores(List.of(new Kind("memory", "memory:")));
        assertThatThrownBy(() -> alone.provider("sqlite:orders.db"))
                .hasMessageContaining("no store opens 'sqlite:...'; known are memory:")
                .hasMessageContaining("add dev.semel:semel-jdbc for SQLite and PostgreSQL");
        assertThatThrownBy(() -> stores.provider("oracle:thin")).hasMessageNotContaining("semel-jdbc");
    }

    @Test
    void openingRefusesAUrlThatNothingAccepts() {
        assertThatThrownBy(() -> Stores.open("nothing-opens-this:", StoreProvider.Options.DEFAULT))
                .isInstanceOf(SemelException.Misconfigured.class);
    }

    private record Kind(String engine, String example) implements StoreProvider {
        @Override
        public boolean accepts(String url) {
            return url.startsWith(engine + ":");
        }

        @Override
        public Store open(String url, Options options) {
            throw new UnsupportedOperationException("This test chooses stores, it opens none.");
        }
    }
}
