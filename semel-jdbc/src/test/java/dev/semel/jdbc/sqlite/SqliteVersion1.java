package dev.semel.jdbc.sqlite;

import dev.semel.jdbc.shared.EffectFixture;
import dev.semel.jdbc.shared.FenceJump;
import dev.semel.jdbc.shared.Schema;
import dev.semel.jdbc.shared.Version1;
import dev.semel.store.StoreProvider;
import dev.semel.time.TimeSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

/** A file that version 1 made, and its upgrade. */
final class SqliteVersion1 {
    private SqliteVersion1() {}

    static Path file(Path directory) throws IOException {
        Path file = directory.resolve("old.db");
        Files.write(file, Version1.resource("ledger.db"));
        Files.write(directory.resolve("old.db.epoch"), Version1.resource("ledger.db.epoch"));
        return file;
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
            return EffectFixture.number(connection, "SELECT version FROM semel_meta");
        }
    }
}
