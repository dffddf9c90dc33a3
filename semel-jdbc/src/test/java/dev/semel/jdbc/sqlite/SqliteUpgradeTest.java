package dev.semel.jdbc.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.SemelException;
import dev.semel.jdbc.shared.EffectFixture;
import dev.semel.jdbc.shared.Schema;
import dev.semel.jdbc.shared.Version1;
import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import java.nio.file.Path;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** B14: files that version 1 made, with a record in every state, are opened by this code, and by the next. */
@Timeout(300)
class SqliteUpgradeTest {
    @TempDir
    private Path directory;

    @Test
    void b14_fileOfVersion1IsUpgradedAndAllItsRecordsWork() throws Exception {
        try (Store store = SqliteFixture.open(SqliteVersion1.file(directory))) {
            Version1.assertAllRecordsWork(store);
        }
    }

    @Test
    void b14_fileOfVersion2IsUpgradedAndItsRecordsAreFoundByCorrelationId() throws Exception {
        Path file = SqliteVersion1.file(directory);
        SqliteVersion1.upgrade(file, new Schema("sqlite", 2, SqliteSchema.SCHEMA.scripts()));
        assertThat(SqliteVersion1.version(file)).isEqualTo(2);
        try (Store store = SqliteFixture.open(file)) {
            Version1.assertFoundByCorrelation(store);
            Version1.assertAllRecordsWork(store);
        }
        assertThat(SqliteVersion1.version(file)).isEqualTo(Schema.VERSION);
    }

    @Test
    void b14_fileOfVersion3IsUpgradedAndCountsPermits() throws Exception {
        Path file = SqliteVersion1.file(directory);
        SqliteVersion1.upgrade(file, new Schema("sqlite", 3, SqliteSchema.SCHEMA.scripts()));
        assertThat(SqliteVersion1.version(file)).isEqualTo(3);
        try (Store store = SqliteFixture.open(file)) {
            Version1.assertCountsPermits(store);
            Version1.assertAllRecordsWork(store);
        }
        assertThat(SqliteVersion1.version(file)).isEqualTo(Schema.VERSION);
    }

    @Test
    void b14_fileOfVersion4IsUpgradedAndKeepsActivity() throws Exception {
        Path file = SqliteVersion1.file(directory);
        SqliteVersion1.upgrade(file, new Schema("sqlite", 4, SqliteSchema.SCHEMA.scripts()));
        assertThat(SqliteVersion1.version(file)).isEqualTo(4);
        try (Store store = SqliteFixture.open(file)) {
            Version1.assertKeepsActivity(store);
            Version1.assertAllRecordsWork(store);
        }
        assertThat(SqliteVersion1.version(file)).isEqualTo(Schema.VERSION);
    }

    @Test
    void b14_upgradeOfAFileThatStopsAtAnyStatementLeavesVersion1AndIsDoneAgain() throws Exception {
        Path file = SqliteVersion1.file(directory);
        for (Schema broken : Version1.stopping(SqliteSchema.SCHEMA)) {
            assertThatThrownBy(() -> SqliteVersion1.upgrade(file, broken)).isInstanceOf(SQLException.class);
            assertThat(SqliteVersion1.version(file)).isEqualTo(1);
        }
        try (Store store = SqliteFixture.open(file)) {
            Version1.assertAllRecordsWork(store);
        }
    }

    @Test
    void b14_openingWithoutPermissionToUpgradeSaysHowToUpgrade() throws Exception {
        Path file = SqliteVersion1.file(directory);
        assertThatThrownBy(() -> SqliteFixture.open(file, StoreProvider.Options.EXISTING))
                .isInstanceOf(SemelException.Misconfigured.class)
                .hasMessageContaining("older than version 5")
                .hasMessageContaining("--engine sqlite --from 1");
        assertThat(SqliteVersion1.version(file)).isEqualTo(1);
    }

    @Test
    void b14_processWithAnOpenFileContinuesAfterAnUpgradeAndALaterOneIsRejected() throws Exception {
        Path file = directory.resolve("ledger.db");
        try (SqliteStore running = SqliteFixture.open(file)) {
            EffectFixture.makeTable(running);
            EffectFixture.call(running, "before");
            SqliteVersion1.upgrade(
                    file, Version1.next(SqliteSchema.SCHEMA, "UPDATE semel_meta SET version = " + Version1.NEXT + ";"));
            assertThat(EffectFixture.call(running, "after")).isTrue();
            assertThat(EffectFixture.call(running, "before")).isFalse();
        }
        assertThatThrownBy(() -> SqliteFixture.open(file))
                .isInstanceOf(SemelException.Misconfigured.class)
                .hasMessageContaining("newer");
    }
}
