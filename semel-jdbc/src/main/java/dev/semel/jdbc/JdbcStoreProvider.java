package dev.semel.jdbc;

import dev.semel.SemelException;
import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

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
     * @throws SemelException.Misconfigured when the database cannot serve, saying what to do
     * @throws SemelException.StoreUnavailable when it cannot be reached
     * @see ApplicationStore#on
     */
    Store on(DataSource source, Demarcation demarcation, Options options);

    /**
     * Creates the ledger's tables where they are missing and upgrades older ones, in transactions of its own.
     *
     * @see ApplicationStore#install
     */
    void install(Connection connection) throws SQLException;
}
