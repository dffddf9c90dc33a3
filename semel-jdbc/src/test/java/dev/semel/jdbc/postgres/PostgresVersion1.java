package dev.semel.jdbc.postgres;

import dev.semel.jdbc.shared.FenceJump;
import dev.semel.jdbc.shared.Schema;
import dev.semel.jdbc.shared.Version1;
import java.nio.charset.StandardCharsets;

/** A database that version 1 made, and its upgrade. */
final class PostgresVersion1 {
    private PostgresVersion1() {}

    static FreshSchema database() {
        FreshSchema database = FreshSchema.make();
        database.execute(PostgresInstaller.SCHEMA.script(1));
        database.execute(new String(Version1.resource("postgresql.sql"), StandardCharsets.UTF_8));
        return database;
    }

    static PostgresInstaller installer(Schema schema) {
        return new PostgresInstaller("test", true, schema, FenceJump::from);
    }
}
