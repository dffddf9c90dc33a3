package dev.semel.jdbc.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.jdbc.shared.EffectFixture;
import dev.semel.jdbc.shared.Sample;
import dev.semel.store.Reserved;
import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import dev.semel.testkit.PrivatePostgres;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/** A17: stores that were made from one backup, and a failover behind the application's own data source. */
@Timeout(180)
class PostgresCopiesTest {
    private static final int FENCES = 40;

    /** A backup with a ledger in it, which issued fences up to this one. */
    @SuppressWarnings("NullAway.Init")
    private static PrivatePostgres original;

    @SuppressWarnings("NullAway.Init")
    private static PrivatePostgres first;

    @SuppressWarnings("NullAway.Init")
    private static PrivatePostgres second;

    private static long newest;

    @BeforeAll
    static void restoreOneBackupTwice() throws SQLException {
        original = PrivatePostgres.start(PrivatePostgres.FAST);
        try (Connection connection = DriverManager.getConnection(original.jdbcUrl());
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE effect (n serial PRIMARY KEY, who text)");
        }
        try (Store store = open(original)) {
            newest = fence(store, "before the backup");
        }
        original.stop();
        first = original.startCopy();
        second = original.startCopy();
        original.restart();
    }

    @AfterAll
    static void stop() {
        for (PrivatePostgres each : List.of(original, first, second)) {
            each.close();
        }
    }

    @Test
    void a17_threeStoresThatWereMadeFromOneBackupIssueNoFenceTwice() {
        Set<Long> all = new HashSet<>();
        for (PrivatePostgres server : List.of(original, first, second)) {
            try (Store store = open(server)) {
                for (int i = 0; i < FENCES; i++) {
                    long fence = fence(store, "after the backup " + i);
                    assertThat(fence).isGreaterThan(newest);
                    all.add(fence);
                }
            }
        }
        assertThat(all).hasSize(3 * FENCES);
    }

    @Test
    void a17_failoverBehindTheApplicationsDataSourceIsNoticedBeforeAnythingIsGranted() {
        SwitchedDataSource source = new SwitchedDataSource(first);
        List<Long> all = new ArrayList<>();
        try (Store store = PostgresStore.on(source, StoreProvider.Options.DEFAULT)) {
            for (int i = 0; i < FENCES; i++) {
                all.add(fence(store, "one " + i));
                all.add(transaction(store, "two " + i));
            }
            source.switchTo(second);
            for (int i = 0; i < FENCES; i++) {
                all.add(transaction(store, "three " + i));
                all.add(fence(store, "four " + i));
            }
        }
        assertThat(all).doesNotHaveDuplicates();
        assertThat(all.subList(2 * FENCES, 4 * FENCES))
                .as("of a later epoch than all that the lost primary may have issued")
                .allMatch(fence -> fence >>> 48 > newest >>> 48);
    }

    /** A planted bug: copies take the same new epoch, and count on from the same place. */
    @Test
    void a17_copiesThatContinueFromTheSameFenceAreCaught() throws Exception {
        List<Long> all = new ArrayList<>();
        for (PrivatePostgres server : List.of(first, second)) {
            String database = server.freshDatabase();
            try (Connection connection = DriverManager.getConnection(server.jdbcUrl(database));
                    Statement statement = connection.createStatement()) {
                PostgresInstaller flawed =
                        new PostgresInstaller("planted", true, PostgresInstaller.SCHEMA, counter -> 0);
                flawed.prepare(connection);
                statement.execute("UPDATE semel_meta SET system_identifier = 7");
                flawed.prepareFurther(connection);
            }
            try (Store store = new PostgresProvider().open(server.url(database), StoreProvider.Options.DEFAULT)) {
                all.add(fence(store, "k"));
            }
        }
        assertThatThrownBy(() -> assertThat(all).doesNotHaveDuplicates()).isInstanceOf(AssertionError.class);
    }

