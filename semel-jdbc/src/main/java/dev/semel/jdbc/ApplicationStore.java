package dev.semel.jdbc;

import dev.semel.SemelException;
import dev.semel.jdbc.shared.Schema;
import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;

/** Opens the ledger in the database that the application already has, beside its own tables. */
public final class ApplicationStore {
    private ApplicationStore() {}

    /**
     * The ledger in the database of the data source, whose transactions are begun and ended by the demarcation. The data
     * source must hand out plain connections, not bound to a transaction manager's thread. It is not closed with the store.
     *
     * @throws SemelException.Misconfigured when no engine serves this database, or it cannot hold the ledger, saying what to do
     * @throws SemelException.StoreUnavailable when it cannot be reached
     */
    public static Store on(DataSource source, Demarcation demarcation, StoreProvider.Options options) {
        String product = product(source);
        return engine(product).orElseThrow(() -> unsupported(product)).on(source, demarcation, options);
    }

    /** The version of the ledger's tables that this code reads and writes. */
    public static int schemaVersion() {
        return Schema.VERSION;
    }

    /**
     * Creates the ledger's tables where they are missing and upgrades older ones, for those who migrate databases in a step of
     * its own. In transactions of its own on the connection. On SQLite it does nothing: there the tables and the file beside
     * them are made when the store is opened.
     *
     * @throws SemelException.Misconfigured when the database cannot serve, saying what to do
     */
    public static void install(Connection connection) throws SQLException {
        Optional<JdbcStoreProvider> engine = engine(connection.getMetaData().getDatabaseProductName());
        if (engine.isPresent()) {
            engine.get().install(connection);
        }
    }

    private static Optional<JdbcStoreProvider> engine(String product) {
        return engines().filter(engine -> engine.product().equals(product)).findFirst();
    }

    /** By the class loader of this class: that of the calling thread may not see them. */
    private static Stream<JdbcStoreProvider> engines() {
        return ServiceLoader.load(StoreProvider.class, ApplicationStore.class.getClassLoader()).stream()
                .filter(provider -> JdbcStoreProvider.class.isAssignableFrom(provider.type()))
                .map(provider -> (JdbcStoreProvider) provider.get());
    }

    private static SemelException.Misconfigured unsupported(String product) {
        String known = engines().map(JdbcStoreProvider::product).sorted().collect(Collectors.joining(" or "));
        return new SemelException.Misconfigured(
                "store",
                List.of("the application's database is " + product + ", which cannot hold the ledger: use " + known
                        + ", or give the ledger a store of its own, such as sqlite:semel.db"));
    }

    static String product(DataSource source) {
        try (Connection connection = source.getConnection()) {
            return connection.getMetaData().getDatabaseProductName();
        } catch (SQLException e) {
            throw new SemelException.StoreUnavailable(
                    "The application's database cannot be reached (" + e.getMessage()
                            + "); nothing was run. Check that it is up and the data source's URL right.",
                    e);
        }
    }
}
