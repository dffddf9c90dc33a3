package dev.semel.examples.planner;

import dev.semel.testkit.PrivatePostgres;
import dev.semel.testkit.Scratch;
import java.nio.file.Path;
import java.util.function.Supplier;

/** The planner on each database, started once for all tests. */
enum Engine {
    SQLITE(Engine::file),
    POSTGRESQL(() -> server(PrivatePostgres.shared()));

    private final Supplier<Database> databases;
    private Database database;
    private Planner planner;

    Engine(Supplier<Database> databases) {
        this.databases = databases;
    }

    /**
     * An empty database.
     *
     * @param ledger the same for Semel without Spring
     */
    record Database(String jdbc, String ledger) {}

    private static Database file() {
        Path file = Scratch.directory("mission-planner").resolve("planner.db");
        return new Database("jdbc:sqlite:" + file + "?foreign_keys=on", "sqlite:" + file);
    }

    static Database server(PrivatePostgres postgres) {
        String name = postgres.freshDatabase();
        return new Database(postgres.jdbcUrl(name), postgres.url(name));
    }

    Database fresh() {
        return databases.get();
    }

    synchronized Planner planner() {
        if (planner == null) {
            database = fresh();
            planner = Planner.start(database.jdbc());
        }
        return planner;
    }

    /** Where the ledger of the shared planner is. */
    synchronized String ledger() {
        planner();
        return database.ledger();
    }

    /** A second node on the database of the shared planner. */
    Planner anotherNode() {
        planner();
        return Planner.start(database.jdbc());
    }

    /** A new organisation, so that no test sees what another left. */
    Organisation organisation() {
        return Organisation.found(planner());
    }
}
