package dev.semel.jdbc.sqlite;

import dev.semel.store.StoreProvider;
import java.nio.file.Path;

/** Opens stores in files of the test. */
final class SqliteFixture {
    private SqliteFixture() {}

    static SqliteStore open(Path file) {
        return open(file, StoreProvider.Options.DEFAULT);
    }

    static SqliteStore open(Path file, StoreProvider.Options options) {
        return (SqliteStore) new SqliteProvider().open("sqlite:" + file, options);
    }
}
