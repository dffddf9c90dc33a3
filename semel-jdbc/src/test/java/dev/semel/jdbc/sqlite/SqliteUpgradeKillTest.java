package dev.semel.jdbc.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.jdbc.shared.FenceJump;
import dev.semel.jdbc.shared.Schema;
import dev.semel.jdbc.shared.Version1;
import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import dev.semel.time.TimeSource;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.Function;

/** B14: the process that upgrades a file is killed between two statements of the upgrade. */
@Timeout(180)
class SqliteUpgradeKillTest {
    private static final int KILLED = 137;

    @TempDir
    private Path directory;

    /** Upgrades a file and dies in the middle of the upgrade, without closing anything. */
    public static final class Main {
        private Main() {}

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
            Schema dying = Version1.with(SqliteSchema.SCHEMA, "SELECT die()");
            new SqliteSchema(session, new SqliteSidecar(path), file, clock, dying, FenceJump::from)
                    .open(StoreProvider.Options.DEFAULT);
        }
    }

    @Test
    void b14_killedUpgradeOfAFileLeavesVersion1AndTheNextOpeningUpgradesIt() throws Exception {
        Path file = SqliteVersion1.file(directory);
        Process process = Version1.start(Main.class, file.toString(), log());
        assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(Files.readString(log())).isEqualTo(KILLED);
        assertThat(SqliteVersion1.version(file)).isEqualTo(1);
        try (Store store = SqliteFixture.open(file)) {
            Version1.assertAllRecordsWork(store);
        }
    }

    private Path log() {
        return directory.resolve("log");
    }
}
