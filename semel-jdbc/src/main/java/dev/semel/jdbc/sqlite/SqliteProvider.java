package dev.semel.jdbc.sqlite;

import dev.semel.jdbc.Demarcation;
import dev.semel.jdbc.JdbcStoreProvider;
import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import java.sql.Connection;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

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
public final class SqliteProvider implements JdbcStoreProvider {
    @Override
    public String engine() {
        return SqliteSchema.SCHEMA.engine();
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

    @Override
    public String product() {
        return "SQLite";
    }

    @Override
    public Store on(DataSource source, @Nullable Demarcation demarcation, Options options) {
        return SqliteStore.on(source, demarcation, options);
    }

    /** Does nothing: the tables and the sidecar file are made together, when the store is opened. */
    @Override
    public void install(Connection connection) {}
}
