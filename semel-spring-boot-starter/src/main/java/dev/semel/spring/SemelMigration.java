package dev.semel.spring;

import dev.semel.jdbc.ApplicationStore;
import java.sql.SQLException;
import org.flywaydb.core.api.MigrationVersion;
import org.flywaydb.core.api.migration.Context;
import org.flywaydb.core.api.migration.JavaMigration;
import org.jspecify.annotations.Nullable;

/**
 * Installs the ledger's tables with Flyway and its database role. A repeatable migration: it runs after the application's own
 * migrations, has no version number that could conflict with theirs, and runs again when a new Semel has a new schema.
 */
final class SemelMigration implements JavaMigration {
    @Override
    public @Nullable MigrationVersion getVersion() {
        return null;
    }

    @Override
    public String getDescription() {
        return "Semel's ledger";
    }

    @Override
    public Integer getChecksum() {
        return ApplicationStore.schemaVersion();
    }

    /** The installer uses its own transaction. */
    @Override
    public boolean canExecuteInTransaction() {
        return false;
    }

    @Override
    public void migrate(Context context) throws SQLException {
        ApplicationStore.install(context.getConnection());
    }
}
