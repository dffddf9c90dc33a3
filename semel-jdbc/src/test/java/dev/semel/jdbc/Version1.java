package dev.semel.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.key.RecordId;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.Reserved;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import dev.semel.time.TimeSource;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;

/** Ledgers that version 1 made, with a record in every state, and their upgrade. */
final class Version1 {
    private Version1() {}

    static Path file(Path directory) throws IOException {
        Path file = directory.resolve("old.db");
        Files.write(file, resource("ledger.db"));
        Files.write(directory.resolve("old.db.epoch"), resource("ledger.db.epoch"));
        return file;
    }

    static FreshSchema database() {
        FreshSchema database = FreshSchema.make();
        database.execute(PostgresInstaller.SCHEMA.script(1));
        database.execute(new String(resource("postgresql.sql"), StandardCharsets.UTF_8));
        return database;
    }

    private static byte[] resource(String name) {
        try (InputStream in = Version1.class.getResourceAsStream("version1/" + name)) {
            return Objects.requireNonNull(in).readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static PostgresInstaller installer(Schema schema) {
        return new PostgresInstaller("test", true, schema, FenceJump::from);
    }

    static List<String> upgradeStatements(Schema schema) {
        return List.of(schema.script(2).replaceAll("--[^\n]*", "").strip().split(";"));
    }

    static void upgrade(Path path, Schema schema) throws SQLException, IOException {
        SqliteClock clock = new SqliteClock(TimeSource.system());
        SqliteFile file = SqliteFile.of("sqlite:" + path, clock.time());
        try (SqliteSession session = file.connect(SqliteFile.Role.WRITE)) {
            new SqliteSchema(session, new SqliteSidecar(path), file, clock, schema, FenceJump::from)
                    .open(StoreProvider.Options.DEFAULT);
        }
    }

    static long version(Path path) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + path)) {
            return SqliteFixture.number(connection, "SELECT version FROM semel_meta");
        }
    }

    static long grant(Store store, String key) {
        long modes = store.switchboard().modes().version();
        return ((Reserved.Granted) store.ledger()
                        .reserve(modes, List.of(new Sample(key).reservation()))
                        .get(0))
                .fence();
    }

    /** A record in every state is there; the run goes on under its fence, and messages come in their order. */
    static void assertAllRecordsWork(Store store) {
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
}
