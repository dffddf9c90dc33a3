package dev.semel.jdbc;

import dev.semel.SemelException;
import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * An engine of this module: it opens stores by URL, and the ledger in the database of an application. {@link ApplicationStore}
 * finds it among the {@link StoreProvider}s of {@link java.util.ServiceLoader}. Not for applications.
 */
public interface JdbcStoreProvider extends StoreProvider {
    /** The name of the database as {@link java.sql.DatabaseMetaData#getDatabaseProductName} gives it. */
    String product();

    /**
     * Opens the ledger in the application's database.
     *
     * @param demarcation absent when Semel begins and ends transactions itself
     * @throws SemelException.Misconfigured when the database cannot serve, saying what to do
     * @throws SemelException.StoreUnavailable when it cannot be reached
     * @see ApplicationStore#on
     */
    Store on(DataSource source, @Nullable Demarcation demarcation, Options options);

    @Override
    default Optional<String> database() {
        return Optional.of(product());
    }

    @Override
    default String databaseOf(DataSource source) {
        return ApplicationStore.product(source);
    }

    @Override
    default Store open(DataSource source, Options options) {
        return on(source, null, options);
    }

    /**
     * Creates the ledger's tables where they are missing and upgrades older ones, in transactions of its own.
     *
     * @see ApplicationStore#install
     */
    void install(Connection connection) throws SQLException;
}
