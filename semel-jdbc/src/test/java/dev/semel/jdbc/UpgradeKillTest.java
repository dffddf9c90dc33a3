package dev.semel.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import dev.semel.time.TimeSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.Function;

/** B14: the process that upgrades a ledger is killed between two statements of the upgrade. */
@Timeout(180)
class UpgradeKillTest {
    private static final int KILLED = 137;
    private static final long LOCK = 4_711;

    @TempDir
    private Path directory;

    /** Upgrades a file and dies in the middle of the upgrade, without closing anything. */
    public static final class OnSqlite {
        private OnSqlite() {}

        public static void main(String[] arguments) throws Exception {
            Path path = Path.of(arguments[0]);
            SqliteClock clock = new SqliteClock(TimeSource.system());
            SqliteFile file = SqliteFile.of("sqlite:" + path, clock.time());
            SqliteSession session = file.connect(SqliteFile.Role.WRITE);
            Function.create(session.connection(), "die", new Function() {
                @Override
                protected void xFunc() {
                    Runtime.getRuntime().halt(KILLED);
                }
            });
            Schema dying = with(SqliteSchema.SCHEMA, "SELECT die()");
            new SqliteSchema(session, new SqliteSidecar(path), file, clock, dying, FenceJump::from)
                    .open(StoreProvider.Options.DEFAULT);
        }
    }

    /** Upgrades a database and waits in the middle of the upgrade for a lock. */
    public static final class OnPostgres {
        private OnPostgres() {}

        public static void main(String[] arguments) throws Exception {
            Schema waiting = with(PostgresInstaller.SCHEMA, "SELECT pg_advisory_xact_lock(" + LOCK + ")");
            try (Connection connection = DriverManager.getConnection(arguments[0])) {
                Version1.installer(waiting).prepare(connection);
            }
        }
    }

    /** The upgrade with one more statement in its middle. */
    private static Schema with(Schema schema, String statement) {
        List<String> statements = new ArrayList<>(Version1.upgradeStatements(schema));
        statements.add(statements.size() / 2, statement);
        return new Schema(
                schema.engine(), 2, version -> version == 2 ? String.join(";", statements) : schema.script(version));
    }

    @Test
    void b14_killedUpgradeOfAFileLeavesVersion1AndTheNextOpeningUpgradesIt() throws Exception {
        Path file = Version1.file(directory);
        Process process = start(OnSqlite.class, file.toString());
        assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(log()).isEqualTo(KILLED);
        assertThat(Version1.version(file)).isEqualTo(1);
        try (Store store = SqliteFixture.open(file)) {
            Version1.assertAllRecordsWork(store);
        }
    }

    @Test
    void b14_killedUpgradeOfADatabaseLeavesVersion1AndTheNextOpeningUpgradesIt() throws Exception {
        FreshSchema database = Version1.database();
        try (Connection other = database.connect()) {
            execute(other, "SELECT pg_advisory_lock(" + LOCK + ")");
            Process process = start(
                    OnPostgres.class,
                    database.server().jdbcUrl(database.database()) + "&currentSchema=" + database.name());
            try {
                while (SqliteFixture.number(
                                other, "SELECT count(*) FROM pg_locks WHERE NOT granted AND objid = " + LOCK)
                        == 0) {
                    assertThat(process.isAlive()).as(log()).isTrue();
                    // The time-out of the class bounds the wait for the upgrade to reach its lock.
                    Thread.sleep(5);
                }
            } finally {
                process.destroyForcibly().waitFor();
            }
            assertThat(SqliteFixture.number(other, "SELECT schema_version FROM semel_meta"))
                    .isEqualTo(1);
            execute(other, "SELECT pg_advisory_unlock(" + LOCK + ")");
        }
        try (Store store = database.open(null)) {
            Version1.assertAllRecordsWork(store);
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private String log() throws IOException {
        return Files.readString(directory.resolve("log"));
    }

    private Process start(Class<?> main, String argument) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+IgnoreUnrecognizedVMOptions",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        main.getName(),
                        argument)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("log").toFile())
                .start();
    }
}