    /** Dumped and loaded, or made from a template: on one server, and so with one start and one history. */
    @Test
    void a17_copyOfTheDatabaseOnTheSameServerIssuesOtherFences() throws Exception {
        String database = first.freshDatabase();
        try (Store store = new PostgresProvider().open(first.url(database), StoreProvider.Options.DEFAULT)) {
            fence(store, "before the copy");
        }
        try (Connection connection = DriverManager.getConnection(first.jdbcUrl());
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE copied TEMPLATE " + database);
        }
        List<Long> all = new ArrayList<>();
        for (String each : List.of(database, "copied")) {
            try (Store store = new PostgresProvider().open(first.url(each), StoreProvider.Options.DEFAULT)) {
                all.add(fence(store, "after the copy"));
            }
        }
        assertThat(all).doesNotHaveDuplicates();
    }

    /** The database is dropped and restored from a backup while the server and the node keep running. */
    @Test
    void a17_runningNodeNoticesThatItsDatabaseWasRestoredOnTheSameServer() throws Exception {
        String database = first.freshDatabase();
        restoredUnderARunningNode(
                database,
                List.of("CREATE DATABASE kept TEMPLATE " + database),
                List.of("DROP DATABASE " + database, "CREATE DATABASE " + database + " TEMPLATE kept"));
    }

    /** Only the ledger's own row and its counter are loaded again, as a load of the tables does, while the node is connected. */
    @Test
    void a17_runningNodeNoticesThatItsTablesWereLoadedAgain() throws Exception {
        String database = first.freshDatabase();
        List<Long> all = new ArrayList<>();
        try (Store store = new PostgresProvider().open(first.url(database), StoreProvider.Options.DEFAULT);
                Connection connection = DriverManager.getConnection(first.jdbcUrl(database));
                Statement statement = connection.createStatement()) {
            all.add(fence(store, "before the backup"));
            statement.execute("CREATE TABLE kept AS SELECT * FROM semel_meta");
            long counter = EffectFixture.number(connection, "SELECT last_value FROM semel_fence");
            for (int i = 0; i < FENCES; i++) {
                all.add(fence(store, "one " + i));
            }
            statement.execute(
                    "BEGIN; CREATE TABLE made (LIKE semel_meta INCLUDING ALL); INSERT INTO made SELECT * FROM kept;"
                            + " DROP TABLE semel_meta; ALTER TABLE made RENAME TO semel_meta; SELECT setval('semel_fence', "
                            + counter
                            + "); COMMIT");
            for (int i = 0; i < FENCES; i++) {
                all.add(fence(store, "two " + i));
            }
        }
        assertThat(all).doesNotHaveDuplicates();
    }

    private void restoredUnderARunningNode(String database, List<String> backup, List<String> restore)
            throws Exception {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(first.jdbcUrl(database));
        List<Long> all = new ArrayList<>();
        try (Connection connection = DriverManager.getConnection(first.jdbcUrl(database));
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE effect (n serial PRIMARY KEY, who text)");
        }
        try (Store store = PostgresStore.on(source, StoreProvider.Options.DEFAULT)) {
            all.add(fence(store, "before the backup"));
            executed(backup);
            for (int i = 0; i < FENCES; i++) {
                all.add(fence(store, "one " + i));
                all.add(transaction(store, "two " + i));
            }
            executed(restore);
            for (int i = 0; i < FENCES; i++) {
                all.add(transaction(store, "three " + i));
                all.add(fence(store, "four " + i));
            }
        }
        assertThat(all).doesNotHaveDuplicates();
    }

    private static void executed(List<String> texts) throws SQLException {
        try (Connection connection = DriverManager.getConnection(first.jdbcUrl());
                Statement statement = connection.createStatement()) {
            for (String text : texts) {
                statement.execute(text);
            }
        }
    }

    private static Store open(PrivatePostgres server) {
        return new PostgresProvider().open(server.url(), StoreProvider.Options.DEFAULT);
    }

    private static long fence(Store store, String key) {
        long version = store.switchboard().modes().version();
        return ((Reserved.Granted) store.ledger()
                        .reserve(version, List.of(new Sample(key).reservation()))
                        .get(0))
                .fence();
    }

    /** The fence of a record that a direct atomic call leaves. */
    private static long transaction(Store store, String key) {
        try {
            EffectFixture.call(store, key);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        var id = EffectFixture.id(key);
        return store.ledger().find(List.of(id)).get(id).status().fence();
    }
}
