package dev.semel.jdbc.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.jdbc.shared.EffectFixture;
import dev.semel.jdbc.shared.Schema;
import dev.semel.jdbc.shared.Version1;
import dev.semel.store.Store;
import dev.semel.testkit.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** B14: the process that upgrades a database is killed between two statements of the upgrade. */
@Timeout(180)
class PostgresUpgradeKillTest {
    private static final long LOCK = 4_711;

    @TempDir
    private Path directory;

    /** Upgrades a database and waits in the middle of the upgrade for a lock. */
    public static final class Main {
        private Main() {}

        public static void main(String[] arguments) throws Exception {
            Schema waiting = Version1.with(PostgresInstaller.SCHEMA, "SELECT pg_advisory_xact_lock(" + LOCK + ")");
            try (Connection connection = DriverManager.getConnection(arguments[0])) {
                PostgresVersion1.installer(waiting).prepare(connection);
            }
        }
    }

    @Test
    void b14_killedUpgradeOfADatabaseLeavesVersion1AndTheNextOpeningUpgradesIt() throws Exception {
        FreshSchema database = PostgresVersion1.database();
        try (Connection other = database.connect()) {
            EffectFixture.execute(other, "SELECT pg_advisory_lock(" + LOCK + ")");
            Process process = Version1.start(
                    Main.class,
                    database.server().jdbcUrl(database.database()) + "&currentSchema=" + database.name(),
                    log());
            try {
                Await.until("the upgrade waits for its lock", () -> waiting(process, other), waiting -> waiting > 0);
            } finally {
                process.destroyForcibly().waitFor();
            }
            assertThat(EffectFixture.number(other, "SELECT schema_version FROM semel_meta"))
                    .isEqualTo(1);
            EffectFixture.execute(other, "SELECT pg_advisory_unlock(" + LOCK + ")");
        }
        try (Store store = database.open(null)) {
            Version1.assertAllRecordsWork(store);
        }
    }

    private long waiting(Process process, Connection connection) throws Exception {
        assertThat(process.isAlive()).as(Files.readString(log())).isTrue();
        return EffectFixture.number(connection, "SELECT count(*) FROM pg_locks WHERE NOT granted AND objid = " + LOCK);
    }

    private Path log() {
        return directory.resolve("log");
    }
}
