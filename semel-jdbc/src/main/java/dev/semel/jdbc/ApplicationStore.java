package dev.semel.jdbc;

import dev.semel.SemelException;
import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;

/** Opens the ledger in the database that the application already has, beside its own tables. */
public final class ApplicationStore {
    private ApplicationStore() {}

    /**
     * The ledger in the database of the data source, whose transactions are begun and ended by the demarcation. The data
     * source must hand out plain connections, not bound to a transaction manager's thread. It is not closed with the store.
     *
     * @throws SemelException.Misconfigured when the database is neither PostgreSQL nor SQLite, or cannot serve
     * @throws SemelException.StoreUnavailable when it cannot be reached
     */
    public static Store on(DataSource source, Demarcation demarcation, StoreProvider.Options options) {
        String product = product(source);
        return switch (product) {
            case "PostgreSQL" -> PostgresStore.on(source, demarcation, options);
            case "SQLite" -> SqliteStore.on(source, demarcation, options);
            default ->
                throw new SemelException.Misconfigured(
                        "store",
                        List.of("the application's database is " + product
                                + ", which cannot hold the ledger: use PostgreSQL or SQLite, or give the ledger a store of"
                                + " its own, such as sqlite:semel.db"));
        };
    }

    /** The version of the ledger's tables that this code reads and writes. */
    public static int schemaVersion() {
        return Schema.VERSION;
    }

    /**
     * Makes the ledger's tables where they are missing, and brings them up to date, for those who do such things at a time of
     * their own. In transactions of its own on the connection. On SQLite it does nothing: there the tables and the file beside
     * them are made when the store is opened.
     *
     * @throws SemelException.Misconfigured when the database cannot serve, saying what to do
     */
    public static void install(Connection connection) throws SQLException {
        if (connection.getMetaData().getDatabaseProductName().equals("PostgreSQL")) {
            new PostgresInstaller("postgresql (data source of the application)", true).prepare(connection);
        }
    }

    private static String product(DataSource source) {
        try (Connection connection = source.getConnection()) {
            return connection.getMetaData().getDatabaseProductName();
        } catch (SQLException e) {
            throw new SemelException.StoreUnavailable(
                    "The application's database cannot be reached (" + e.getMessage()
                            + "); nothing was run. See that it is up and the data source's URL right.",
                    e);
        }
    }
}
