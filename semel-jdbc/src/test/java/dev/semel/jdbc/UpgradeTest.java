package dev.semel.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.SemelException;
import dev.semel.key.RecordId;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.Reserved;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import dev.semel.testkit.PrivatePostgres;
import dev.semel.time.TimeSource;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
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
        try (Store store = SqliteFixture.open(oldFile())) {
            assertAllRecordsWork(store);
        }
    }

    @Test
    void b14_aDatabaseOfVersion1IsUpgradedAndAllItsRecordsWork() {
        try (Store store = oldDatabase().open(null)) {
            assertAllRecordsWork(store);
        }
    }

    @Test
    void b14_anUpgradeOfAFileThatStopsAtAnyStatementLeavesVersion1AndIsDoneAgain() throws Exception {
        Path file = oldFile();
        for (Schema broken : stopping(SqliteSchema.SCHEMA)) {
            assertThatThrownBy(() -> upgrade(file, broken)).isInstanceOf(SQLException.class);
            assertThat(version(file)).isEqualTo(1);
        }
        try (Store store = SqliteFixture.open(file)) {
            assertAllRecordsWork(store);
        }
    }

    @Test
    void b14_anUpgradeOfADatabaseThatStopsAtAnyStatementLeavesVersion1AndIsDoneAgain() throws Exception {
        FreshSchema database = oldDatabase();
        for (Schema broken : stopping(PostgresInstaller.SCHEMA)) {
            try (Connection connection = database.connect()) {
                assertThatThrownBy(() -> installer(broken).prepare(connection))
                        .isInstanceOf(SemelException.StoreUnavailable.class)
                        .hasMessageContaining("nothing was changed");
                assertThat(SqliteFixture.number(connection, "SELECT schema_version FROM semel_meta"))
                        .isEqualTo(1);
            }
        }
        try (Store store = database.open(null)) {
            assertAllRecordsWork(store);
        }
    }

    @Test
    void b14_whoMayNotUpgradeIsToldHow() throws Exception {
        Path file = oldFile();
        assertThatThrownBy(() -> SqliteFixture.open(file, StoreProvider.Options.EXISTING))
                .isInstanceOf(SemelException.Misconfigured.class)
                .hasMessageContaining("older than version 2")
                .hasMessageContaining("--engine sqlite --from 1");
        assertThat(version(file)).isEqualTo(1);
        FreshSchema database = oldDatabase();
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
            upgrade(file, next(SqliteSchema.SCHEMA, "UPDATE semel_meta SET version = " + NEXT + ";"));
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
            grant(running, "before");
            try (Connection connection = database.connect()) {
                installer(next(PostgresInstaller.SCHEMA, "UPDATE semel_meta SET schema_version = " + NEXT + ";"))
                        .prepare(connection);
            }
            database.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    + " WHERE application_name = 'semel' AND datname = current_database()");
            for (int tries = 0; tries < 30; tries++) {
                grantOnceConnected(running, "after" + tries);
            }
            grant(running, "with a new connection");
        }
        assertThatThrownBy(() -> database.open(null))
                .isInstanceOf(SemelException.Misconfigured.class)
                .hasMessageContaining("newer");
    }

    private static void grantOnceConnected(Store store, String key) {
        try {
            grant(store, key);
        } catch (SemelException e) {
            assertThat(e).as("a connection of the pool was cut").isNotInstanceOf(SemelException.Misconfigured.class);
        }
    }

    private static long grant(Store store, String key) {
        long modes = store.switchboard().modes().version();
        return ((Reserved.Granted) store.ledger()
                        .reserve(modes, List.of(new Sample(key).reservation()))
                        .get(0))
                .fence();
    }

    /** A record in every state is there; the run goes on under its fence, and messages come in their order. */
    private static void assertAllRecordsWork(Store store) {
        long newest = 0;
        for (State state : State.values()) {
            if (state != State.QUEUED) {
                Row row = row(store, new Sample(state.name().toLowerCase(Locale.ROOT)).id());
                assertThat(row.state()).isEqualTo(state);
                newest = Math.max(newest, row.status().fence());
            }
        }
        Sample running = new Sample("in_progress");
        Move end = new Move(
                running.id(),
                row(store, running.id()).status().fence(),
                Set.of(State.IN_PROGRESS),
                State.COMPLETED,
                Move.Change.NONE,
                running.event());
        assertThat(store.ledger().move(List.of(end))).containsExactly(new Moved.Applied());
        assertThat(grant(store, "new")).isGreaterThan(newest);
        assertThat(store.queue()
                        .orElseThrow()
                        .claim(SqliteQueueFixture.claim(store, 10, 10))
                        .rows())
                .extracting(row -> row.header().key())
                .containsExactlyInAnyOrder("free", "first", "second");
    }

    private static Row row(Store store, RecordId id) {
        return Objects.requireNonNull(store.ledger().find(List.of(id)).get(id));
    }

    /** The same upgrade, stopped by a fault before each of its statements and before its end. */
    private static List<Schema> stopping(Schema schema) {
        List<String> statements =
                List.of(schema.script(2).replaceAll("--[^\n]*", "").strip().split(";"));
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

    private static PostgresInstaller installer(Schema schema) {
        return new PostgresInstaller("test", true, schema, FenceJump::from);
    }

    private static void upgrade(Path path, Schema schema) throws SQLException, IOException {
        SqliteClock clock = new SqliteClock(TimeSource.system());
        SqliteFile file = SqliteFile.of("sqlite:" + path, clock.time());
        try (SqliteSession session = file.connect(SqliteFile.Role.WRITE)) {
            new SqliteSchema(session, new SqliteSidecar(path), file, clock, schema, FenceJump::from)
                    .open(StoreProvider.Options.DEFAULT);
        }
    }

    private static long version(Path path) throws SQLException {
        try (Connection connection = java.sql.DriverManager.getConnection("jdbc:sqlite:" + path)) {
            return SqliteFixture.number(connection, "SELECT version FROM semel_meta");
        }
    }

    private Path oldFile() throws IOException {
        Path file = directory.resolve("old.db");
        Files.write(file, resource("ledger.db"));
        Files.write(directory.resolve("old.db.epoch"), resource("ledger.db.epoch"));
        return file;
    }

    private static FreshSchema oldDatabase() {
        FreshSchema database = FreshSchema.make();
        database.execute(PostgresInstaller.SCHEMA.script(1));
        database.execute(new String(resource("postgresql.sql"), StandardCharsets.UTF_8));
        return database;
    }

    private static byte[] resource(String name) {
        try (InputStream in = UpgradeTest.class.getResourceAsStream("version1/" + name)) {
            return Objects.requireNonNull(in).readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
