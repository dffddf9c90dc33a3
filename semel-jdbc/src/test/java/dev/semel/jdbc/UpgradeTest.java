package dev.semel.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.SemelException;
import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import dev.semel.testkit.PrivatePostgres;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** B14: ledgers that version 1 made, with a record in every state, are opened by this code, and by the next. */
@Timeout(120)
class UpgradeTest {
    private static final int NEXT = Schema.VERSION + 1;

    @TempDir
    private Path directory;

    @Test
    void b14_aFileOfVersion1IsUpgradedAndAllItsRecordsWork() throws Exception {
        try (Store store = SqliteFixture.open(Version1.file(directory))) {
            Version1.assertAllRecordsWork(store);
        }
    }

    @Test
    void b14_aDatabaseOfVersion1IsUpgradedAndAllItsRecordsWork() {
        try (Store store = Version1.database().open(null)) {
            Version1.assertAllRecordsWork(store);
        }
    }

    @Test
    void b14_anUpgradeOfAFileThatStopsAtAnyStatementLeavesVersion1AndIsDoneAgain() throws Exception {
        Path file = Version1.file(directory);
        for (Schema broken : stopping(SqliteSchema.SCHEMA)) {
            assertThatThrownBy(() -> Version1.upgrade(file, broken)).isInstanceOf(SQLException.class);
            assertThat(Version1.version(file)).isEqualTo(1);
        }
        try (Store store = SqliteFixture.open(file)) {
            Version1.assertAllRecordsWork(store);
        }
    }

    @Test
    void b14_anUpgradeOfADatabaseThatStopsAtAnyStatementLeavesVersion1AndIsDoneAgain() throws Exception {
        FreshSchema database = Version1.database();
        for (Schema broken : stopping(PostgresInstaller.SCHEMA)) {
            try (Connection connection = database.connect()) {
                assertThatThrownBy(() -> Version1.installer(broken).prepare(connection))
                        .isInstanceOf(SemelException.StoreUnavailable.class)
                        .hasMessageContaining("nothing was changed");
                assertThat(SqliteFixture.number(connection, "SELECT schema_version FROM semel_meta"))
                        .isEqualTo(1);
            }
        }
        try (Store store = database.open(null)) {
            Version1.assertAllRecordsWork(store);
        }
    }

    @Test
    void b14_whoMayNotUpgradeIsToldHow() throws Exception {
        Path file = Version1.file(directory);
        assertThatThrownBy(() -> SqliteFixture.open(file, StoreProvider.Options.EXISTING))
                .isInstanceOf(SemelException.Misconfigured.class)
                .hasMessageContaining("older than version 2")
                .hasMessageContaining("--engine sqlite --from 1");
        assertThat(Version1.version(file)).isEqualTo(1);
        FreshSchema database = Version1.database();
        assertThatThrownBy(() -> new PostgresProvider().open(database.url(), StoreProvider.Options.EXISTING))
                .isInstanceOf(SemelException.Misconfigured.class)
                .hasMessageContaining("--engine postgresql --from 1");
    }

    @Test
    void b14_aProcessThatHasTheFileOpenGoesOnAfterAnUpgradeAndALaterOneIsRefused() throws Exception {
        Path file = directory.resolve("ledger.db");
        try (SqliteStore running = SqliteFixture.open(file)) {
            SqliteFixture.makeTable(running);
            SqliteFixture.call(running, "before");
            Version1.upgrade(file, next(SqliteSchema.SCHEMA, "UPDATE semel_meta SET version = " + NEXT + ";"));
            assertThat(SqliteFixture.call(running, "after")).isTrue();
            assertThat(SqliteFixture.call(running, "before")).isFalse();
        }
        assertThatThrownBy(() -> SqliteFixture.open(file))
                .isInstanceOf(SemelException.Misconfigured.class)
                .hasMessageContaining("newer");
    }

    @Test
    void b14_aNodeThatIsRunningGoesOnAfterAnUpgradeWithNewConnectionsAndALaterOneIsRefused() throws Exception {
        PrivatePostgres server = PrivatePostgres.shared();
        FreshSchema database = FreshSchema.make(server, server.freshDatabase());
        try (Store running = database.open(null)) {
            Version1.grant(running, "before");
            try (Connection connection = database.connect()) {
                Version1.installer(
                                next(PostgresInstaller.SCHEMA, "UPDATE semel_meta SET schema_version = " + NEXT + ";"))
                        .prepare(connection);
            }
            database.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    + " WHERE application_name = 'semel' AND datname = current_database()");
            for (int tries = 0; tries < 30; tries++) {
                grantOnceConnected(running, "after" + tries);
            }
            Version1.grant(running, "with a new connection");
        }
        assertThatThrownBy(() -> database.open(null))
                .isInstanceOf(SemelException.Misconfigured.class)
                .hasMessageContaining("newer");
    }

    private static void grantOnceConnected(Store store, String key) {
        try {
            Version1.grant(store, key);
        } catch (SemelException e) {
            assertThat(e).as("a connection of the pool was cut").isNotInstanceOf(SemelException.Misconfigured.class);
        }
    }

    /** The same upgrade, stopped by a fault before each of its statements and before its end. */
    private static List<Schema> stopping(Schema schema) {
        List<String> statements = Version1.upgradeStatements(schema);
        return java.util.stream.IntStream.rangeClosed(0, statements.size())
                .mapToObj(done -> new Schema(
                        schema.engine(),
                        2,
                        version -> String.join(";", statements.subList(0, done)) + ";\nSELECT nowhere;"))
                .toList();
    }

    private static Schema next(Schema schema, String script) {
        return new Schema(schema.engine(), NEXT, version -> version == NEXT ? script : schema.script(version));
    }
}
