package dev.semel.jdbc.fault;

import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import dev.semel.store.Stores;
import dev.semel.testkit.PrivatePostgres;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Where a run keeps its ledger with the effects beside it, and where the outside world keeps what it received.
 *
 * @param store Semel's URL
 * @param effects the driver's URL of the same database
 * @param outside the driver's URL of a database that does not commit together with it
 */
record RunDatabases(String store, String effects, String outside) {

    static RunDatabases sqlite(Path directory) {
        Path file = directory.resolve("semel.db");
        return new RunDatabases(
                "sqlite:" + file,
                "jdbc:sqlite:" + file + "?busy_timeout=20000",
                "jdbc:sqlite:" + directory.resolve("outside.db") + "?busy_timeout=20000&synchronous=OFF");
    }

    static RunDatabases postgres() {
        return postgres(PrivatePostgres.shared());
    }

    static RunDatabases postgres(PrivatePostgres server) {
        String database = server.freshDatabase();
        return new RunDatabases(server.url(database), server.jdbcUrl(database), server.jdbcUrl(database));
    }

    /** By its name. */
    String engine() {
        return store.substring(0, store.indexOf(':'));
    }

    boolean isSqlite() {
        return effects.startsWith("jdbc:sqlite:");
    }

    /** The same behind a proxy: only Semel goes through it. */
    RunDatabases through(int port) {
        return new RunDatabases(store.replaceFirst(":\\d+/", ":" + port + "/"), effects, outside);
    }

    /** With the outside world elsewhere. */
    RunDatabases withOutside(RunDatabases other) {
        return new RunDatabases(store, effects, other.outside);
    }

    RunDatabases withParameters(String parameters) {
        return new RunDatabases(store + (store.contains("?") ? "&" : "?") + parameters, effects, outside);
    }

    /** Installs the ledger and makes the tables around it. */
    void prepare() throws SQLException {
        open().close();
        execute(effects, "CREATE TABLE IF NOT EXISTS applied (record TEXT, payload TEXT, result TEXT)");
        if (outside.startsWith("jdbc:sqlite:")) {
            execute(outside, "PRAGMA journal_mode = WAL");
        }
        execute(outside, "CREATE TABLE IF NOT EXISTS printed (record TEXT, payload TEXT)");
        execute(outside, "CREATE TABLE IF NOT EXISTS seen (record TEXT PRIMARY KEY, fence BIGINT, deliveries INTEGER)");
        String number = outside.startsWith("jdbc:sqlite:") ? "INTEGER PRIMARY KEY" : "BIGSERIAL PRIMARY KEY";
        execute(
                outside,
                "CREATE TABLE IF NOT EXISTS received (n " + number
                        + ", record TEXT, fence BIGINT, attempt INTEGER, payload TEXT, reception TEXT,"
                        + " lane TEXT, number BIGINT)");
    }

    Store open() {
        return Stores.open(store, StoreProvider.Options.DEFAULT);
    }

    Connection connect() throws SQLException {
        return DriverManager.getConnection(effects);
    }

    Connection connectOutside() throws SQLException {
        return DriverManager.getConnection(outside);
    }

    private static void execute(String url, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
