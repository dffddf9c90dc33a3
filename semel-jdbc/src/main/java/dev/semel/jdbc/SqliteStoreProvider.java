package dev.semel.jdbc;

import dev.semel.store.Store;
import dev.semel.store.StoreProvider;

/**
 * Opens {@code sqlite:path/to/file.db}. The file and its companions are made with mode 0600; the directory must exist.
 *
 * <p>Beside the file lies {@code <file>.epoch}, by which an older copy that is put in the ledger's place is recognised and
 * refused. Back up and restore the database file alone, never that one; a restored ledger is taken into service with
 * {@link StoreProvider.Options#adopt()}, which raises the epoch, followed by
 * {@link dev.semel.store.Switchboard#adopt}, which turns what was running into UNKNOWN.
 *
 * <p>A database in memory ({@code :memory:}) is refused: use {@code memory:}.
 */
public final class SqliteStoreProvider implements StoreProvider {
    @Override
    public String engine() {
        return "sqlite";
    }

    @Override
    public String example() {
        return "sqlite:semel.db";
    }

    @Override
    public boolean accepts(String url) {
        return SqliteFile.isUrl(url);
    }

    @Override
    public Store open(String url, Options options) {
        return SqliteStore.open(url, options);
    }

    @Override
    public String ddl(int from) {
        return SqliteSchema.SCHEMA.ddl(from);
    }
}
