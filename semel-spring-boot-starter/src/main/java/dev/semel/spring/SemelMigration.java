package dev.semel.spring;

import dev.semel.jdbc.ApplicationStore;
import java.sql.SQLException;
import org.flywaydb.core.api.MigrationVersion;
import org.flywaydb.core.api.migration.Context;
import org.flywaydb.core.api.migration.JavaMigration;
import org.jspecify.annotations.Nullable;

/**
 * Has Flyway make the ledger's tables, with the role that it makes tables with. A repeatable migration: it runs after the
 * application's own, has no number that could meet one of theirs, and runs again when a new Semel has a new schema.
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

    /** The installer has a transaction of its own. */
    @Override
    public boolean canExecuteInTransaction() {
        return false;
    }

    @Override
    public void migrate(Context context) throws SQLException {
        ApplicationStore.install(context.getConnection());
    }
}
