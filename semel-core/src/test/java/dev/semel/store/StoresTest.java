package dev.semel.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.SemelException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StoresTest {
    /** Any use of it fails. */
    private static final DataSource NOWHERE = (DataSource) Proxy.newProxyInstance(
            DataSource.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> {
                throw new UnsupportedOperationException(method.getName());
            });

    private final Stores stores = new Stores(List.of(
            new Kind("sqlite", "sqlite:orders.db"),
            new Kind("memory", "memory:"),
            new Kind("postgresql", "postgresql://user:secret@host/database")));

    @Test
    void urlIsGivenToTheKindThatAcceptsIt() {
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
    void unknownEngineIsRejectedWithTheKnownNames() {
        assertThat(stores.engine("memory").example()).isEqualTo("memory:");
        assertThatThrownBy(() -> stores.engine("postgres"))
                .hasMessage("store: no engine is called 'postgres' (did you mean postgresql?);"
                        + " known are memory, postgresql, sqlite.");
        assertThatThrownBy(() -> stores.engine("z".repeat(1000))).message().hasSizeLessThan(150);
    }

    @Test
    void missingStoreNamesTheDependencyToAdd() {
        assertThatThrownBy(() -> new Stores(List.of()).provider("sqlite:orders.db"))
                .hasMessageContaining("add dev.semel:semel-jdbc");
    }

    @Test
    void memoryUrlWithoutTheTestKitIsToldToAddIt() {
        for (List<StoreProvider> kinds :
                List.<List<StoreProvider>>of(List.of(), List.of(new Kind("sqlite", "sqlite:orders.db")))) {
            assertThatThrownBy(() -> new Stores(kinds).provider("memory:"))
                    .isInstanceOf(SemelException.Misconfigured.class)
                    .hasMessageContaining("for tests: add dev.semel:semel-testkit in test scope");
        }
    }

    @Test
    void onlyTheMemoryStoreNamesTheDependencyToAdd() {
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

    @Test
    void dataSourceIsGivenToTheKindOfItsDatabase() {
        Stores both = new Stores(List.of(new OnDatabase("PostgreSQL", "SQLite"), new OnDatabase("SQLite", "SQLite")));
        assertThat(both.provider(NOWHERE).database()).contains("SQLite");
    }

    @Test
    void dataSourceOfAnotherDatabaseIsRejectedWithTheKnownOnes() {
        Stores both = new Stores(List.of(new OnDatabase("SQLite", "H2"), new OnDatabase("PostgreSQL", "H2")));
        assertThatThrownBy(() -> both.provider(NOWHERE))
                .isInstanceOf(SemelException.Misconfigured.class)
                .hasMessage("store: the data source leads to H2, which cannot hold the ledger: use a data source of"
                        + " PostgreSQL or SQLite, or open a store of its own by URL, such as postgresql:example.");
    }

    @Test
    void missingStoreForDataSourcesNamesTheDependencyToAdd() {
        assertThatThrownBy(() -> stores.provider(NOWHERE))
                .isInstanceOf(SemelException.Misconfigured.class)
                .hasMessageContaining("add dev.semel:semel-jdbc for PostgreSQL and SQLite");
        Kind memory = new Kind("memory", "memory:");
        assertThatThrownBy(() -> memory.open(NOWHERE, StoreProvider.Options.DEFAULT))
                .hasMessageContaining("memory opens no data sources");
        assertThatThrownBy(() -> memory.databaseOf(NOWHERE)).hasMessageContaining("memory opens no data sources");
    }

    /** @param met what every data source turns out to be */
    private record OnDatabase(String name, String met) implements StoreProvider {
        @Override
        public String engine() {
            return name.toLowerCase(Locale.ROOT);
        }

        @Override
        public String example() {
            return engine() + ":example";
        }

        @Override
        public boolean accepts(String url) {
            return false;
        }

        @Override
        public Store open(String url, Options options) {
            throw new UnsupportedOperationException("This test chooses stores, it opens none.");
        }

        @Override
        public Optional<String> database() {
            return Optional.of(name);
        }

        @Override
        public String databaseOf(DataSource source) {
            return met;
        }
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
