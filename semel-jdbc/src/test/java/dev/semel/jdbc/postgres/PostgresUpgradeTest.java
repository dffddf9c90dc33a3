package dev.semel.jdbc.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.SemelException;
import dev.semel.jdbc.shared.EffectFixture;
import dev.semel.jdbc.shared.Schema;
import dev.semel.jdbc.shared.Version1;
import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import dev.semel.testkit.PrivatePostgres;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** B14: databases that version 1 made, with a record in every state, are opened by this code, and by the next. */
@Timeout(300)
class PostgresUpgradeTest {
    @Test
    void b14_databaseOfVersion1IsUpgradedAndAllItsRecordsWork() {
        try (Store store = PostgresVersion1.database().open(null)) {
            Version1.assertAllRecordsWork(store);
        }
    }

    @Test
    void b14_databaseOfVersion2IsUpgradedAndItsRecordsAreFoundByCorrelationIdThroughTheIndex() throws Exception {
        FreshSchema database = PostgresVersion1.database();
        try (Connection connection = database.connect()) {
            Schema second = new Schema("postgresql", 2, PostgresInstaller.SCHEMA.scripts());
            PostgresVersion1.installer(second).prepare(connection);
            assertThat(EffectFixture.number(connection, "SELECT schema_version FROM semel_meta"))
                    .isEqualTo(2);
        }
        try (Store store = database.open(null)) {
            Version1.assertFoundByCorrelation(store);
            Version1.assertAllRecordsWork(store);
        }
        try (Connection connection = database.connect()) {
            EffectFixture.execute(connection, "SET enable_seqscan = off");
            try (Statement statement = connection.createStatement();
                    ResultSet plan = statement.executeQuery(
                            "EXPLAIN SELECT id FROM semel_record WHERE correlation = 'c' AND tenant = 't'")) {
                StringBuilder lines = new StringBuilder();
                while (plan.next()) {
                    lines.append(plan.getString(1)).append('\n');
                }
                assertThat(lines.toString()).contains("semel_record_correlation");
            }
        }
    }

    @Test
    void b14_databaseOfVersion3IsUpgradedAndCountsPermits() throws Exception {
        FreshSchema database = PostgresVersion1.database();
        try (Connection connection = database.connect()) {
            PostgresVersion1.installer(new Schema("postgresql", 3, PostgresInstaller.SCHEMA.scripts()))
                    .prepare(connection);
            assertThat(EffectFixture.number(connection, "SELECT schema_version FROM semel_meta"))
                    .isEqualTo(3);
        }
        try (Store store = database.open(null)) {
            Version1.assertCountsPermits(store);
            Version1.assertAllRecordsWork(store);
        }
    }

    @Test
    void b14_databaseOfVersion4IsUpgradedAndKeepsActivity() throws Exception {
        FreshSchema database = PostgresVersion1.database();
        try (Connection connection = database.connect()) {
            PostgresVersion1.installer(new Schema("postgresql", 4, PostgresInstaller.SCHEMA.scripts()))
                    .prepare(connection);
            assertThat(EffectFixture.number(connection, "SELECT schema_version FROM semel_meta"))
                    .isEqualTo(4);
        }
        try (Store store = database.open(null)) {
            Version1.assertKeepsActivity(store);
            Version1.assertAllRecordsWork(store);
        }
    }

    @Test
    void b14_upgradeOfADatabaseThatStopsAtAnyStatementLeavesVersion1AndIsDoneAgain() throws Exception {
        FreshSchema database = PostgresVersion1.database();
        for (Schema broken : Version1.stopping(PostgresInstaller.SCHEMA)) {
            try (Connection connection = database.connect()) {
                assertThatThrownBy(() -> PostgresVersion1.installer(broken).prepare(connection))
                        .isInstanceOf(SemelException.StoreUnavailable.class)
                        .hasMessageContaining("nothing was changed");
                assertThat(EffectFixture.number(connection, "SELECT schema_version FROM semel_meta"))
                        .isEqualTo(1);
            }
        }
        try (Store store = database.open(null)) {
            Version1.assertAllRecordsWork(store);
        }
    }

    @Test
    void b14_openingWithoutPermissionToUpgradeSaysHowToUpgrade() {
        FreshSchema database = PostgresVersion1.database();
        assertThatThrownBy(() -> new PostgresProvider().open(database.url(), StoreProvider.Options.EXISTING))
                .isInstanceOf(SemelException.Misconfigured.class)
                .hasMessageContaining("--engine postgresql --from 1");
    }

    @Test
    void b14_runningNodeContinuesAfterAnUpgradeWithNewConnectionsAndALaterOneIsRejected() throws Exception {
        PrivatePostgres server = PrivatePostgres.shared();
        FreshSchema database = FreshSchema.make(server, server.freshDatabase());
        try (Store running = database.open(null)) {
            Version1.grant(running, "before");
            try (Connection connection = database.connect()) {
                PostgresVersion1.installer(Version1.next(
                                PostgresInstaller.SCHEMA,
                                "UPDATE semel_meta SET schema_version = " + Version1.NEXT + ";"))
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
}
