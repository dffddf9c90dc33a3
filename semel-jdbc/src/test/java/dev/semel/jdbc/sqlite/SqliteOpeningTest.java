package dev.semel.jdbc.sqlite;

import static dev.semel.jdbc.shared.EffectFixture.call;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.SemelException.Misconfigured;
import dev.semel.SemelException.StoreUnavailable;
import dev.semel.jdbc.shared.EffectFixture;
import dev.semel.store.Inspection;
import dev.semel.store.Reserved;
import dev.semel.store.State;
import dev.semel.store.StoreProvider;
import dev.semel.store.Stores;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
class SqliteOpeningTest {
    private static final StoreProvider.Options ADOPT = new StoreProvider.Options(null, true);

    @TempDir
    private Path directory;

    private Path file;
    private Path sidecar;

    @BeforeEach
    void name() {
        file = directory.resolve("semel.db");
        sidecar = directory.resolve("semel.db.epoch");
    }

    @Test
    void allItsFilesAreForTheOwnerOnly() throws Exception {
        try (SqliteStore store = SqliteFixture.open(file)) {
            EffectFixture.makeTable(store);
            call(store, "k");
            try (var files = Files.list(directory)) {
                List<Path> all = files.toList();
                assertThat(all)
                        .extracting(path -> path.getFileName().toString())
                        .contains("semel.db", "semel.db-wal", "semel.db-shm", "semel.db.epoch");
                for (Path each : all) {
                    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(each)))
                            .as(each.toString())
                            .isEqualTo("rw-------");
                }
            }
        }
    }

    @Test
    void bothFormsOfTheUrlAreTakenAndFoundByTheStores() {
        Stores.open("jdbc:sqlite:" + file, StoreProvider.Options.DEFAULT).close();
        Stores.open("sqlite:" + file, StoreProvider.Options.DEFAULT).close();
        assertThat(new SqliteProvider().ddl()).contains("CREATE TABLE semel_record");
    }

    @Test
    void whereNoneIsToBeMadeAPlaceWithoutALedgerIsRejectedAndLeftAsItIs() throws Exception {
        StoreProvider.Options existing = StoreProvider.Options.EXISTING;
        assertThatThrownBy(() -> SqliteFixture.open(file, existing))
                .isInstanceOf(Misconfigured.class)
                .hasMessageContaining("there is no ledger in this place");
        assertThat(directory).isEmptyDirectory();
        try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + file)) {
            other.createStatement().execute("CREATE TABLE orders (id INTEGER)");
        }
        byte[] before = Files.readAllBytes(file);
        assertThatThrownBy(() -> SqliteFixture.open(file, existing)).isInstanceOf(Misconfigured.class);
        assertThat(Files.readAllBytes(file)).isEqualTo(before);
        SqliteFixture.open(file).close();
        SqliteFixture.open(file, existing).close();
    }

    @Test
    void logThatAnotherProcessTakesAwayWhileItIsLookedAtIsNoFault() throws Exception {
        Path log = directory.resolve("semel.db-shm");
        AtomicBoolean over = new AtomicBoolean();
        Thread other = new Thread(() -> {
            while (!over.get()) {
                assertThatCode(() -> Files.createFile(log)).doesNotThrowAnyException();
                assertThatCode(() -> Files.delete(log)).doesNotThrowAnyException();
            }
        });
        other.start();
        try {
            for (int i = 0; i < 20_000; i++) {
                assertThat(SqliteFile.fault(log)).isEmpty();
            }
        } finally {
            over.set(true);
            other.join();
        }
        Files.createDirectory(log);
        assertThat(SqliteFile.fault(log)).hasValue(log + " is not a regular file");
    }

    @Test
    void databaseInMemoryIsRejected() {
        for (String url : List.of("sqlite::memory:", "sqlite:", "sqlite:file:x.db?mode=memory", "sqlite:x.db?a=b")) {
            assertThatThrownBy(() -> new SqliteProvider().open(url, StoreProvider.Options.DEFAULT))
                    .as(url)
                    .isInstanceOf(Misconfigured.class);
        }
    }

    @Test
    void withItsOwnSettingsItIsOfClassA() {
        try (SqliteStore store = SqliteFixture.open(file)) {
            Inspection inspection = store.inspect();
            assertThat(inspection.guarantee()).isEqualTo(Inspection.Guarantee.A);
            assertThat(inspection.findings())
                    .extracting(finding -> finding.setting() + "=" + finding.value())
                    .contains(
                            "journal_mode=wal",
                            "synchronous (write connection)=FULL",
                            "synchronous (read connections)=FULL",
                            "file mode=rw-------");
        }
    }

    @Test
    void b6_missingDirectoryIsAClearError() {
        assertThatThrownBy(() -> SqliteFixture.open(directory.resolve("no/such/semel.db")))
                .isInstanceOf(Misconfigured.class)
                .hasMessageContaining("does not exist");
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void b6_directoryThatCannotHoldFilesIsAClearError() throws IOException {
        Path plain = Files.writeString(directory.resolve("plain"), "a file");
        assertThatThrownBy(() -> SqliteFixture.open(plain.resolve("semel.db")))
                .isInstanceOf(Misconfigured.class)
                .hasMessageContaining("not a directory");
        assertThatThrownBy(() -> SqliteFixture.open(Path.of("/proc/semel.db"))).isInstanceOf(Misconfigured.class);
    }

    @Test
    void b6_directoryInThePlaceOfTheFileIsAClearError() throws IOException {
        Files.createDirectory(file);
        assertThatThrownBy(() -> SqliteFixture.open(file))
                .isInstanceOf(Misconfigured.class)
                .hasMessageContaining("is not a regular file");
    }

    @Test
    void b7_garbageIsRejectedAndLeftAsItIs() throws IOException {
        Files.writeString(file, "this is not a database, although it is long enough to be one".repeat(100));
        byte[] before = Files.readAllBytes(file);
        assertThatThrownBy(() -> SqliteFixture.open(file))
                .isInstanceOf(Misconfigured.class)
                .hasMessageContaining("never replaced by an empty ledger");
        assertThat(file).hasBinaryContent(before);
    }

    @Test
    void b7_truncatedFileIsRejected() throws Exception {
        fill(20);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(channel.size() / 2);
        }
        assertThatThrownBy(() -> SqliteFixture.open(file)).isInstanceOf(Misconfigured.class);
    }

    @Test
    void b7_emptiedFileIsRejectedAlsoForAdoption() throws Exception {
        fill(1);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(0);
        }
        assertThatThrownBy(() -> SqliteFixture.open(file))
                .isInstanceOf(Misconfigured.class)
                .hasMessageContaining("the file is empty");
        assertThatThrownBy(() -> SqliteFixture.open(file, ADOPT)).isInstanceOf(Misconfigured.class);
    }

    @Test
    void b7_missingFileWithASidecarIsRejected() throws Exception {
        fill(1);
        Files.delete(file);
        assertThatThrownBy(() -> SqliteFixture.open(file))
                .isInstanceOf(Misconfigured.class)
                .hasMessageContaining("the file is missing")
                .hasMessageContaining("delete");
        assertThat(file).doesNotExist();
        Files.delete(sidecar);
        SqliteFixture.open(file).close();
    }

    @Test
    void b7_anotherDatabaseInItsPlaceIsRejected() throws Exception {
        fill(1);
        Files.delete(file);
        try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + file)) {
            EffectFixture.execute(other, "CREATE TABLE mine (n INTEGER)");
        }
        assertThatThrownBy(() -> SqliteFixture.open(file))
                .isInstanceOf(Misconfigured.class)
                .hasMessageContaining("holds no ledger");
    }

    @Test
    void databaseOfAnotherApplicationIsRejected() throws Exception {
        try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + file)) {
            EffectFixture.execute(other, "PRAGMA application_id = 77");
            EffectFixture.execute(other, "CREATE TABLE mine (n INTEGER)");
        }
        assertThatThrownBy(() -> SqliteFixture.open(file))
                .isInstanceOf(Misconfigured.class)
                .hasMessageContaining("another application");
    }

    @Test
    void applicationsOwnDatabaseTakesTheLedgerIn() throws Exception {
        try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + file)) {
            EffectFixture.execute(other, "CREATE TABLE effect (n INTEGER PRIMARY KEY, who TEXT)");
        }
        try (SqliteStore store = SqliteFixture.open(file)) {
            assertThat(call(store, "k")).isTrue();
        }
    }

    @Test
    void a13_olderCopyAfterACleanEndIsRejectedAndAdoptedUnderANewEpoch() throws Exception {
        fill(3);
        Path copy = Files.copy(file, directory.resolve("copy"));
        long newest;
        try (SqliteStore store = SqliteFixture.open(file)) {
            newest = fence(store, "granted after the copy");
        }
        Files.copy(copy, file, StandardCopyOption.REPLACE_EXISTING);
        assertThatThrownBy(() -> SqliteFixture.open(file))
                .isInstanceOf(Misconfigured.class)
                .hasMessageContaining("an older copy")
                .hasMessageContaining("semel store adopt");
        try (SqliteStore store = SqliteFixture.open(file, ADOPT)) {
            assertThat(store.switchboard().epoch()).isEqualTo(2);
            assertThat(fence(store, "granted after the copy")).isGreaterThan(newest);
        }
        SqliteFixture.open(file).close();
    }

    @Test
    void a13_olderCopyOfWhichNothingButAFinishIsMissingIsRejectedToo() throws Exception {
        long fence;
        try (SqliteStore store = SqliteFixture.open(file)) {
            fence = fence(store, "k");
        }
        Path copy = Files.copy(file, directory.resolve("copy"));
        try (SqliteStore store = SqliteFixture.open(file)) {
            store.ledger().renew(List.of(new dev.semel.store.Renewal(EffectFixture.id("k"), fence, 1)));
        }
        Files.copy(copy, file, StandardCopyOption.REPLACE_EXISTING);
        assertThatThrownBy(() -> SqliteFixture.open(file)).isInstanceOf(Misconfigured.class);
    }

    @Test
    void a13_noFenceIsIssuedTwiceFromACopyThatWasTakenWhileItRan() throws Exception {
        Path copy = directory.resolve("copy.db");
        long newest;
        try (SqliteStore store = SqliteFixture.open(file)) {
            fence(store, "a");
            try (Connection backup = DriverManager.getConnection("jdbc:sqlite:" + file)) {
                EffectFixture.execute(backup, "VACUUM INTO '" + copy + "'");
            }
            newest = fence(store, "b");
            // The sidecar as a crash would leave it.
            Files.copy(sidecar, directory.resolve("copy.db.epoch"));
        }
        try (SqliteStore restored = SqliteFixture.open(copy)) {
            assertThat(fence(restored, "b")).isGreaterThan(newest);
        }
    }

    @Test
    void missingOrDamagedSidecarIsRejectedAndAdopted() throws Exception {
        fill(1);
        Files.delete(sidecar);
        assertThatThrownBy(() -> SqliteFixture.open(file))
                .isInstanceOf(Misconfigured.class)
                .hasMessageContaining("is missing beside the ledger");
        SqliteFixture.open(file, ADOPT).close();
        Files.writeString(sidecar, Files.readString(sidecar).replace("mark ", "mark 9"));
        assertThatThrownBy(() -> SqliteFixture.open(file))
                .isInstanceOf(Misconfigured.class)
                .hasMessageContaining("is damaged");
        SqliteFixture.open(file, ADOPT).close();
    }

    @Test
    void sidecarOfAnotherLedgerIsRejected() throws Exception {
        fill(1);
        SqliteFixture.open(directory.resolve("other.db")).close();
        Files.copy(directory.resolve("other.db.epoch"), sidecar, StandardCopyOption.REPLACE_EXISTING);
        assertThatThrownBy(() -> SqliteFixture.open(file))
                .isInstanceOf(Misconfigured.class)
                .hasMessageContaining("another ledger");
    }

    @Test
    void olderSidecarIsRejected() throws Exception {
        fill(1);
        Path old = Files.copy(sidecar, directory.resolve("old"));
        for (int i = 0; i < 3; i++) {
            SqliteFixture.open(file).close();
        }
        Files.copy(old, sidecar, StandardCopyOption.REPLACE_EXISTING);
        assertThatThrownBy(() -> SqliteFixture.open(file))
                .isInstanceOf(Misconfigured.class)
                .hasMessageContaining("is older than the ledger");
    }

    @Test
    void adoptionMakesRunningRecordsUnknown() {
        try (SqliteStore store = SqliteFixture.open(file)) {
            long old = fence(store, "k");
            int disowned = store.switchboard()
                    .adopt(row -> EffectFixture.event(row.header().key()), EffectFixture.event("adoption"));
            assertThat(disowned).isEqualTo(1);
            assertThat(store.ledger()
                            .find(List.of(EffectFixture.id("k")))
                            .get(EffectFixture.id("k"))
                            .state())
                    .isEqualTo(State.UNKNOWN);
            assertThat(fence(store, "next") >>> 48).isEqualTo((old >>> 48) + 1);
        }
        assertThatCode(() -> SqliteFixture.open(file).close()).doesNotThrowAnyException();
    }

    @Test
    void b11_installationThatWasKilledHalfWayIsDoneAgain() throws Exception {
        new SqliteSidecar(file).write(new SqliteSidecar.Content("00000000-0000-0000-0000-000000000000", 1, 0, 0));
        Files.createFile(file);
        SqliteFixture.open(file).close();
        assertThat(Files.readString(sidecar)).contains("00000000-0000-0000-0000-000000000000");
    }

    @Test
    void b11_newerSchemaIsRejected() throws Exception {
        fill(1);
        try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + file)) {
            EffectFixture.execute(other, "UPDATE semel_meta SET version = 99");
        }
        assertThatThrownBy(() -> SqliteFixture.open(file))
                .isInstanceOf(Misconfigured.class)
                .hasMessageContaining("newer");
    }

    @Test
    void fileThatIsReplacedByAnOlderStateWhileOpenIsNoticed() throws Exception {
        try (SqliteStore store = SqliteFixture.open(file)) {
            EffectFixture.makeTable(store);
            call(store, "k");
            try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + file)) {
                EffectFixture.execute(other, "UPDATE semel_meta SET fence = 1");
            }
            assertThatThrownBy(() -> call(store, "l"))
                    .isInstanceOf(StoreUnavailable.class)
                    .hasMessageContaining("replaced");
        }
    }

    @Test
    void b7_fileThatIsRemovedWhileOpenTakesNoMoreCommits() throws Exception {
        try (SqliteStore store = SqliteFixture.open(file)) {
            Files.delete(file);
            assertThatThrownBy(() -> store.audit().append(List.of(EffectFixture.event("into nothing"))))
                    .isInstanceOf(StoreUnavailable.class)
                    .hasMessageContaining("replaced");
        }
    }

    @Test
    void closedStoreSaysSo() {
        SqliteStore store = SqliteFixture.open(file);
        store.close();
        store.close();
        assertThatThrownBy(() -> store.ledger().find(List.of(EffectFixture.id("k"))))
                .isInstanceOf(StoreUnavailable.class);
        assertThatThrownBy(() -> store.audit().append(List.of())).isInstanceOf(StoreUnavailable.class);
    }

    private void fill(int calls) throws Exception {
        try (SqliteStore store = SqliteFixture.open(file)) {
            EffectFixture.makeTable(store);
            for (int i = 0; i < calls; i++) {
                call(store, "fill-" + i);
            }
        }
    }

    private static long fence(SqliteStore store, String key) {
        long modes = store.switchboard().modes().version();
        Reserved reserved = store.ledger()
                .reserve(modes, List.of(EffectFixture.reservation(key, key.hashCode())))
                .get(0);
        return ((Reserved.Granted) reserved).fence();
    }
}
